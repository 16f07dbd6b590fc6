// Package themes turns palettes, which are data files, into Styles: the one value every drawing function
// is given. It knows the meaning of colours (a verdict, a queue, a border) and not where they are drawn;
// it opens no file by itself and keeps no current theme.
package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/spelling"
)

// Default is the theme used when none is named.
const Default = "okabe-ito-dark"

// Mono is the theme for NO_COLOR and for terminals without colour: attributes only.
const Mono = "mono"

const extension = ".yaml"

//go:embed *.yaml
var shipped embed.FS

// Names lists every theme that Load can find in the given folders and among the shipped ones, sorted,
// each once.
func Names(folders ...fs.FS) []string {
	var names []string
	for _, folder := range within(folders) {
		files, err := fs.Glob(folder, "*"+extension)
		if err != nil {
			continue
		}
		for _, file := range files {
			names = append(names, strings.TrimSuffix(file, extension))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Load reads the theme NAME from the first folder that has NAME.yaml; the shipped themes come last, so a
// person's own file may replace one. Themes named by "extends" are looked up the same way.
func Load(name string, folders ...fs.FS) (Palette, error) {
	top, err := find(name, folders)
	if err != nil {
		return Palette{}, err
	}
	return complete(name, top, folders)
}

// complete follows "extends" from the top sheet to the one that extends nothing.
func complete(name string, top sheet, folders []fs.FS) (Palette, error) {
	chain := []sheet{top}
	names := []string{name}
	for last := top; last.extends != ""; last = chain[len(chain)-1] {
		if slices.Contains(names, last.extends) {
			circle := strings.Join(append(names, last.extends), " extends ")
			return Palette{}, fmt.Errorf(
				"theme file %s: extends goes in a circle: %s (extend a theme of another name)", last.file, circle,
			)
		}
		base, err := find(last.extends, folders)
		if err != nil {
			return Palette{}, fmt.Errorf("theme file %s: extends: %w", last.file, err)
		}
		chain = append(chain, base)
		names = append(names, last.extends)
	}
	return resolve(name, chain)
}

func find(name string, folders []fs.FS) (sheet, error) {
	file := name + extension
	if !fs.ValidPath(file) || strings.Contains(name, "/") {
		return sheet{}, fmt.Errorf("%q is not a theme name (letters, digits and dashes)", name)
	}
	for _, folder := range within(folders) {
		data, err := fs.ReadFile(folder, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return sheet{}, fmt.Errorf("theme file %s: %w", file, err)
		}
		return decodeSheet(file, data)
	}
	return sheet{}, fmt.Errorf(
		"no theme %q%s; there are %s", name, spelling.Hint(name, Names(folders...)), strings.Join(Names(folders...), ", "),
	)
}

func within(folders []fs.FS) []fs.FS {
	return append(slices.Clone(folders), shipped)
}
