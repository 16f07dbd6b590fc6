package lesson

import (
	"errors"
	"fmt"
	"slices"
)

// problems is what is wrong with a course, in the order in which it was found.
type problems struct{ all []error }

// add notes what is wrong at a line of a file, once even if it is found in every language; line 0: of the file as a
// whole.
func (p *problems) add(file string, line int, format string, args ...any) {
	where := file
	if line > 0 {
		where = fmt.Sprintf("%s line %d", file, line)
	}
	err := fmt.Errorf("%s: %w", where, fmt.Errorf(format, args...))
	same := func(other error) bool { return other.Error() == err.Error() }
	if !slices.ContainsFunc(p.all, same) {
		p.all = append(p.all, err)
	}
}

func (p *problems) err() error {
	if len(p.all) == 0 {
		return nil
	}
	return Mistakes(p.all)
}

// Mistakes is what is wrong with lessons: a sentence each, with file and line.
type Mistakes []error

// Error is all of them, one a line.
func (m Mistakes) Error() string { return errors.Join(m...).Error() }
