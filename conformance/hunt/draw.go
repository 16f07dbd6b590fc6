package hunt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// draw draws a history. Each history has a few of the features of pods and of the mishaps, and those often: what two of
// them do together comes out sooner than where all are drawn together.
func draw(seed uint64) History {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 32)), nodes: map[string]*corev1.Node{}} //nolint:gosec // not for secrets
	for _, f := range features {
		if d.percent(35) {
			d.features = append(d.features, f)
		}
	}
	for _, m := range []Trouble{Late, lost, restart, handover, hold, refuse, leap} {
		if d.percent(35) {
			d.mishaps = append(d.mishaps, m)
		}
	}
	h := History{Seed: seed, Standby: slices.Contains(d.mishaps, handover)}
	d.small = d.between(1, 4) // nodes, as a rule
	for n := range d.between(1, 4) {
		h.Chapters = append(h.Chapters, d.chapter(n))
	}
	return h
}

// feature is something about pods that a history has or has not.
type feature string

var features = []feature{
	"selector", "taint", "ports", "anti", "affinity", "spread", "priority", "gate", "memory", "lifetime", "grace",
	"budget", "size", "cordon", "never",
}

type drawer struct {
	*rand.Rand
	features []feature
	mishaps  []Trouble
	small    int
	nodes    map[string]*corev1.Node
	names    int
	pods     []string
}

func (d *drawer) percent(n int) bool            { return d.IntN(100) < n }
func (d *drawer) between(from, to int) int      { return from + d.IntN(to-from+1) }
func (d *drawer) has(f feature) bool            { return slices.Contains(d.features, f) }
func (d *drawer) with(f feature, odds int) bool { return d.has(f) && d.percent(odds) }

func pick[T any](d *drawer, of ...T) T { return of[d.IntN(len(of))] }

// chapter draws what happens until all is quiet. The first begins with the nodes.
func (d *drawer) chapter(n int) []Act {
	var acts []Act
	at := time.Duration(0)
	add := func(more ...Act) {
		for _, a := range more {
			a.After = at
			acts = append(acts, a)
		}
	}
	if n == 0 {
		for range d.small {
			add(Act{Node: d.node(d.name("n"))})
		}
	}
	for range d.between(3, 30) {
		if len(d.mishaps) > 0 && d.percent(12) {
			add(Act{Mishap: d.mishap()})
		} else {
			add(d.act()...)
		}
		at += d.pause()
	}
	return acts
}

// pause is mostly so short that what happens meets a cycle or a call that is under way.
func (d *drawer) pause() time.Duration {
	switch d.IntN(10) {
	case 0, 1, 2, 3:
		return time.Duration(d.IntN(40)) * time.Millisecond
	case 4, 5, 6:
		return time.Duration(d.IntN(1500)) * time.Millisecond
	case 7, 8:
		return time.Duration(d.IntN(12)) * time.Second
	}
	return time.Duration(d.IntN(90)) * time.Second
}

func (d *drawer) name(prefix string) string {
	d.names++
	return fmt.Sprint(prefix, d.names)
}

func (d *drawer) mishap() *Mishap {
	m := &Mishap{What: pick(d, d.mishaps...)}
	switch m.What {
	case Late, lost:
		m.Kind = pick(d, pods, pods, pods, nodes, budgets)
		m.For = time.Duration(d.between(20, 6000)) * time.Millisecond
	case hold:
		m.For = time.Duration(d.between(2, 60)) * time.Second
	case refuse:
		m.For = time.Duration(d.between(100, 5000)) * time.Millisecond
	case leap:
		m.For = pick(d, 5*time.Second, time.Minute, 10*time.Minute)
	}
	return m
}

// act draws what users and controllers do.
func (d *drawer) act() []Act {
	switch n := d.IntN(100); {
	case n < 40 || len(d.pods) == 0:
		return d.burst()
	case n < 57:
		return []Act{{Drop: pods + " " + pick(d, d.pods...)}}
	case n < 75:
		return d.edit()
	case n < 83:
		return d.changeNode()
	case n < 88:
		return []Act{{Node: d.node(d.name("n"))}}
	case n < 91 && len(d.nodes) > 1:
		name := pick(d, sortedKeys(d.nodes)...)
		delete(d.nodes, name)
		return []Act{{Drop: nodes + " " + name}}
	case n < 95 && d.has("budget"):
		return []Act{{Budget: d.budget()}}
	}
	name := pick(d, d.pods...)
	again := d.pod(name[len("default/"):]) // a controller makes it anew under its name
	return []Act{{Drop: pods + " " + name}, {Pod: again}}
}

func (d *drawer) burst() []Act {
	var acts []Act
	for range d.between(1, 3) {
		pod := d.pod(d.name("p"))
		d.pods = append(d.pods, keyOf(pod))
		acts = append(acts, Act{Pod: pod})
	}
	return acts
}

func (d *drawer) edit() []Act {
	e := &Edit{Pod: pick(d, d.pods...)}
	switch {
	case d.with("gate", 40):
		e.Ungate = true
	case d.with("taint", 30):
		e.Tolerate = "dedicated"
	case d.percent(35):
		e.CPU = pick(d, "100m", "500m", "1")
	case d.percent(40):
		e.End = true
	default:
		e.Labels = d.labels()
	}
	return []Act{{Edit: e}}
}

func (d *drawer) labels() map[string]string {
	return map[string]string{"app": pick(d, "web", "db", "job")}
}

func (d *drawer) node(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelTopologyZone: pick(d, "z1", "z2"),
	}}}
	d.furnish(n)
	d.nodes[name] = n
	return n
}

// furnish draws what may change of a node.
func (d *drawer) furnish(n *corev1.Node) {
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(pick(d, "1", "2", "2", "3")),
		corev1.ResourceMemory: resource.MustParse(pick(d, "2Gi", "4Gi")),
		corev1.ResourcePods:   resource.MustParse(pick(d, "2", "4", "10", "10")),
	}
	n.Status.Capacity = n.Status.Allocatable
	n.Spec.Taints = nil
	if d.with("taint", 40) {
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
	}
	n.Spec.Unschedulable = d.with("cordon", 30)
	delete(n.Labels, "disk")
	if d.has("selector") {
		n.Labels["disk"] = pick(d, "ssd", "hdd")
	}
}

func (d *drawer) changeNode() []Act {
	name := pick(d, sortedKeys(d.nodes)...)
	n := d.nodes[name].DeepCopy()
	before := n.DeepCopy()
	d.furnish(n)
	if d.percent(60) { // one thing alone
		changed := n
		n = before
		switch d.IntN(4) {
		case 0:
			n.Spec.Taints, n.Spec.Unschedulable = changed.Spec.Taints, changed.Spec.Unschedulable
		case 1:
			n.Labels = changed.Labels
		case 2:
			n.Labels[corev1.LabelTopologyZone] = pick(d, "z1", "z2")
		default:
			n.Status = changed.Status
		}
	}
	d.nodes[name] = n
	return []Act{{Node: n}}
}

func (d *drawer) budget() *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pick(d, "web", "db")},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: d.labels()}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(d.IntN(2))}, //nolint:gosec // small
	}
}
