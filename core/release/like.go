package release

import (
	"slices"
	"strings"
)

// like is the table of a release beside another, most often the one before it: a copy, in which change makes the
// differences. Nothing has compared it yet.
func like(other *Release, change func(*Release)) *Release {
	r := *other
	r.Gates, r.Plugins = slices.Clone(other.Gates), slices.Clone(other.Plugins)
	r.Compared = ""
	change(&r)
	slices.SortFunc(r.Gates, func(a, b Gate) int { return strings.Compare(a.Name, b.Name) })
	return &r
}

// gate adds a feature gate, or replaces the one of that name.
func (r *Release) gate(g Gate) {
	if i := slices.IndexFunc(r.Gates, func(own Gate) bool { return own.Name == g.Name }); i >= 0 {
		r.Gates[i] = g
		return
	}
	r.Gates = append(r.Gates, g)
}

// gates adds feature gates of which this build has one setting only, as gate does.
func (r *Release) gates(on bool, names ...string) {
	for _, name := range names {
		r.gate(Gate{Name: name, On: on})
	}
}

// offer adds feature gates of which this build has both settings, as gate does.
func (r *Release) offer(on bool, names ...string) {
	for _, name := range names {
		r.gate(Gate{Name: name, On: on, Offers: true})
	}
}

// oneSetting stops offering feature gates: both of their settings were compared with later releases alone.
func (r *Release) oneSetting(names ...string) {
	for _, name := range names {
		if i := slices.IndexFunc(r.Gates, func(own Gate) bool { return own.Name == name }); i >= 0 {
			r.Gates[i].Offers = false
		}
	}
}

// notYet takes feature gates out that came with a later release.
func (r *Release) notYet(gates ...string) {
	for _, name := range gates {
		r.Gates = slices.DeleteFunc(r.Gates, func(g Gate) bool { return g.Name == name })
	}
}

// plugin is where a plugin is in the table; -1: nowhere.
func (r *Release) plugin(name string) int {
	return slices.IndexFunc(r.Plugins, func(p Plugin) bool { return p.Name == name })
}

// replace changes the row of a plugin.
func (r *Release) replace(p Plugin) { r.Plugins[r.plugin(p.Name)] = p }

// without takes plugins out that came with a later release.
func (r *Release) without(plugins ...string) {
	for _, name := range plugins {
		r.Plugins = slices.DeleteFunc(r.Plugins, func(p Plugin) bool { return p.Name == name })
	}
}

// swap exchanges the places of two plugins.
func (r *Release) swap(a, b string) {
	i, k := r.plugin(a), r.plugin(b)
	r.Plugins[i], r.Plugins[k] = r.Plugins[k], r.Plugins[i]
}
