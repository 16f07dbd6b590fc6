package lesson

import (
	"errors"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// problems is what is wrong with a course, in the order in which it was found.
type problems struct{ all []error }

// at is a line of a file, for Errorf to report what is wrong there; line 0: the file as a whole.
func (p *problems) at(file string, line int) spot { return spot{p, file, line} }

// spot is where something is wrong.
type spot struct {
	all  *problems
	file string
	line int
}

// Errorf notes what is wrong there, once even if it is found in every language.
func (s spot) Errorf(format string, args ...any) {
	err := phrase.Errorf("%s: %w", s.file, phrase.Errorf(format, args...))
	if s.line > 0 {
		err = phrase.Errorf("%s line %d: %w", s.file, s.line, phrase.Errorf(format, args...))
	}
	same := func(other error) bool { return other.Error() == err.Error() }
	if !slices.ContainsFunc(s.all.all, same) {
		s.all.all = append(s.all.all, err)
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
