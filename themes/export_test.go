package themes

import (
	"io/fs"
	"strings"
)

// Decode reads a theme from the bytes of a file; errors speak of it by the given file name. Themes it
// extends are looked up as Load does.
func Decode(file string, data []byte, folders ...fs.FS) (Palette, error) {
	top, err := decodeSheet(file, data)
	if err != nil {
		return Palette{}, err
	}
	return complete(strings.TrimSuffix(file, extension), top, folders)
}
