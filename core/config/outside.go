package config

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Plugin is a plugin that kube-scheduler does not have, ready to be named in configurations. NewPlugin makes it.
type Plugin struct {
	// Weight is what its scores count for where a configuration enables it and gives no weight; 0: 1, as for a plugin of
	// kube-scheduler.
	Weight int32

	name   string
	points []framework.Point
	make   func(at *field.Path, args []byte) (framework.Plugin, reasons)
	meet   func(args []byte, profile string) (framework.Plugin, []framework.Point, error) // of NewGuest, in place of make
}

// NewGuest registers a plugin whose extension points are known when it is made, and not from its type.
//
// For each profile that enables the plugin, create is called once, with the args of the profile's pluginConfig as JSON
// (nil: there are none) and the profile's name. It returns the plugin, which implements the interfaces of the extension
// points that it returns too. Its error is shown to the user with the place of the args.
func NewGuest(
	name string, create func(args []byte, profile string) (framework.Plugin, []framework.Point, error),
) Plugin {
	return Plugin{name: name, meet: create}
}

// NewPlugin registers a plugin under the name by which configurations know it and its facts call it. The extension
// points are those whose interfaces P implements; P is the plugin's own type.
//
// For each profile that enables the plugin, create is called once. The args of the profile's pluginConfig are decoded
// into A as JSON; a field that A does not have is refused. Without pluginConfig, A is zero. What create finds wrong is
// shown to the user with its path in the configuration, which begins with at.
func NewPlugin[A any, P framework.Plugin](
	name string, create func(args A, at *field.Path) (P, field.ErrorList),
) Plugin {
	var none P
	return Plugin{
		name: name, points: pointsOf(none),
		make: func(at *field.Path, raw []byte) (framework.Plugin, reasons) {
			var args A
			if len(raw) > 0 {
				if errs := ownArgs(at, raw, &args); len(errs) > 0 {
					return nil, errs
				}
			}
			made, wrong := create(args, at)
			if len(wrong) > 0 {
				return nil, list(wrong)
			}
			if made.Name() != name {
				return nil, reasons{phrase.Errorf("plugin %s calls itself %s", name, made.Name())}
			}
			return made, nil
		},
	}
}

// Name is how configurations call the plugin.
func (p *Plugin) Name() string { return p.name }

// HaveGuests reports whether plugins were not written for schedstep: they may read objects of any kind.
func HaveGuests(plugins []Plugin) bool {
	return slices.ContainsFunc(plugins, func(p Plugin) bool { return p.meet != nil })
}

// Reads are the custom resources that the plugins read, in order, each once. Plugins that cannot be made without args
// name none.
func Reads(plugins []Plugin) []string {
	var all []string
	for i := range plugins {
		if plugins[i].meet == nil {
			continue
		}
		if made, _, err := plugins[i].meet(nil, "default-scheduler"); err == nil {
			all = append(all, readsOf(made)...)
		}
	}
	return sorted(all)
}

// Reads are the custom resources that the plugins of the configuration read, in order, each once.
func (c *Config) Reads() []string {
	var all []string
	for _, p := range c.Profiles {
		for _, g := range p.Guests() {
			all = append(all, readsOf(g)...)
		}
	}
	return sorted(all)
}

