package config

import (
	"slices"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

// catalogue is every plugin that a configuration may name.
type catalogue struct {
	release  *release.Release
	provider *release.Provider // of the default set; nil: the release's own
	rows     []row             // in the order of the release; plugins from outside come last
}

// row is one plugin of a catalogue.
type row struct {
	release.Plugin
	make    func(*arguments) (framework.Plugin, error) // nil: this build knows the plugin and does not judge with it
	outside *Plugin                                    // nil: a plugin of kube-scheduler
}

// catalogueOf lists the plugins of a release, then those from outside.
func catalogueOf(r *release.Release, outside []Plugin) *catalogue {
	c := &catalogue{release: r}
	for _, p := range r.Plugins {
		c.rows = append(c.rows, row{Plugin: p, make: makerOf(p.Name)})
	}
	for i := range outside {
		c.rows = append(c.rows, outside[i].row())
	}
	return c
}

// with has rows besides; one whose name is known takes the place of what it was.
func (c *catalogue) with(rows []row) *catalogue {
	for _, r := range rows {
		if i := slices.IndexFunc(c.rows, func(own row) bool { return own.Name == r.Name }); i >= 0 {
			c.rows[i] = r
			continue
		}
		c.rows = append(c.rows, r)
	}
	return c
}

// copy is the catalogue with rows of its own.
func (c *catalogue) copy() *catalogue {
	own := *c
	own.rows = slices.Clone(c.rows)
	return &own
}

// find finds a plugin by its name.
func (c *catalogue) find(name string) (*row, bool) {
	i := slices.IndexFunc(c.rows, func(r row) bool { return r.Name == name })
	if i < 0 {
		return nil, false
	}
	return &c.rows[i], true
}

// weight is what a plugin's scores count for when a configuration enables it without a weight.
func (r *row) weight() int32 {
	if r.outside != nil && r.outside.Weight != 0 {
		return r.outside.Weight
	}
	return 1
}

// asker is what decides at which extension points a plugin runs.
func (r *row) asker() string {
	if r.outside != nil {
		return "its type has it asked"
	}
	return "kube-scheduler asks it"
}
