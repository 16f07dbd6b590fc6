package tables

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// write writes the cases of a release to a folder, a file for each file of tests with a case in each line, and
// left_out.json.
func write(files []testFile, left []omitted, into string) error {
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := lines(filepath.Join(into, fileName(file.Name)), file.Cases); err != nil {
			return err
		}
	}
	return lines(filepath.Join(into, "left_out.json"), left)
}

// lines writes a list as JSON with an element in each line.
func lines[T any](path string, list []T) error {
	var out bytes.Buffer
	out.WriteString("[\n")
	for i := range list {
		in := json.NewEncoder(&out)
		in.SetEscapeHTML(false)
		if err := in.Encode(list[i]); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1)
		if i < len(list)-1 {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("]\n")
	return os.WriteFile(path, out.Bytes(), 0o644)
}
