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
