package cause

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// larger is a resource of which no node has in all as much as the pod requests.
func (g *Given) larger(m *trace.Matrix) []Cause {
	most := map[string]trace.Value{}
	wants := map[string]trace.Value{}
	var names []string
	for i := range m.Nodes {
		f := failure(m, i, resources)
		if f == nil {
			return nil
		}
		for _, e := range f.Verdict.Evidence {
			if e.Topic != trace.OfResource || e.Name() == string(corev1.ResourcePods) {
				continue
			}
			if _, known := wants[e.Name()]; !known {
				wants[e.Name()] = e.Want
				names = append(names, e.Name())
			}
		}
	}
	for i := range m.Nodes {
		n := g.node(m, i)
		if n == nil {
			return nil
		}
		for _, name := range names {
			has := n.Allocatable.Amount(corev1.ResourceName(name))
			if known, is := most[name].Number(); !is || has > known {
				most[name] = wants[name].With(has)
			}
		}
	}
	for _, name := range names {
		want, _ := wants[name].Number()
		if has, _ := most[name].Number(); has >= want {
			continue
		}
		c := Cause{Kind: tooLarge, Resource: name, Wants: wants[name].String(), Has: most[name].String()}
		c.Says = phrase.New("it requests %s %s, and no node has more than %s", c.Wants, name, c.Has)
		if has, _ := most[name].Number(); has == 0 {
			c.Says = phrase.New("it requests %s %s, and no node has any", c.Wants, name)
		}
		return []Cause{c}
	}
	return nil
}

// resizes are the pods that count with more than they have, because their resize is deferred, on nodes that would take
// the pod if they counted with what they have.
func (g *Given) resizes(m *trace.Matrix) []Cause {
	var all []Cause
	for i := range m.Nodes {
		n := g.node(m, i)
		for _, e := range shortOf(m, i) {
			short, lacking := e.Short()
			lack, _ := short.Number()
			if n == nil || !lacking || e.Topic != trace.OfResource {
				continue
			}
			for _, p := range n.Pods {
				live, is := g.State.Pod(p.Key)
				if !is || !resource.IsPodResizeDeferred(live.API) {
					continue
				}
				holds, has := live.Requests.Amount(corev1.ResourceName(e.Name())), allocated(live.API, e.Name())
				if has <= 0 || holds-has < lack {
					continue
				}
				all = append(all, Cause{
					Kind: resizeWaits, Pod: live.Key, Nodes: []string{n.Name}, Resource: e.Name(),
					Wants: e.Want.With(holds).String(), Has: e.Want.With(has).String(),
					Says: phrase.New("%s counts with %s %s on %s and has %s: its resize is deferred", live.Key,
						e.Want.With(holds), e.Name(), n.Name, e.Want.With(has)),
				})
			}
		}
	}
	return all[:min(len(all), mostNamed)]
}

// allocated is what the kubelet has given the containers of a pod of a resource; 0 where the status does not show it.
func allocated(p *corev1.Pod, name string) int64 {
	var sum int64
	for i := range p.Status.ContainerStatuses {
		q, has := p.Status.ContainerStatuses[i].AllocatedResources[corev1.ResourceName(name)]
		switch {
		case !has:
			return 0
		case name == string(corev1.ResourceCPU):
			sum += q.MilliValue()
		default:
			sum += q.Value()
		}
	}
	return sum
}
