package importer

import (
	"fmt"
	"reflect"
	"sort"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/diagnose"
)

// findings is what one item, or one file, gave. Each is written by one goroutine; merge joins them in input order.
type findings struct {
	objects  []Object
	problems []Problem
	left     []LeftOut
	configs  []Config
	events   []PodEvent
	holders  []Holder
	formats  []string
	kinds    []string // kinds that were there, if only as an empty list
	versions []string // of API servers
	outlines []Object // pods that only their nodes listed
}

func (f *findings) problem(p Problem) { f.problems = append(f.problems, p) }

// leave counts one thing that is left out.
func (f *findings) leave(what string, why phrase.Text, where string) {
	f.left = append(f.left, LeftOut{What: what, Count: 1, Why: why, First: where})
}

func (f *findings) add(other findings) {
	f.objects = append(f.objects, other.objects...)
	f.problems = append(f.problems, other.problems...)
	f.left = append(f.left, other.left...)
	f.configs = append(f.configs, other.configs...)
	f.events = append(f.events, other.events...)
	f.holders = append(f.holders, other.holders...)
	f.formats = append(f.formats, other.formats...)
	f.kinds = append(f.kinds, other.kinds...)
	f.versions = append(f.versions, other.versions...)
	f.outlines = append(f.outlines, other.outlines...)
}

// excuse counts the files that a tool put beside the cluster's objects, in the place of refusing them. What it calls a
// log is one, whatever it quotes.
func (f *findings) excuse() {
	for i := range f.left {
		if f.left[i].Why == whyCalledLog {
			f.left[i].Why = whyLog
		}
	}
	kept := f.problems[:0]
	excused := map[string]bool{}
	for _, p := range f.problems {
		if p.soft == "" || p.Severity != Refused {
			kept = append(kept, p)
			continue
		}
		if !excused[p.file] {
			excused[p.file] = true
			f.leave(p.soft, "", p.file)
		}
	}
	f.problems = kept
}

// likeness is what makes two problems one. The zero value is like nothing.
type likeness struct {
	path     string
	model    reflect.Type // the type whose fields a hint may be taken from
	severity Severity
}

// gatherProblems joins problems of the same likeness into the first of them.
func gatherProblems(all []Problem) []Problem {
	var list []Problem
	first := map[likeness]int{}
	for _, p := range all {
		key := p.like
		if key == (likeness{}) {
			list = append(list, p)
			continue
		}
		key.severity = p.Severity
		at, seen := first[key]
		if seen {
			list[at].More++
			continue
		}
		first[key] = len(list)
		if p.Right == "" && key.model != nil {
			p.Right = diagnose.NearField(key.model, key.path)
		}
		list = append(list, p)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Severity < list[j].Severity })
	return list
}

// gatherLeft sums by what and why, most first.
func gatherLeft(all []LeftOut) []LeftOut {
	var list []LeftOut
	type left struct {
		what string
		why  phrase.Text
	}
	at := map[left]int{}
	for _, l := range all {
		key := left{l.What, l.Why}
		i, seen := at[key]
		if !seen {
			at[key] = len(list)
			list = append(list, l)
			continue
		}
		list[i].Count += l.Count
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Count != list[j].Count {
			return list[i].Count > list[j].Count
		}
		return list[i].What < list[j].What
	})
	return list
}

// place is where an item lies, spelt out only when a sentence needs it.
type place struct {
	file  *file
	line  int
	index int // in its list, from 1; -1 outside lists
	yaml  bool
	inner bool // an element of a list that was parsed in one piece
}

// source is the place as an Object carries it.
func (p place) source(object string) string {
	switch {
	case p.inner:
		return fmt.Sprintf("%s item %d (%s)", p.file.path, p.index, object)
	case p.yaml:
		return fmt.Sprintf("%s line %d", p.file.path, p.line)
	case p.index > 0:
		return fmt.Sprintf("%s item %d (%s)", p.file.path, p.index, object)
	case p.line > 1:
		return fmt.Sprintf("%s line %d", p.file.path, p.line)
	}
	return p.file.path
}

// at is the place of a line further down, as a Problem carries it.
func (p place) at(lines int) string {
	if p.inner && lines == 0 {
		return fmt.Sprintf("%s item %d", p.file.path, p.index)
	}
	return fmt.Sprintf("%s line %d", p.file.path, p.line+lines)
}
