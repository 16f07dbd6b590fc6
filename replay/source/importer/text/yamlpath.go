package text

import (
	"bytes"
	"strconv"
	"strings"
)

// LineOfPath is how many lines below the first of text a path like "spec.containers[0].name" leads, as far as it can be
// followed in block style.
func LineOfPath(text []byte, path string) int {
	f := yamlFinder{lines: bytes.Split(text, []byte{'\n'})}
	if len(f.lines) > 0 {
		if depth, blank := indentation(f.lines[0]); !blank && f.lines[0][depth] == '-' {
			f.lines[0] = append(append(bytes.Repeat([]byte{' '}, depth), ' '), f.lines[0][depth+1:]...)
		}
	}
	f.to = len(f.lines)
	for _, step := range strings.Split(path, ".") {
		key, indices, _ := strings.Cut(step, "[")
		if !f.key(key) {
			break
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(indices, "]")); err == nil && !f.element(n) {
			break
		}
	}
	return f.at
}

// yamlFinder walks down a block: lines [from, to) are what it still looks at, and at is where it has come.
type yamlFinder struct {
	lines        [][]byte
	from, to, at int
}

// key steps to a key of the block's mapping and narrows the block to what is below it.
func (f *yamlFinder) key(name string) bool {
	i, depth, found := f.outermost(func(line []byte) bool {
		rest := bytes.TrimLeft(line, `"'`)
		return bytes.HasPrefix(rest, []byte(name)) &&
			bytes.HasPrefix(bytes.TrimLeft(rest[len(name):], `"'`), []byte{':'})
	})
	if found {
		f.at, f.from, f.to = i, i+1, f.keyEnd(i+1, depth)
	}
	return found
}

// element steps to the nth element of the block's list.
func (f *yamlFinder) element(n int) bool {
	count := -1
	i, depth, found := f.outermost(func(line []byte) bool {
		if line[0] != '-' {
			return false
		}
		count++
		return count == n
	})
	if found {
		line := bytes.Clone(f.lines[i])
		line[depth] = ' '
		f.lines[i] = line
		f.at, f.from, f.to = i, i, f.end(i+1, depth)
	}
	return found
}

// outermost is the first line that is meant, by its text, of those with the indentation of the block's first line, and
// that indentation.
func (f *yamlFinder) outermost(meant func(line []byte) bool) (i, depth int, found bool) {
	outer := -1
	for i := f.from; i < f.to; i++ {
		depth, blank := indentation(f.lines[i])
		if blank {
			continue
		}
		if outer < 0 {
			outer = depth
		}
		if depth == outer && meant(f.lines[i][depth:]) {
			return i, depth, true
		}
	}
	return 0, 0, false
}

// end is where a block that began above line i, at an indentation, ends.
func (f *yamlFinder) end(i, depth int) int {
	return f.first(i, func(d int, _ byte) bool { return d <= depth })
}

// keyEnd is end for the block of a key: the dashes of a list may stand at the key's own indentation.
func (f *yamlFinder) keyEnd(i, depth int) int {
	return f.first(i, func(d int, begins byte) bool { return d < depth || d == depth && begins != '-' })
}

// first is the first line from line i on that holds something and that the function asked accepts, by its indentation
// and its first letter; the end of the block when there is none.
func (f *yamlFinder) first(i int, asked func(depth int, begins byte) bool) int {
	for ; i < f.to; i++ {
		if d, blank := indentation(f.lines[i]); !blank && asked(d, f.lines[i][d]) {
			return i
		}
	}
	return f.to
}
