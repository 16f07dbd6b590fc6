package plan

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/internal/phrase"
)

// nodePool is what a NodePool of Karpenter has about its nodes (karpenter.sh/v1). It has no amounts: an offer has them.
type nodePool struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				Taints       []corev1.Taint                   `json:"taints"`
				Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
			} `json:"spec"`
		} `json:"template"`
		Limits corev1.ResourceList `json:"limits"`
	} `json:"spec"`
}

// offers are those of some that the pool may make nodes of, with its labels and taints, and no more of them than its
// limits allow. A label that the pool requires with one value and the offer has not is given to it.
func (p *nodePool) offers(all []Offer, used corev1.ResourceList) ([]Offer, error) {
	name := p.Metadata.Name
	var may []Offer
	for _, o := range all {
		labels := map[string]string{poolKeys[0]: name}
		for _, r := range p.Spec.Template.Spec.Requirements {
			if _, has := o.Node.Labels[r.Key]; !has && r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
				labels[r.Key] = r.Values[0]
			}
		}
		maps.Copy(labels, p.Spec.Template.Metadata.Labels)
		o.Node = nodeLike(o.Node, o.Name, NewNode{Labels: labels})
		o.Node.Spec.Taints = append(o.Node.Spec.Taints, p.Spec.Template.Spec.Taints...)
		if r := p.Spec.Template.Spec.Requirements; len(r) > 0 {
			selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: r}},
			})
			if err != nil {
				return nil, phrase.Errorf("NodePool %s: %w", name, err)
			}
			if !selector.Match(o.Node) {
				continue
			}
		}
		if most, limited := p.most(o.Node, used); limited {
			if most == 0 {
				continue
			}
			if o.Most == 0 || most < o.Most {
				o.Most = most
			}
		}
		may = append(may, o)
	}
	if len(may) == 0 {
		return nil, phrase.Errorf("NodePool %s makes no node of the offer %s", name, all[0].Name)
	}
	return may, nil
}

// most is how many more nodes of a kind the limits of the pool allow.
func (p *nodePool) most(n *corev1.Node, used corev1.ResourceList) (least int, limited bool) {
	for name, limit := range p.Spec.Limits {
		has := capacityOf(n, name)
		if has.MilliValue() <= 0 {
			continue
		}
		there := used[name]
		if may := int(max(limit.MilliValue()-there.MilliValue(), 0) / has.MilliValue()); !limited || may < least {
			least, limited = may, true
		}
	}
	return least, limited
}

// capacityOf is how much a node has of a resource, allocatable or not.
func capacityOf(n *corev1.Node, name corev1.ResourceName) resource.Quantity {
	if has := n.Status.Capacity[name]; !has.IsZero() {
		return has
	}
	return n.Status.Allocatable[name]
}

// usedIn is what the nodes of a pool have together.
func (f *Fleet) usedIn(pool string) corev1.ResourceList {
	sum := corev1.ResourceList{}
	if f.Player == nil {
		return sum
	}
	for _, n := range f.Player.Scheduler().State().Snapshot().Nodes {
		if n.API == nil || n.API.Labels[poolKeys[0]] != pool {
			continue
		}
		for name := range n.API.Status.Allocatable {
			all := sum[name]
			all.Add(capacityOf(n.API, name))
			sum[name] = all
		}
	}
	return sum
}
