package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// Workload reads waves from a folder of scenarios, one file for each, in the order of their names. Together they are
// one scenario: a file may name what the files before it made. What is there up to the first advance is there when the
// wave begins; between two advances is one step. A manifest of the same name with .yaml holds what a scenario has no
// event for, since no scheduler reads it: it is there before the rest of the wave.
func Workload(folder string) ([]Wave, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("waves in %s: %w", folder, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no wave is in it", folder)
	}
	var waves []Wave
	var text []byte
	known, began := 0, time.Time{}
	for _, name := range names {
		more, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		// This advance keeps the last step of one file apart from the objects of the next.
		text = append(append(text, more...), "\nadvance 1h\n"...)
		s, err := scenario.Parse(name, text)
		if err != nil {
			return nil, err
		}
		r, err := s.Replay()
		if err != nil {
			return nil, err
		}
		if known == 0 {
			began = r.Start
		}
		w := waveOf(title(name), r.Script[known:], began)
		if err := w.precede(strings.TrimSuffix(name, ".txt") + ".yaml"); err != nil {
			return nil, err
		}
		waves = append(waves, w)
		known, began = len(r.Script), r.Until
	}
	return waves, nil
}

// precede puts the objects of a manifest before those of the wave, if there is one.
func (w *Wave) precede(manifest string) error {
	if _, err := os.Stat(manifest); os.IsNotExist(err) {
		return nil
	}
	dump, err := importer.Read(context.Background(), []string{manifest}, importer.Options{})
	if err != nil {
		return err
	}
	var objects []cluster.Object
	for _, o := range dump.Objects {
		objects = append(objects, o.Object.(cluster.Object))
	}
	w.Objects = append(objects, w.Objects...)
	return nil
}

// title is "03 spread" for testdata/03_spread.txt.
func title(path string) string {
	return strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), ".txt"), "_", " ")
}

func waveOf(name string, script source.Script, began time.Time) Wave {
	w := Wave{Name: name}
	for len(script) > 0 {
		n := 1
		for n < len(script) && script[n].At.Equal(script[0].At) {
			n++
		}
		now := script[:n]
		script = script[n:]
		if now[0].At.Equal(began) {
			for _, t := range now {
				w.Objects = append(w.Objects, t.Event.Object)
			}
			continue
		}
		w.Steps = append(w.Steps, stepOf(now))
	}
	return w
}

func stepOf(script source.Script) Step {
	var names []string
	for _, t := range script {
		names = append(names, t.Event.String())
	}
	return Step{Name: strings.Join(names, ", "), Do: func(ctx context.Context, a *API) ([]cluster.Event, error) {
		var events []cluster.Event
		for _, t := range script {
			more, err := a.do(ctx, t.Event)
			if err != nil {
				return events, err
			}
			events = append(events, more...)
		}
		return events, nil
	}}
}

// do carries out an event of a scenario on the objects of the API server.
func (a *API) do(ctx context.Context, e cluster.Event) ([]cluster.Event, error) {
	if e.Action == cluster.Add {
		return a.Create(ctx, e.Object)
	}
	now, err := a.Find(ctx, e.Object)
	if err != nil {
		return nil, err
	}
	if e.Action == cluster.Delete {
		return a.Delete(ctx, now)
	}
	now.SetLabels(e.Object.GetLabels())
	switch want := e.Object.(type) {
	case *corev1.Pod:
		now.(*corev1.Pod).Spec.SchedulingGates = want.Spec.SchedulingGates
		return a.Update(ctx, now)
	case *corev1.Node:
		return a.updateNode(ctx, now.(*corev1.Node), want)
	}
	return nil, fmt.Errorf("%s: only pods and nodes are updated in a step", e)
}

// updateNode writes the spec of a node, and then its status.
func (a *API) updateNode(ctx context.Context, now, want *corev1.Node) ([]cluster.Event, error) {
	now.Spec.Taints, now.Spec.Unschedulable = want.Spec.Taints, want.Spec.Unschedulable
	events, err := a.Update(ctx, now)
	if err != nil || equality.Semantic.DeepEqual(now.Status.Allocatable, want.Status.Allocatable) {
		return events, err
	}
	now = events[0].Object.(*corev1.Node).DeepCopy()
	now.Status.Allocatable = want.Status.Allocatable
	more, err := a.updateStatus(ctx, now)
	return append(events, more...), err
}

// complete makes an object of a scenario acceptable to an API server: what the API server
// sets itself is taken out, and fields that it demands are filled in.
func complete(o cluster.Object) cluster.Object {
	o = o.DeepCopyObject().(cluster.Object)
	o.SetUID("")
	o.SetResourceVersion("")
	o.SetCreationTimestamp(metav1.Time{})
	owners := o.GetOwnerReferences()
	for i := range owners {
		owners[i].UID = types.UID("of-" + owners[i].Name) // required, and never read
	}
	o.SetOwnerReferences(owners)
	switch o := o.(type) {
	case *corev1.Pod:
		o.Status = corev1.PodStatus{}
		withoutLabelKeys(&o.Spec)
		for i := range o.Spec.Containers {
			completeContainer(&o.Spec.Containers[i])
		}
		for i := range o.Spec.InitContainers {
			completeContainer(&o.Spec.InitContainers[i])
		}
	case *corev1.Node:
		o.Status.Capacity = o.Status.Allocatable
	case *corev1.Service:
		o.Spec.Ports = []corev1.ServicePort{{Port: 80}}
	case *appsv1.ReplicaSet:
		o.Spec.Template = template(o.Spec.Selector.MatchLabels)
	case *appsv1.StatefulSet:
		o.Spec.Template, o.Spec.ServiceName = template(o.Spec.Selector.MatchLabels), o.Name
	}
	return o
}

// withoutLabelKeys takes out of selectors what admission made of matchLabelKeys and mismatchLabelKeys, so that the API
// server can do it.
func withoutLabelKeys(s *corev1.PodSpec) {
	for i := range s.TopologySpreadConstraints {
		c := &s.TopologySpreadConstraints[i]
		withoutKeys(c.LabelSelector, c.MatchLabelKeys)
	}
	terms := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i := range required {
			withoutKeys(required[i].LabelSelector, slices.Concat(required[i].MatchLabelKeys, required[i].MismatchLabelKeys))
		}
		for i := range preferred {
			t := &preferred[i].PodAffinityTerm
			withoutKeys(t.LabelSelector, slices.Concat(t.MatchLabelKeys, t.MismatchLabelKeys))
		}
	}
	if a := s.Affinity; a != nil && a.PodAffinity != nil {
		terms(
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
		)
	}
	if a := s.Affinity; a != nil && a.PodAntiAffinity != nil {
		terms(
			a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
		)
	}
}

func withoutKeys(s *metav1.LabelSelector, keys []string) {
	if s == nil {
		return
	}
	s.MatchExpressions = slices.DeleteFunc(s.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		return slices.Contains(keys, r.Key)
	})
}

func template(labels map[string]string) corev1.PodTemplateSpec {
	t := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}
	t.Labels = labels
	completeContainer(&t.Spec.Containers[0])
	return t
}

// completeContainer names an image, and limits devices to what is requested of them.
func completeContainer(c *corev1.Container) {
	if c.Image == "" {
		c.Image = "registry.example/pause:1"
	}
	for _, name := range slices.Sorted(maps.Keys(c.Resources.Requests)) {
		if strings.Contains(string(name), "/") {
			if c.Resources.Limits == nil {
				c.Resources.Limits = corev1.ResourceList{}
			}
			c.Resources.Limits[name] = c.Resources.Requests[name]
		}
	}
}
