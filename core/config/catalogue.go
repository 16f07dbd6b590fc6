package config

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

// catalogue is every plugin that a configuration may name.
type catalogue struct {
	release *release.Release
	rows    []row // in the order of the release
}

// row is one plugin of a catalogue.
type row struct {
	release.Plugin
	make func(*arguments) (framework.Plugin, error) // nil: this build knows the plugin and does not judge with it
}

// catalogueOf lists the plugins of a release.
func catalogueOf(r *release.Release) *catalogue {
	c := &catalogue{release: r}
	for _, p := range r.Plugins {
		c.rows = append(c.rows, row{Plugin: p, make: makers[p.Name]})
	}
	return c
}

// find finds a plugin by its name.
func (c *catalogue) find(name string) (*row, bool) {
	i := slices.IndexFunc(c.rows, func(r row) bool { return r.Name == name })
	if i < 0 {
		return nil, false
	}
	return &c.rows[i], true
}
