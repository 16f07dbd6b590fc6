package releases_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
)

// plant is one thing of a table, changed.
type plant struct {
	what   string
	change func(*release.Release)
}

// plants are changes to every plugin that is in the default set whatever the gates: the plugin is left out, its weight
// is one more, or it changes places with the next filter, where that is always in the set too.
func plants(table *release.Release) []plant {
	var all []plant
	for i := range table.Plugins {
		p := &table.Plugins[i]
		if p.In != release.Always || p.At(framework.QueueSort) || p.At(framework.Bind) {
			continue
		}
		all = append(all, plant{p.Name + " is left out", func(r *release.Release) { r.Plugins[i].In = release.Never }})
		if p.Weight > 0 {
			all = append(all, plant{p.Name + " counts more", func(r *release.Release) { r.Plugins[i].Weight++ }})
		}
		if next := i + 1; p.At(framework.Filter) && next < len(table.Plugins) &&
			table.Plugins[next].In == release.Always && table.Plugins[next].At(framework.Filter) {
			all = append(all, plant{
				fmt.Sprintf("%s comes after %s", p.Name, table.Plugins[next].Name),
				func(r *release.Release) { r.Plugins[i], r.Plugins[next] = r.Plugins[next], r.Plugins[i] },
			})
		}
	}
	return all
}

// TestAChangeOfATableIsFoundOut plants one change after the other in the table of a release, and plays until its
// kube-scheduler disagrees.
func TestAChangeOfATableIsFoundOut(t *testing.T) {
	const seeds = 60
	for _, version := range asked() {
		t.Run(version, func(t *testing.T) {
			o := begun(t, version)
			if o.disagrees(t, 0, o.gates) {
				t.Fatal("they disagree without a change")
			}
			for _, p := range plants(o.release) {
				changed := *o.release
				changed.Plugins = slices.Clone(changed.Plugins)
				p.change(&changed)
				gates := gatesOf(t, &changed)
				seed := 0
				for seed < seeds && !o.disagrees(t, seed, gates) {
					seed++
				}
				if seed == seeds {
					t.Errorf("%s, and nobody notices in %d clusters of each kind", p.what, seeds)
				} else {
					t.Logf("%s: noticed in seed %d", p.what, seed)
				}
			}
		})
	}
}

// disagrees plays a seed of each kind with a table of ours that is not that of the release.
func (o *other) disagrees(t *testing.T, seed int, gates config.Gates) bool {
	t.Helper()
	for _, d := range draws {
		play, err := o.draw(d.draw)(seed)
		if err != nil {
			t.Fatal(err)
		}
		play.Gates = gates
		differences, err := play.Run(&compare.Tally{})
		if err != nil {
			t.Fatal(err)
		}
		if len(differences) > 0 {
			return true
		}
	}
	return false
}
