package groups

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
)

// Native is Ours with the default configuration under gates.
func Native(gates config.Gates, d trace.Detail, c Cluster) (Outcome, *trace.Cycle, error) {
	return Ours(play.NewScheduler(config.DefaultWith(config.Options{Gates: gates}), Epoch, 0, d), c)
}

// ByChance reports whether kube-scheduler leaves the outcome to chance: which of several placements it reports, which
// of equal ones it takes, or where the pods of victims were tried.
func ByChance(c *trace.Cycle) bool {
	g := c.Group
	return g.Selected != nil && len(g.Selected.Tied) > 1 || g.Selected == nil && len(g.Placements) > 1
}

// Ours runs the same cycle in an empty scheduler of ours; the cycle records what was left to chance.
func Ours(s *core.Scheduler, c Cluster) (Outcome, *trace.Cycle, error) {
	fill(s, c)
	effects, facts, ok := s.Schedule()
	if !ok {
		return Outcome{}, nil, errors.New("the group is not ready")
	}
	o := Outcome{
		Bound: map[string]string{}, Failed: map[string]string{}, Nominated: map[string]string{}, Claims: map[string]string{},
	}
	for _, claim := range c.Claims {
		o.Claims[claim.Name] = devicesOf(claim)
	}
	note(&o, effects)
	for range 40 { // plugins that are hosted work at PreBind for a while, and see what they wrote
		if settled(o, c) {
			break
		}
		for _, e := range effects {
			if w, is := e.(core.Write); is {
				s.Apply(cluster.Event{Action: cluster.Update, Object: w.Object.DeepCopyObject().(cluster.Object)})
			}
		}
		effects, _ = s.Advance(s.Now().Add(100 * time.Millisecond))
		note(&o, effects)
	}
	cycle, _ := trace.Fold(facts)
	for _, m := range cycle.Group.Settled {
		if m.NominatedNode != "" {
			o.Nominated[m.Pod.Name] = m.NominatedNode
		}
	}
	slices.Sort(o.Evicted)
	return o, cycle, nil
}

// settled reports whether every member has its end.
func settled(o Outcome, c Cluster) bool {
	return !slices.ContainsFunc(c.Pods, func(p *corev1.Pod) bool {
		_, failed := o.Failed[p.Name]
		return p.Spec.NodeName == "" && o.Bound[p.Name] == "" && !failed
	})
}

// note notes what effects come to.
func note(o *Outcome, effects []core.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case core.Bind:
			o.Bound[e.Pod.Name()] = e.Node
		case core.Write:
			if claim, is := e.Object.(*resourcev1.ResourceClaim); is {
				o.Claims[claim.Name] = devicesOf(claim)
			}
		case core.Evict:
			o.Evicted = append(o.Evicted, e.Pod.Name())
		case core.Report:
			if e.Reason == "FailedScheduling" {
				o.Failed[e.Pod.Name()] = e.Message
			}
		case core.Conclude:
			status := "False"
			if e.True {
				status = "True"
			}
			o.Condition = strings.TrimSpace(fmt.Sprintf("%s %s: %s", status, e.Reason, e.Message))
		}
	}
}

// fill applies everything in the cluster, the pods last.
func fill(s *core.Scheduler, c Cluster) {
	for _, n := range c.Nodes {
		s.Apply(cluster.Event{Object: n.DeepCopy()})
	}
	for _, g := range c.Groups {
		s.Apply(cluster.Event{Object: g.DeepCopy()})
	}
	for _, o := range c.classes {
		s.Apply(cluster.Event{Object: o.DeepCopy()})
	}
	for _, o := range c.slices {
		s.Apply(cluster.Event{Object: o.DeepCopy()})
	}
	for _, claim := range c.Claims {
		s.Apply(cluster.Event{Object: claim.DeepCopy()})
	}
	for _, p := range c.Pods {
		s.Apply(cluster.Event{Object: p.DeepCopy()})
	}
}
