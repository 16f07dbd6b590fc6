package play

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Declared is a scheduler beside the first, as a scenario or the header of a recording declares it.
type Declared struct {
	// Name is the schedulerName of the pods it places.
	Name string `json:"name"`
	// Release of kube-scheduler, such as "1.36"; empty: the newest.
	Release string `json:"release,omitempty"`
	// Gates are feature gates as config.ParseGatesOf reads them; empty: the defaults of the release.
	Gates string `json:"featureGates,omitempty"`
	// Config is the text of a KubeSchedulerConfiguration; empty: the default. Of several profiles the one of that name
	// counts, else the first.
	Config string `json:"config,omitempty"`
}

// Load is its configuration, with one profile of its name. Its config may name the given plugins.
func (d *Declared) Load(plugins []config.Plugin) (*config.Config, error) {
	decides := release.Newest()
	if d.Release != "" {
		found, known := release.Find(d.Release)
		if !known {
			return nil, phrase.Errorf("scheduler %s: release %s: this build has the scheduler of %s", d.Name, d.Release,
				strings.Join(release.Versions(), ", "))
		}
		decides = found
	}
	gates, err := config.ParseGatesOf(decides, d.Gates)
	if err != nil {
		return nil, phrase.Errorf("scheduler %s: %w", d.Name, err)
	}
	decided := config.Options{Gates: gates, Plugins: plugins}
	c := config.DefaultWith(decided)
	if d.Config != "" {
		if c, err = config.LoadWith([]byte(d.Config), "scheduler "+d.Name, decided); err != nil {
			return nil, err
		}
	}
	if len(c.Extenders) > 0 {
		return nil, phrase.Errorf("scheduler %s: only the first scheduler can have extenders", d.Name)
	}
	return c.Only(d.Name), nil
}

// NewScheduler is a scheduler of an empty cluster with a configuration.
func NewScheduler(c *config.Config, start time.Time, seed uint64, d trace.Detail) *core.Scheduler {
	return core.New(OptionsOf(c, start, seed, d))
}

// OptionsOf are what a scheduler with a configuration is made with.
func OptionsOf(c *config.Config, start time.Time, seed uint64, d trace.Detail) core.Options {
	return core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Groups: c.Groups,
		Start: start, Seed: seed, Detail: d,
	}
}
