package compare_test

import (
	"testing"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
)

// elsewhere are the gates that other tests compare: pod groups in conformance/groups, kept scores in batch_test.go.
var elsewhere = map[string]bool{
	"GenericWorkload": true, "TopologyAwareWorkloadScheduling": true, "PodGroupPreemptionPolicy": true,
	"OpportunisticBatching": true,
}

// TestBothSettingsOfAGateAreKubeSchedulers plays clusters under each setting that is not the default, in both.
func TestBothSettingsOfAGateAreKubeSchedulers(t *testing.T) {
	for _, s := range plays.Settings {
		t.Run(s.Gates, func(t *testing.T) {
			gates, err := config.ParseGates(s.Gates)
			if err != nil {
				t.Fatal(err)
			}
			back, err := oracle.SetGates(s.Theirs(func(string) bool { return true }))
			if err != nil {
				t.Fatal(err)
			}
			defer back()
			plays.Compare(t, clusters/5, func(seed int) (compare.Play, error) {
				return s.Of(seed, gates)
			})
		})
	}
}

// TestEveryGateThatIsOfferedIsCompared holds the rows above to the table of the newest release.
func TestEveryGateThatIsOfferedIsCompared(t *testing.T) {
	for _, gate := range release.Newest().Gates {
		if !gate.Offers || elsewhere[gate.Name] {
			continue
		}
		compared := false
		for _, s := range plays.Settings {
			gates, err := config.ParseGates(s.Gates)
			compared = compared || err == nil && gates.On(gate.Name) != gate.On
		}
		if !compared {
			t.Errorf("no row compares %s=%t with kube-scheduler", gate.Name, !gate.On)
		}
	}
}
