package host

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
)

// TestPluginsUnderOtherGatesAnswerTheSameWhenHosted plays a few clusters for each setting of a feature gate that is not
// the default, in which it decides something.
func TestPluginsUnderOtherGatesAnswerTheSameWhenHosted(t *testing.T) {
	known := map[string]bool{}
	for _, gate := range oracle.Gates() {
		known[gate.Name] = true
	}
	sum := &compare.Tally{}
	for _, setting := range plays.Settings {
		t.Run(setting.Gates, func(t *testing.T) {
			gates, err := config.ParseGates(setting.Gates)
			if err != nil {
				t.Fatal(err)
			}
			back, err := oracle.SetGates(setting.Theirs(func(gate string) bool { return known[gate] }))
			if err != nil {
				t.Fatal(err)
			}
			defer back()
			tally, found := playHosted(t, 4, func(seed int, _ config.Gates) (compare.Play, error) {
				return setting.Of(seed, gates)
			}, nil)
			for k, d := range found {
				if k == 5 {
					t.Errorf("and %d more", len(found)-k)
					break
				}
				t.Error(d)
			}
			sum.Add(tally)
		})
	}
	t.Logf("%d settings: %d verdicts, %d scores, %d hints, %d cycles", len(plays.Settings), sum.Verdicts(), sum.Scores(),
		sum.Hints(), sum.Cycles)
}
