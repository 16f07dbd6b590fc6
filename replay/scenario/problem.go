package scenario

import (
	"errors"

	"github.com/schedstep/schedstep/internal/phrase"
)

// problems are the sentences about one file, each with its line.
type problems struct {
	name string
	all  []error
}

func (p *problems) add(line int, what phrase.Text) {
	p.all = append(p.all, phrase.Errorf("%s line %d: %s", p.name, line, what))
}

// err joins everything that was found; nil when nothing was.
func (p *problems) err() error { return errors.Join(p.all...) }
