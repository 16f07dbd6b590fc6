package scenario

import (
	"errors"
	"fmt"
)

// problems are the sentences about one file, each with its line.
type problems struct {
	name string
	all  []error
}

func (p *problems) add(line int, what string) {
	p.all = append(p.all, fmt.Errorf("%s line %d: %s", p.name, line, what))
}

// err joins everything that was found; nil when nothing was.
func (p *problems) err() error { return errors.Join(p.all...) }

// meant is ` (did you mean "x"?)` for the known word nearest to the given one, or nothing when none is near.
func meant(given string, known []string) string {
	best, distance := "", len(given)/2+1
	for _, word := range known {
		if d := edits(given, word); d < distance {
			best, distance = word, d
		}
	}
	if best == "" || distance > 3 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// edits is the number of letters to insert, drop or replace to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
