// Package config turns a KubeSchedulerConfiguration into framework.Profiles: it decodes, defaults, validates and
// expands exactly as one release of kube-scheduler does, and refuses with a sentence what kube-scheduler would refuse
// or this build cannot run. It reads no files, runs no plugin, and knows no clock.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Config is what a scheduler is made from. It is read only.
type Config struct {
	// Profiles are in the order of the file; the names are unique and there is at least one.
	Profiles []*framework.Profile
	// Expanded lists for each of Profiles, under the same index, the plugins at each extension point.
	Expanded []Expansion
	// InitialBackoff is how long a pod waits after its first failed attempt.
	InitialBackoff time.Duration
	// MaxBackoff is never below InitialBackoff.
	MaxBackoff time.Duration
	// Extenders are in the order in which they are called, those whose failures are ignored last: as Extenders of every
	// profile, which have no Line before Connected gives them one.
	Extenders []configv1.Extender
	// ExtenderNames are what facts, messages and recordings call Extenders, under the same index.
	ExtenderNames []string
	// Gates are the feature gates it was made with.
	Gates Gates
	// Groups: the pods of a PodGroup wait, and are tried, as one entity; in every profile, for they share one queue.
	Groups bool
	// Warnings are sentences about what kube-scheduler accepts and is probably a mistake, in the order of the file.
	Warnings []phrase.Text
}

// Options are what decides beside a configuration file. The zero value adds nothing.
type Options struct {
	Gates      Gates
	Provider   string // of the default plugins, as release.Release.Provider knows it; "": the release's own
	Percentage *int32 // of nodes to score, in place of the file's value for any profile; nil: the file's
	// Plugins may be named by the file like those of kube-scheduler. They are as CheckPlugins wants them.
	Plugins []Plugin
}

// For is the same for another release, by its version. It refuses a version that this build does not have, and gates
// that the release does not know.
func (o Options) For(version string) (Options, error) {
	of, known := release.Find(version)
	if !known {
		return Options{}, phrase.Errorf(
			"there is no kube-scheduler %q in this build (one of %s)", version, strings.Join(release.Versions(), ", "),
		)
	}
	gates, err := ParseGatesOf(of, o.Gates.String())
	o.Gates = gates
	return o, err
}

// LoadOr is LoadWith, or DefaultWith where there is no configuration to read.
func LoadOr(data []byte, source string, o Options) (*Config, error) {
	if data == nil {
		return DefaultWith(o), nil
	}
	return LoadWith(data, source, o)
}

// Default is the newest kube-scheduler without a configuration file and with its default feature gates.
func Default() *Config { return DefaultWith(Options{}) }

// DefaultWith is the release of the gates without a configuration file.
func DefaultWith(o Options) *Config {
	c, err := build(&configuration{document: new(configv1.KubeSchedulerConfiguration)}, o)
	if err != nil {
		panic(fmt.Sprintf("the default configuration is refused: %v", err))
	}
	return c
}

// Load reads a configuration in YAML or JSON. The error joins one sentence for each thing that is wrong, each with
// source, the field's path, and what would be right.
func Load(data []byte, source string) (*Config, error) { return LoadWith(data, source, Options{}) }

// LoadWith is Load for the release of the gates. Feature gates decide about the default set of plugins and about what
// plugins do.
func LoadWith(data []byte, source string, o Options) (*Config, error) {
	given, errs := decode(data, o.Gates, o.Plugins)
	if len(errs) > 0 {
		return nil, refusal(source, errs)
	}
	c, err := build(given, o)
	if err != nil {
		var all reasons
		if errors.As(err, &all) {
			return nil, refusal(source, all)
		}
		return nil, refusal(source, reasons{err})
	}
	c.Warnings = append(given.warnings, c.Warnings...)
	for i, w := range c.Warnings {
		c.Warnings[i] = phrase.Textf("%s: %s", source, w)
	}
	return c, nil
}

