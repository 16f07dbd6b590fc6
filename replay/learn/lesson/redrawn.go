package lesson

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Redrawn is the lesson with the names of its nodes dealt anew among them, in its scenes, words, tasks and checks:
// other instances of the same tasks, whose answers are others where they are names. The seed decides. A lesson that is
// not right any more with the other names, or has no nodes with numbers, is returned as it is.
func (l *Lesson) Redrawn(ctx context.Context, act Play, seed uint64) *Lesson {
	names := l.dealt(seed)
	if len(names) == 0 {
		return l
	}
	wrong := &problems{}
	other := read(renamed{l.files, names}, l.path, wrong)
	if other == nil || len(other.Check(ctx, act)) > 0 {
		return l
	}
	return other
}

var (
	numberedNodes = regexp.MustCompile(`(?m)^node ([a-z]+-?)([0-9]+)\b`)
	wordsOfFiles  = regexp.MustCompile(`[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*`)
)

// dealt is the new name of each node whose name ends in a number: that of another one with the same letters.
func (l *Lesson) dealt(seed uint64) map[string]string {
	var prefixes []string
	nodes := map[string][]string{}
	scenes, _ := fs.Glob(l.files, "*.txt")
	for _, scene := range scenes {
		data, err := fs.ReadFile(l.files, scene)
		if err != nil {
			continue
		}
		for _, found := range numberedNodes.FindAllSubmatch(data, -1) {
			prefix, name := string(found[1]), string(found[1])+string(found[2])
			if !slices.Contains(prefixes, prefix) {
				prefixes = append(prefixes, prefix)
			}
			if !slices.Contains(nodes[prefix], name) {
				nodes[prefix] = append(nodes[prefix], name)
			}
		}
	}
	names := map[string]string{}
	for _, prefix := range prefixes {
		all := nodes[prefix]
		if len(all) < 2 {
			continue
		}
		by := 1 + int(seed%uint64(len(all)-1))
		for i, name := range all {
			names[name] = all[(i+by)%len(all)]
		}
	}
	return names
}

// renamed are files in which words are replaced by others.
type renamed struct {
	fs.FS
	names map[string]string
}

// ReadFile makes renamed a fs.ReadFileFS.
func (r renamed) ReadFile(file string) ([]byte, error) {
	data, err := fs.ReadFile(r.FS, file)
	if err != nil || strings.HasSuffix(file, ".json") {
		return data, err
	}
	return wordsOfFiles.ReplaceAllFunc(data, func(word []byte) []byte {
		if other, is := r.names[string(word)]; is {
			return []byte(other)
		}
		return word
	}), nil
}
