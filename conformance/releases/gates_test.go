package releases_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
)

// TestBothSettingsOfAGateAreTheReleases plays clusters under each setting that the table of a release offers beside its
// default, in both.
func TestBothSettingsOfAGateAreTheReleases(t *testing.T) {
	for _, version := range asked() {
		t.Run(version, func(t *testing.T) {
			o := begun(t, version)
			features, err := o.program.Features()
			if err != nil {
				t.Fatal(err)
			}
			knows := func(name string) bool {
				return slices.ContainsFunc(features, func(g oracle.Gate) bool { return g.Name == name })
			}
			for _, s := range plays.Settings {
				if gates, err := config.ParseGatesOf(o.release, s.Gates); err == nil && o.changes(s) {
					t.Run(s.Gates, func(t *testing.T) { o.underGates(t, s, gates, s.Theirs(knows)) })
				}
			}
		})
	}
}

// changes reports whether a setting is not the default of the release.
func (o *other) changes(s plays.Setting) bool {
	for _, setting := range strings.Split(s.Gates, ",") {
		name, on, _ := strings.Cut(setting, "=")
		if o.gates.On(name) != (on == "true") {
			return true
		}
	}
	return false
}

func (o *other) underGates(t *testing.T, s plays.Setting, gates config.Gates, theirs string) {
	plays.Compare(t, clusters/5, func(seed int) (compare.Play, error) {
		play, err := s.Of(seed, gates)
		if err != nil {
			return play, err
		}
		play.Theirs = func(configuration []byte) (compare.KubeScheduler, error) {
			return o.program.Begin(configuration, theirs)
		}
		play.Script, _, err = compare.Known(o.program, play.Script)
		return play, err
	})
}
