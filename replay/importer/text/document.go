package text

import "bytes"

// CutDocument returns the text up to the next document marker, and what follows it. What stands behind the marker on
// its line belongs to the document after it, and is returned with it.
func CutDocument(text []byte) (doc, rest []byte) {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		switch {
		case isMarker(line, "---"):
			return text[:at], text[at+3:]
		case isMarker(line, "..."):
			return text[:at], text[end:]
		}
		at = end
	}
	return text, nil
}

func isMarker(line []byte, marker string) bool {
	return len(line) >= 3 && string(line[:3]) == marker && (len(line) == 3 || isSpace(line[3]))
}

// lineEnd is the place after the line break that ends the line at i.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// HasContent reports whether anything but white space and comments is there.
func HasContent(doc []byte) bool {
	for line := range bytes.Lines(doc) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return true
		}
	}
	return false
}

// Beginning is the place of the first line that says something: a document's line is that one.
func Beginning(text []byte) int {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		if line := bytes.TrimSpace(text[at:end]); len(line) > 0 && line[0] != '#' {
			return at
		}
		at = end
	}
	return 0
}
