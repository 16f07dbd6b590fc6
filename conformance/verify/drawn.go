package verify

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
)

// mostDrawn is how many clusters one run may draw.
const mostDrawn = 100_000

// rangeOf reads FROM:TO.
func rangeOf(text string) (from, to int, err error) {
	a, b, is := strings.Cut(text, ":")
	from, errFrom := strconv.Atoi(a)
	to, errTo := strconv.Atoi(b)
	if !is || errFrom != nil || errTo != nil || from < 0 || to <= from || to-from > mostDrawn {
		return 0, 0, fmt.Errorf("--drawn %q is no range of at most %d numbers (try 0:100)", text, mostDrawn)
	}
	return from, to, nil
}

// mixtures are the kinds of clusters, by turns.
var mixtures = []func(int, config.Gates) (compare.Play, error){
	plays.Drawn, plays.Roomy, plays.Crowded, plays.Restless,
}

// drawn compares in random clusters, dressed by the input.
func drawn(in *input.Input, o options, from, to int) (*result, error) {
	s, back, err := begin(in, o)
	if err != nil {
		return nil, err
	}
	defer back()
	r := s.result
	w := wardrobeOf(in.Script)
	for seed := from; seed < to; seed++ {
		play, err := mixtures[seed%len(mixtures)](seed, s.gates)
		if err != nil {
			return nil, err
		}
		w.dress(&play, seed)
		s.onto(&play, o)
		before := r.Tally.Cycles
		found, err := play.Run(&r.Tally)
		r.Cycles += int64(r.Tally.Cycles - before)
		for _, d := range found {
			r.add(Difference{Difference: d, Cluster: fmt.Sprintf("in the cluster of --drawn %d:%d", seed, seed+1)})
		}
		if err != nil {
			r.Broken = fmt.Errorf("in the cluster of --drawn %d:%d: %w", seed, seed+1, err)
			break
		}
	}
	r.count(o.Foreign)
	return r, nil
}

// onto has a play run by the configuration, with the plugins.
func (s *sides) onto(play *compare.Play, o options) {
	play.Configuration, play.Tamper = s.judged, o.Tamper
	var ours *core.Scheduler
	play.Ours = func(_ []byte, _ config.Gates, start time.Time) (*core.Scheduler, error) {
		c, err := compare.Load(s.judged, s.gates, o.plugins()...)
		if err != nil {
			return nil, err
		}
		ours = core.New(core.Options{
			Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Groups: c.Groups,
			Start: start, Detail: trace.Full,
		})
		return ours, nil
	}
	play.Theirs = func(configuration []byte) (compare.KubeScheduler, error) {
		return s.other(configuration, s.gates, o, ours)
	}
	if o.Foreign != nil {
		play.Beside = o.Foreign.Stepped
	}
}

// wardrobe is what an input has that drawn clusters lack.
type wardrobe struct {
	nodes, pods []clothes
	spaced      []cluster.Object // of other kinds than those that are drawn, with a namespace
	others      []cluster.Object
}

// clothes are the labels and annotations of one object.
type clothes struct {
	name                string
	labels, annotations map[string]string
}

func wardrobeOf(script source.Script) *wardrobe {
	w := &wardrobe{}
	for _, t := range script {
		if t.Event.Action == cluster.Delete {
			continue
		}
		switch o := t.Event.Object.(type) {
		case *corev1.Node:
			w.nodes = append(w.nodes, clothes{o.Name, ownKeys(o.Labels), ownKeys(o.Annotations)})
		case *corev1.Pod:
			w.pods = append(w.pods, clothes{o.Name, ownKeys(o.Labels), ownKeys(o.Annotations)})
		case *unstructured.Unstructured:
			if o.GetNamespace() != "" {
				w.spaced = append(w.spaced, o)
			} else {
				w.others = append(w.others, o)
			}
		}
	}
	return w
}

// ownKeys are those that Kubernetes itself gives no meaning.
func ownKeys(all map[string]string) map[string]string {
	own := maps.Clone(all)
	maps.DeleteFunc(own, func(key, _ string) bool {
		group, _, grouped := strings.Cut(key, "/")
		return grouped && (group == "kubernetes.io" || strings.HasSuffix(group, ".kubernetes.io") ||
			group == "k8s.io" || strings.HasSuffix(group, ".k8s.io"))
	})
	return own
}

// one is what an object of a name wears in the cluster of a seed: the same in all of its versions.
func one(from []clothes, seed int, name string) clothes {
	if len(from) == 0 {
		return clothes{}
	}
	h := fnv.New32a()
	fmt.Fprint(h, seed, "/", name)
	return from[h.Sum32()%uint32(len(from))] //nolint:gosec // a few
}

// dress gives a drawn cluster what the input has.
func (w *wardrobe) dress(p *compare.Play, seed int) {
	spaces, nodes := map[string]bool{}, map[string]bool{}
	p.Script = slices.Clone(p.Script)
	for i := range p.Script {
		object := p.Script[i].Event.Object.DeepCopyObject().(cluster.Object)
		switch o := object.(type) {
		case *corev1.Node:
			nodes[o.Name] = true
			wear(o, one(w.nodes, seed, o.Name))
		case *corev1.Pod:
			spaces[o.Namespace] = true
			wear(o, one(w.pods, seed, cluster.Key(o)))
		}
		p.Script[i].Event.Object = object
	}
	var first []cluster.Object
	for _, ns := range slices.Sorted(maps.Keys(spaces)) {
		for _, o := range w.spaced {
			own := o.DeepCopyObject().(cluster.Object)
			own.SetNamespace(ns)
			first = append(first, own)
		}
	}
	for _, o := range w.others {
		if !slices.ContainsFunc(w.nodes, func(c clothes) bool { return c.name == o.GetName() }) {
			first = append(first, o)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) { // what is named after a node, is for each of them
		for _, o := range w.others {
			if len(w.nodes) > 0 && one(w.nodes, seed, name).name == o.GetName() {
				own := o.DeepCopyObject().(cluster.Object)
				own.SetName(name)
				first = append(first, own)
			}
		}
	}
	var script source.Script
	seen := map[string]bool{}
	for _, o := range first {
		id := o.GetObjectKind().GroupVersionKind().String() + " " + cluster.Key(o)
		if !seen[id] {
			script = append(script, source.Timed{At: p.Start, Event: cluster.Event{Action: cluster.Add, Object: o}})
		}
		seen[id] = true
	}
	p.Script = append(script, p.Script...)
}

// wear gives an object the labels and annotations that it does not have.
func wear(o cluster.Object, c clothes) {
	o.SetLabels(joined(c.labels, o.GetLabels()))
	o.SetAnnotations(joined(c.annotations, o.GetAnnotations()))
}

func joined(more, own map[string]string) map[string]string {
	all := maps.Clone(more)
	if all == nil {
		return own
	}
	maps.Copy(all, own)
	return all
}
