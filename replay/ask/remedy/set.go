package remedy

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
	"strings"
)

// Set is changes that are carried out together. The zero value has none.
type Set struct {
	Changes []Change
	Cost    int    // of all
	Key     string // the same for the same changes in another order
}

// With is the set with one more change.
func (s *Set) With(c Change) *Set {
	changes := append(slices.Clip(slices.Clone(s.Changes)), c)
	lines := make([]string, len(changes))
	for i := range changes {
		lines[i] = changes[i].Line
	}
	slices.Sort(lines)
	return &Set{changes, s.Cost + c.Cost, strings.Join(lines, "\n")}
}

// AsksMore reports whether a set holds all of some other changes, or more of the same.
func (s *Set) AsksMore(others []Change) bool {
	return !slices.ContainsFunc(others, func(c Change) bool {
		return !slices.ContainsFunc(s.Changes, func(o Change) bool { return o.About() == c.About() && o.Cost >= c.Cost })
	})
}

// About is what a change is about, whatever the amount, and whichever of the pods of a workload it was found for.
func (c *Change) About() string {
	switch c.Kind {
	case Request:
		return "request " + c.Template[0].Path
	case AddNode, AddSeveral:
		return "node " + c.Like()
	case Tolerate:
		return "tolerate" + c.Line[strings.LastIndex(c.Line, " "):]
	case Prioritize:
		return "priority"
	case ScaleDown:
		return c.Line[:strings.LastIndex(c.Line, " ")]
	case RaiseSkew:
		key, _, _ := strings.Cut(c.Line[strings.LastIndex(c.Line, " ")+1:], "=")
		return skewOf + key
	}
	if len(c.Template) == 0 {
		return c.Line
	}
	fields := strings.Fields(c.Line) // a verb, the pod, and what it is about
	return c.Kind.String() + " " + strings.Join(fields[min(2, len(fields)):], " ")
}

const skewOf = "skew "

// Like is the node that new ones are like.
func (c *Change) Like() string {
	_, like, _ := strings.Cut(c.Line, " like ")
	like, _, _ = strings.Cut(like, ";")
	return like
}

// Skew is the topology key whose spread is to be less even; "" of another change.
func (c *Change) Skew() string {
	key, is := strings.CutPrefix(c.About(), skewOf)
	if !is {
		return ""
	}
	return key
}

// Parts are the sets of some of the changes, not of all and not of none.
func (s *Set) Parts() iter.Seq[*Set] {
	return func(yield func(*Set) bool) {
		for mask := 1; mask < 1<<len(s.Changes)-1; mask++ {
			part := &Set{}
			for i, c := range s.Changes {
				if mask&(1<<i) != 0 {
					part = part.With(c)
				}
			}
			if !yield(part) {
				return
			}
		}
	}
}

// Frontier is the sets that a search looks at next: the cheapest first, then by the number of changes and by their
// names. Each is in it once. The zero value is empty.
type Frontier struct {
	sets sets
	seen map[string]bool
}

// Add puts a set in line, unless it was there before.
func (f *Frontier) Add(s *Set) {
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	if !f.seen[s.Key] {
		f.seen[s.Key] = true
		heap.Push(&f.sets, s)
	}
}

// Next takes the first set off; there has to be one.
func (f *Frontier) Next() *Set { return heap.Pop(&f.sets).(*Set) }

// Len is how many sets are in line.
func (f *Frontier) Len() int { return len(f.sets) }

// sets are a heap.
type sets []*Set

func (s sets) Len() int      { return len(s) }
func (s sets) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s sets) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(s[i].Cost, s[j].Cost), cmp.Compare(len(s[i].Changes), len(s[j].Changes)),
		cmp.Compare(s[i].Key, s[j].Key)) < 0
}

// Push adds a set.
func (s *sets) Push(one any) { *s = append(*s, one.(*Set)) }

// Pop takes the last one off.
func (s *sets) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
