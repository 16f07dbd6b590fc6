package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	configv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
)

// Factory makes a plugin, as in the registry of kube-scheduler's framework.
type Factory = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error)

// silence drops what plugins write to kube-scheduler's log: it would come between the lines of the screen.
var silence = sync.OnceFunc(func() { klog.SetLogger(logr.Discard()) })

// Plugin is a plugin that was written for kube-scheduler's framework, ready to be named in configurations.
func Plugin(name string, create Factory) config.Plugin {
	silence()
	return config.NewGuest(name, func(args []byte, profile string) (framework.Plugin, []framework.Point, error) {
		g := &guest{name: name, profile: profile, create: create}
		var err error
		if g.args, err = decodeArgs(name, args); err != nil {
			return nil, nil, err
		}
		return g.meet()
	})
}

// decodeArgs are the args as kube-scheduler decodes them: by the type <name>Args where the plugin's module has
// registered one, else as they are.
func decodeArgs(name string, raw []byte) (runtime.Object, error) {
	gvk := configVersion.WithKind(name + "Args")
	if !scheme.Scheme.Recognizes(gvk) {
		if raw == nil {
			return nil, nil
		}
		return &runtime.Unknown{Raw: raw, ContentType: runtime.ContentTypeJSON}, nil
	}
	if raw == nil {
		raw = []byte("{}")
	}
	args, is, err := scheme.Codecs.UniversalDecoder().Decode(raw, &gvk, nil)
	if err != nil {
		return nil, fmt.Errorf("decoding args: %w", err)
	}
	if is.GroupKind() != gvk.GroupKind() {
		return nil, fmt.Errorf("args for plugin %s were not of type %s, got %s", name, gvk.GroupKind(), is.GroupKind())
	}
	// kube-scheduler converts args by another scheme than it decodes them by, and refuses those that it lacks.
	if _, _, err := configv1.GetPluginArgConversionScheme().ObjectKinds(args); err != nil {
		return nil, fmt.Errorf("converting args into their internal type: %w (a module registers it with the SchemeBuilders of "+
			"k8s.io/kube-scheduler/config/v1 and k8s.io/kubernetes/pkg/scheduler/apis/config)", err)
	}
	return args, nil
}

// guest is a plugin as one profile configures it. It holds nothing that changes: what the plugin remembers is in the
// instance of a home.
type guest struct {
	name    string
	profile string
	create  Factory
	args    runtime.Object

	// of the plugin that the factory makes
	points    []framework.Point
	preFilter bool // it studies pods, so that Filter may depend on what it found
	extended  bool // it takes pods that come and go into account
	preScore  bool
	normal    bool // it normalises its scores
	evens     bool // it normalises its scores of placements
	gathers   bool // it decides whether a group can get what it needs
	signs     bool
	reasons   bool                // it returns what its scores rest on
	sorts     fwk.QueueSortPlugin // nil: it does not sort
	events    []fwk.ClusterEvent  // that it waits for
	wakes     bool                // it lists its events
	reads     []string            // the custom resources that it reads, in order
}

// hosted is a guest of a home of this package.
type hosted interface {
	framework.Guest
	blueprint() *guest
}

// meet makes the plugin once, in an empty cluster, to learn what it is.
func (g *guest) meet() (framework.Plugin, []framework.Point, error) {
	h := &home{
		around: nowhere{cluster.NewState()}, guests: []*guest{g}, infos: newInfos(), notes: &notes{}, patience: patience,
		heed: &heed{},
	}
	i, err := newInstance(h)
	if err != nil {
		return nil, nil, err
	}
	defer i.close()
	p := i.plugins[g].Plugin
	if p.Name() != g.name {
		return nil, nil, fmt.Errorf("it is registered as %q and calls itself %q", g.name, p.Name())
	}
	g.learn(p, i.plugins[g].events)
	g.reads = slices.Sorted(maps.Keys(i.objects.wanted))
	if len(g.points) == 0 {
		return nil, nil, errors.New("it implements no extension point that is hosted")
	}
	return g.adapter(), g.points, nil
}

// learn is what a plugin implements.
func (g *guest) learn(p fwk.Plugin, events []fwk.ClusterEventWithHint) {
	add := func(is bool, point framework.Point) {
		if is {
			g.points = append(g.points, point)
		}
	}
	add(is[fwk.PreEnqueuePlugin](p), framework.PreEnqueue)
	g.sorts, _ = p.(fwk.QueueSortPlugin)
	add(g.sorts != nil, framework.QueueSort)
	pre, studies := p.(fwk.PreFilterPlugin)
	add(studies, framework.PreFilter)
	g.preFilter = studies
	g.extended = studies && pre.PreFilterExtensions() != nil
	add(is[fwk.FilterPlugin](p), framework.Filter)
	add(is[fwk.PostFilterPlugin](p), framework.PostFilter)
	g.preScore = is[fwk.PreScorePlugin](p)
	add(g.preScore, framework.PreScore)
	score, scores := p.(fwk.ScorePlugin)
	add(scores, framework.Score)
	_, g.reasons = p.(scoreExplainer)
	g.normal = scores && score.ScoreExtensions() != nil
	add(is[fwk.ReservePlugin](p), framework.Reserve)
	add(is[fwk.PermitPlugin](p), framework.Permit)
	add(is[fwk.PreBindPlugin](p), framework.PreBind)
	add(is[fwk.BindPlugin](p), framework.Bind)
	add(is[fwk.PostBindPlugin](p), framework.PostBind)
	g.signs = is[fwk.SignPlugin](p)
	add(is[fwk.PlacementGeneratePlugin](p), framework.PlacementGenerate)
	placements, compares := p.(fwk.PlacementScorePlugin)
	add(compares, framework.PlacementScore)
	g.evens = compares && placements.PlacementScoreExtensions() != nil
	add(is[fwk.PodGroupPostFilterPlugin](p), framework.PodGroupPostFilter)
	g.gathers = is[schedulerframework.PlacementFeasiblePlugin](p)
	g.wakes = is[fwk.EnqueueExtensions](p)
	for _, e := range events {
		g.events = append(g.events, e.Event)
	}
}

// Reads are the custom resources that the plugin named: in its events, or in requests while it was made.
func (g *guest) Reads() []string { return g.reads }

func is[T fwk.Plugin](p fwk.Plugin) bool {
	_, is := p.(T)
	return is
}

// adapter is the guest with the interfaces of core/framework that the plugin has a part for.
func (g *guest) adapter() framework.Plugin {
	switch p := (adapter{g}); {
	case g.wakes && g.signs:
		return wakingSigner{waking{p}}
	case g.wakes:
		return waking{p}
	case g.signs:
		return signing{p}
	default:
		return p
	}
}

// nowhere is a scheduler of an empty cluster.
type nowhere struct{ state *cluster.State }

func (nowhere) Now() time.Time                  { return time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC) }
func (n nowhere) State() *cluster.State         { return n.state }
func (nowhere) Waiting() []framework.Waiting    { return nil }
func (nowhere) Nominated(string) []*cluster.Pod { return nil }
func (nowhere) Cycles() int64                   { return 0 }
func (nowhere) Opening() []cluster.Object       { return nil }
