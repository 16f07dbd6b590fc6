package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/law"
)

func TestConfigurationsExpandAsInKubeScheduler(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		configuration := generate.Configurations().Draw(t, "configuration")
		if !agree(t, configuration) {
			t.Fatalf("both refuse\n%s", configuration)
		}
	})
}

func TestConfigurationsAreRefusedWhereKubeSchedulerRefusesThem(t *testing.T) {
	accepted, refused := 0, 0
	law.Check(t, func(t *rapid.T) {
		if agree(t, generate.WildConfigurations().Draw(t, "configuration")) {
			accepted++
		} else {
			refused++
		}
	})
	t.Logf("%d accepted, %d refused by both", accepted, refused)
	if accepted < 5 || refused < 5 {
		t.Error("too few of one kind")
	}
}

// agree fails unless both sides refuse a configuration, or both accept it and run the same plugins in the same order
// with the same weights.
func agree(t *rapid.T, configuration []byte) (accepted bool) {
	ours, err := config.Load(configuration, "drawn")
	theirs, refusal := oracle.New(nil, oracle.Options{Configuration: configuration})
	if (err == nil) != (refusal == nil) {
		if theirs != nil {
			theirs.Close()
		}
		t.Fatalf("kube-scheduler: %v\nschedstep: %v\n%s", refusal, err, configuration)
	}
	if err != nil {
		return false
	}
	defer theirs.Close()
	for _, e := range ours.Expanded {
		their := theirs.Expansion(e.SchedulerName)
		for _, asked := range e.Points {
			plugins, known := their[string(asked.Point)]
			if !known && !drawn(asked.Point) {
				continue
			}
			if got, want := sprint(asked.Plugins), sprintTheirs(plugins); got != want {
				t.Fatalf(
					"profile %s, %s:\nkube-scheduler: %s\nschedstep:      %s\n%s", e.SchedulerName, asked.Point, want,
					got, configuration,
				)
			}
		}
	}
	return true
}

// drawn reports whether the point is one of pods, and so compared.
func drawn(p framework.Point) bool {
	return p != framework.PlacementGenerate && p != framework.PlacementScore && p != framework.PodGroupPostFilter
}

func sprint(plugins []config.Enabled) string {
	var words []string
	for _, p := range plugins {
		words = append(words, fmt.Sprintf("%s*%d", p.Name, p.Weight))
	}
	return strings.Join(words, " ")
}

func sprintTheirs(plugins []oracle.Enabled) string {
	var words []string
	for _, p := range plugins {
		words = append(words, fmt.Sprintf("%s*%d", p.Name, p.Weight))
	}
	return strings.Join(words, " ")
}
