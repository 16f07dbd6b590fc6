package volumebinding

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// PreScore never skips, unless nodes are not scored at all: a pod without claims scores 0 on every node
// (StorageCapacityScoring, 1.37).
func (p *Plugin) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	if p.ways.StorageNotScored && p.ways.UnscoredGetsZero {
		return framework.Scoring{Scorer: flat{}}
	}
	if p.ways.StorageNotScored {
		return framework.Scoring{Verdict: skip}
	}
	if len(pod.Claims) == 0 {
		return framework.Scoring{Scorer: flat{}}
	}
	s, v := p.study(pod, snapshot.Objects())
	if !v.OK() || len(s.chosen)+len(s.open) == 0 {
		return framework.Scoring{Scorer: flat{}}
	}
	return framework.Scoring{Scorer: &scorer{study: s}}
}

// flat gives every node 0: there is nothing to be bound.
type flat struct{}

// Score leaves all at 0.
func (flat) Score(_ []*cluster.Node, raw []int64) trace.Verdict {
	clear(raw)
	return trace.Verdict{}
}

// Normalize leaves the scores alone.
func (flat) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }

// scorer rates nodes by how full the storage would be that the pod's claims take: that of the volumes found for them,
// class by class; or, when none was found, that from which their volumes would be made.
type scorer struct {
	*study
	plan  plan
	loads []load
}

// load is what a pod requests of one storage class on a node, in bytes.
type load struct {
	class               string
	requested, capacity int64
}

// Score rates each node.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	for i, node := range nodes {
		raw[i] = s.rate(s.loadsOn(node))
	}
	return trace.Verdict{}
}

// Normalize leaves the scores alone: the shape is on the scale of the result.
func (s *scorer) Normalize([]*cluster.Node, []int64) trace.Verdict { return trace.Verdict{} }

// Why lists the classes with the storage the pod requests of them and the storage they have.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for _, l := range s.loadsOn(node) {
		why = append(why, trace.Evidence{
			What: phrase.Textf("storage of class %s", l.class),
			Want: trace.Bytes(l.requested), Capacity: trace.Bytes(l.capacity),
		})
	}
	return why
}

// loadsOn adds up what the pod requests of every class on the node, in order of first appearance.
func (s *scorer) loadsOn(node *cluster.Node) []load {
	s.loads = s.loads[:0]
	s.fill(&s.plan, node)
	if s.plan.err != "" || !s.plan.fits() {
		return nil
	}
	for _, b := range s.plan.bindings {
		l := s.load(b.volume.API.Spec.StorageClassName)
		l.requested += bytes(b.claim.Spec.Resources.Requests)
		l.capacity += bytes(b.volume.API.Spec.Capacity)
	}
	if len(s.plan.bindings) > 0 {
		return s.loads
	}
	for _, v := range s.plan.provisions {
		if v.capacity == nil {
			continue
		}
		l := s.load(cluster.ClaimClass(v.claim))
		l.requested += bytes(v.claim.Spec.Resources.Requests)
		l.capacity = 0 // one storage, however many volumes come from it
		if c := v.capacity.API.Capacity; c != nil {
			l.capacity = c.Value()
		}
	}
	return s.loads
}

func (s *scorer) load(class string) *load {
	for i := range s.loads {
		if s.loads[i].class == class {
			return &s.loads[i]
		}
	}
	s.loads = append(s.loads, load{class: class})
	return &s.loads[len(s.loads)-1]
}

func bytes(l corev1.ResourceList) int64 {
	q := l[corev1.ResourceStorage]
	return q.Value()
}

// rate is the mean over the classes of what their utilization is worth.
func (s *scorer) rate(loads []load) int64 {
	if len(loads) == 0 {
		return 0
	}
	sum := int64(0)
	for _, l := range loads {
		utilization := int64(100)
		if l.capacity != 0 && l.requested <= l.capacity {
			utilization = l.requested * 100 / l.capacity
		}
		sum += s.plugin.shape.At(utilization)
	}
	return int64(math.Round(float64(sum) / float64(len(loads))))
}
