package recording

import (
	"bytes"
	"io"
)

// Is reports whether a file with these first bytes is a recording, of whatever version. 64 KiB are enough.
func Is(head []byte) bool {
	l, err := newLines(bytes.NewReader(head))
	if err != nil {
		return false
	}
	defer l.close()
	first := make([]byte, 256)
	n, _ := io.ReadFull(l.from, first)
	return formatMark(first[:n])
}

// formatMark reports whether a text begins as a header does.
func formatMark(text []byte) bool {
	text = bytes.TrimSpace(text)
	return bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"`+Format+`"`))
}