func readsOf(p framework.Plugin) []string {
	if r, is := p.(framework.Reader); is {
		return r.Reads()
	}
	return nil
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// Meet returns the extension points of the plugin. One of NewGuest is made for that, without args; its error is why it
// could not be.
func (p *Plugin) Meet() ([]framework.Point, error) {
	if p.meet == nil {
		return p.points, nil
	}
	_, points, err := p.meet(nil, "default-scheduler")
	return points, err
}

// ownArgs decodes args strictly. kube-scheduler wants an apiVersion and a kind in some of them, so they are let pass.
func ownArgs[A any](at *field.Path, raw []byte, into *A) reasons {
	strict, err := kjson.UnmarshalStrict(raw, into)
	if err != nil {
		return reasons{typeReason(at, err)}
	}
	strict = slices.DeleteFunc(strict, func(err error) bool {
		var unknown kjson.FieldError
		return errors.As(err, &unknown) && slices.Contains([]string{"apiVersion", "kind"}, unknown.FieldPath())
	})
	return unknownFields(at, strict)
}

// pointsOf are the extension points whose interfaces a plugin implements, in the order a pod meets them.
func pointsOf(p framework.Plugin) []framework.Point {
	var points []framework.Point
	add := func(is bool, at ...framework.Point) {
		if is {
			points = append(points, at...)
		}
	}
	add(isA[framework.PreEnqueuePlugin](p), framework.PreEnqueue)
	add(isA[sorter](p), framework.QueueSort)
	_, filters := framework.FilterOf(p)
	add(isA[framework.FilterPlugin](p), framework.PreFilter)
	add(filters, framework.Filter)
	add(isA[framework.PostFilterPlugin](p), framework.PostFilter)
	_, scores := framework.ScoreOf(p)
	add(isA[framework.ScorePlugin](p), framework.PreScore)
	add(scores, framework.Score)
	add(isA[framework.ReservePlugin](p), framework.Reserve)
	add(isA[framework.PermitPlugin](p), framework.Permit)
	add(isA[framework.PreBindPlugin](p), framework.PreBind)
	add(isA[framework.BindPlugin](p), framework.Bind)
	add(isA[framework.PostBindPlugin](p), framework.PostBind)
	add(isA[framework.PlacementGeneratePlugin](p), framework.PlacementGenerate)
	add(isA[framework.PlacementScorePlugin](p), framework.PlacementScore)
	add(isA[framework.PodGroupPostFilterPlugin](p), framework.PodGroupPostFilter)
	return points
}

func isA[T framework.Plugin](p framework.Plugin) bool {
	_, is := p.(T)
	return is
}

// CheckPlugins returns what is wrong with a list of plugins: a name that some release of kube-scheduler has, a name
// that is there twice or is none, a plugin that implements no extension point.
func CheckPlugins(plugins []Plugin) error {
	var errs reasons
	for i, p := range plugins {
		if wrong := p.wrong(plugins[:i]); wrong != "" {
			errs = append(errs, phrase.Errorf("plugin %q: %s", p.name, wrong))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

func (p *Plugin) wrong(earlier []Plugin) string {
	for _, version := range release.Versions() {
		r, _ := release.Find(version)
		if slices.ContainsFunc(r.Plugins, func(own release.Plugin) bool { return own.Name == p.name }) {
			return "kube-scheduler " + version + " has a plugin of its own with this name; choose another"
		}
	}
	switch {
	case p.make == nil && p.meet == nil:
		return "it was not made by NewPlugin"
	case p.name == "" || p.name == everything || strings.ContainsAny(p.name, " \t\n"):
		return "this is no name for a plugin (try one like NodeResourcesFit)"
	case slices.ContainsFunc(earlier, func(other Plugin) bool { return other.name == p.name }):
		return "it is registered twice"
	case p.meet == nil && len(p.points) == 0:
		return "its type implements no extension point (see core/framework; give NewPlugin a function that returns the " +
			"type itself and no interface)"
	}
	return ""
}

// row is the plugin in a catalogue: in no default set.
func (p *Plugin) row() row {
	return row{Plugin: release.Plugin{Name: p.name, Points: p.points, In: release.Never}, outside: p}
}

// meetGuests makes the plugins of NewGuest that the profile enables, and lists them at the extension points that they
// have.
func (p *profile) meetGuests() reasons {
	var errs reasons
	for i := range p.known.rows {
		r := &p.known.rows[i]
		if r.outside == nil || r.outside.meet == nil || !p.enables(r.Name) {
			continue
		}
		var args []byte
		if text := p.rawArgs[r.Name]; len(text) > 0 {
			args = []byte(text)
		}
		plugin, points, err := r.outside.meet(args, p.name)
		if err != nil {
			at, given := p.places[r.Name]
			if !given {
				at = p.at.Child("pluginConfig").Key(r.Name)
			}
			errs = append(errs, phrase.Errorf("%s: plugin %q: %w", at.Child("args"), r.Name, err))
			continue
		}
		if p.guests == nil {
			p.guests, p.known = map[string]framework.Plugin{}, p.known.copy()
			r = &p.known.rows[i]
		}
		p.guests[r.Name], r.Points = plugin, points
	}
	return errs
}

// makeOutside makes a plugin for the profile, by the args given in pluginConfig.
func (p *profile) makeOutside(from *Plugin) (framework.Plugin, reasons) {
	if from.meet != nil {
		return p.guests[from.name], nil
	}
	at, given := p.places[from.name]
	if !given {
		return from.make(p.at.Child("pluginConfig").Key(from.name).Child("args"), nil)
	}
	return from.make(at.Child("args"), []byte(p.rawArgs[from.name]))
}