// Profile is the one with that schedulerName; false when no profile handles such pods.
func (c *Config) Profile(schedulerName string) (*framework.Profile, bool) {
	for _, p := range c.Profiles {
		if p.SchedulerName == schedulerName {
			return p, true
		}
	}
	return nil, false
}

// Only is the configuration with one profile, for pods of that schedulerName and no other: its own or, when it has none
// of that name, the first, under the name. It is a copy.
func (c *Config) Only(schedulerName string) *Config {
	chosen := 0
	for i, p := range c.Profiles {
		if p.SchedulerName == schedulerName {
			chosen = i
		}
	}
	only, profile := *c, *c.Profiles[chosen]
	profile.SchedulerName = schedulerName
	only.Profiles, only.Expanded = []*framework.Profile{&profile}, c.Expanded[chosen:chosen+1:chosen+1]
	return &only
}

// reasons are everything wrong with one document, in the order of its fields.
type reasons []error

// Error is every reason on its own line.
func (r reasons) Error() string { return errors.Join(r...).Error() }

// Unwrap leads to every reason.
func (r reasons) Unwrap() []error { return r }

// refusal puts the file's name before every reason.
func refusal(source string, all reasons) error {
	named := make([]error, len(all))
	for i, err := range all {
		named[i] = phrase.Errorf("%s: %w", source, err)
	}
	return errors.Join(named...)
}

// build makes a Config of a file, whose document it completes with kube-scheduler's defaults.
func build(given *configuration, o Options) (*Config, error) {
	if err := CheckPlugins(o.Plugins); err != nil {
		return nil, err
	}
	document := given.document
	setDefaults(document)
	profiles := make([]*profile, len(document.Profiles))
	var errs reasons
	g := o.Gates
	known := catalogueOf(g.Release(), o.Plugins).with(given.rows)
	known.provider, _ = g.Release().Provider(cmp.Or(o.Provider, given.provider))
	c := &Config{Gates: g, Groups: g.groups().Together}
	c.Extenders, c.ExtenderNames = inTurn(document.Extenders)
	for i := range document.Profiles {
		p, warnings, wrong := readProfile(profilePath(i), &document.Profiles[i], known, g, given)
		profiles[i] = p
		c.Warnings = append(c.Warnings, warnings...)
		errs = append(errs, wrong...)
	}
	errs = append(errs, validate(document, profiles)...)
	if len(errs) > 0 {
		return nil, errs
	}
	for _, p := range profiles {
		p.ignored = ignoredResources(document.Extenders)
		if o.Percentage != nil {
			p.percentage = o.Percentage
		}
		judged, expansion, wrong := p.expand(*document.PercentageOfNodesToScore)
		errs = append(errs, wrong...)
		if judged != nil {
			judged.Extenders = extendersOf(c.Extenders, c.ExtenderNames)
		}
		c.Profiles = append(c.Profiles, judged)
		c.Expanded = append(c.Expanded, expansion)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	c.InitialBackoff = seconds(*document.PodInitialBackoffSeconds)
	c.MaxBackoff = seconds(*document.PodMaxBackoffSeconds)
	return c, nil
}

// Connected is the configuration with a line for each extender: a copy, for profiles do not change.
// The lines are in the order of Extenders.
func (c *Config) Connected(lines []framework.Line) *Config {
	connected := *c
	connected.Profiles = make([]*framework.Profile, len(c.Profiles))
	for i, p := range c.Profiles {
		of := *p
		of.Extenders = slices.Clone(p.Extenders)
		for k := range of.Extenders {
			of.Extenders[k].Line = lines[k]
		}
		connected.Profiles[i] = &of
	}
	return &connected
}

// seconds is n seconds, or the longest duration there is when they are more.
func seconds(n int64) time.Duration {
	const longest = time.Duration(math.MaxInt64)
	return time.Duration(min(n, int64(longest/time.Second))) * time.Second
}
