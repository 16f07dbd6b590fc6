package volumebinding

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// check judges nodes by their volumes.
type check struct {
	*study
	plan plan // room for the answer about one node
	room trace.Room
}

// plan is what would become of the pod's claims on one node, and what is in the way. Its lists are room that the next
// plan uses again.
type plan struct {
	bindings   []binding
	provisions []provision

	err      string
	affinity *bound // whose volume the node does not reach
	missing  *bound // whose volume does not exist
	noVolume *wish  // that finds no volume, and has no provisioner to make one
	noSpace  *wish  // for which there is not enough storage
}

// binding is a claim with the volume found for it.
type binding struct {
	*wish
	volume *cluster.Volume
}

// provision is a claim whose volume is to be made, and the storage it comes from, where the driver reports it.
type provision struct {
	*wish
	capacity *cluster.Capacity
}

// Filter answers with every reason at once, in kube-scheduler's order.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	c.fill(&c.plan, node)
	p := &c.plan
	if p.err != "" {
		return broken(p.err)
	}
	if p.fits() {
		return trace.Verdict{}
	}
	if p.missing != nil && c.plugin.ways.UnboundClaimIsError {
		return broken(fmt.Sprintf("could not find v1.PersistentVolume %q", p.missing.name))
	}
	reasons := p.reasons(c.plugin.affinity)
	if c.plugin.ways.UnboundClaimIsError {
		reasons = reasons[:1:1]
	}
	if p.missing != nil && c.plugin.ways.CapacityUnchecked {
		reasons = append(slices.Clone(reasons[:len(reasons)-1]), onlyAbsent...)
	}
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: reasons, Evidence: c.evidence(p, node)}
}

func (p *plan) fits() bool {
	return p.affinity == nil && p.missing == nil && p.noVolume == nil && p.noSpace == nil
}

// The lists of one reason, which is what nearly every node has.
var (
	onlyNoVolume = []string{reasonNoVolume}
	onlyNoSpace  = []string{reasonNoSpace}
	onlyMissing  = []string{reasonMissing}
	onlyAbsent   = []string{reasonAbsent}
)

func (p *plan) reasons(affinity []string) []string {
	var all []string
	add := func(wrong bool, only []string) {
		switch {
		case !wrong:
		case all == nil:
			all = only
		default:
			all = append(all[:len(all):len(all)], only...)
		}
	}
	add(p.affinity != nil, affinity)
	add(p.noVolume != nil, onlyNoVolume)
	add(p.noSpace != nil, onlyNoSpace)
	add(p.missing != nil, onlyMissing)
	return all
}

// fill works out what would become of the claims on a node (FindPodVolumes, 1.37).
func (s *study) fill(p *plan, node *cluster.Node) {
	*p = plan{bindings: p.bindings[:0], provisions: p.provisions[:0]}
	s.node.Labels = node.API.Labels
	if !s.checkBound(p, node) {
		return
	}
	for _, w := range s.chosen {
		if w.selected != node.Name {
			p.noVolume = w
			return
		}
	}
	for _, w := range s.chosen {
		p.provisions = append(p.provisions, provision{wish: w})
	}
	for _, w := range s.open {
		if w.matches.err != "" {
			p.err = w.matches.err
			return
		}
		if v := w.matches.on(&s.node, p.bindings); v != nil {
			p.bindings = append(p.bindings, binding{w, v})
			continue
		}
		p.provisions = append(p.provisions, provision{wish: w})
	}
	s.checkProvisions(p, node.API.Labels)
}

// checkBound looks at the bound claims, up to the first that is in the way; false: something broke.
func (s *study) checkBound(p *plan, node *cluster.Node) bool {
	for i := range s.bound {
		b := &s.bound[i]
		if b.volume == nil {
			p.missing = b
			return true
		}
		v, err := b.on(s.plugin, node.Name, s.objects)
		if err != "" {
			p.err = err
			return false
		}
		if !reaches(v, &s.node) {
			p.affinity = b
			return true
		}
	}
	return true
}

// checkProvisions looks at the claims whose volumes have to be made, up to the first that is in the way.
func (s *study) checkProvisions(p *plan, node labels.Set) {
	for i := range p.provisions {
		w := p.provisions[i].wish
		c := s.sourceOf(w)
		switch {
		case c.err != "":
			p.err = c.err
			return
		case !c.makes || !c.allows(node):
			p.noVolume = w
			return
		case c.isCounted && !s.plugin.ways.CapacityUnchecked:
			capacity := c.capacityFor(node)
			if capacity == nil {
				p.noSpace = w
				return
			}
			p.provisions[i].capacity = capacity
		}
	}
}

// evidence lists, for everything that is in the way, what was looked for and what was there.
func (c *check) evidence(p *plan, node *cluster.Node) []trace.Evidence {
	list := c.room.Evidence(len(p.reasons(c.plugin.affinity)))
	if b := p.affinity; b != nil {
		list = append(list, c.affinityEvidence(b, node))
	}
	if w := p.noVolume; w != nil {
		list = append(list, c.volumeEvidence(w, node))
	}
	if w := p.noSpace; w != nil {
		list = append(list, c.spaceEvidence(w, node))
	}
	if b := p.missing; b != nil {
		list = append(list, trace.Evidence{
			What: "PersistentVolume", Want: trace.Text(b.name), Have: trace.Words("no such volume"), By: c.room.Names(b.claim),
		})
	}
	return list
}

// affinityEvidence names the volume, the label it wants and what the node has there.
func (c *check) affinityEvidence(b *bound, node *cluster.Node) trace.Evidence {
	v := b.volume
	if b.migrated != nil {
		v, _ = b.on(c.plugin, node.Name, c.objects)
	}
	e := trace.Evidence{
		What: phrase.Textf("PersistentVolume %s", b.name), Want: trace.Text(selectorText(v.API.Spec.NodeAffinity.Required)),
		By: c.room.Names(b.claim),
	}
	e.Have = labelEvidence(node, v.Reach.Key)
	return e
}

// labelEvidence is what the node has of a label.
func labelEvidence(node *cluster.Node, key string) trace.Value {
	if key == "" {
		return trace.Value{}
	}
	value, has := node.Label(key)
	if !has {
		return trace.Wordsf("no label %s", key)
	}
	return trace.Text(key + "=" + value)
}

// volumeEvidence explains why a claim finds no volume on the node and none can be provisioned.
func (c *check) volumeEvidence(w *wish, node *cluster.Node) trace.Evidence {
	e := trace.Evidence{What: phrase.Textf("volume of class %s", w.class), Want: asks(w.claim), By: c.room.Names(w.key)}
	switch {
	case w.source == nil:
		e.What, e.Want, e.Have = "node selected for the volume", trace.Text(w.selected), trace.Text(node.Name)
	case w.source.makes:
		e.What, e.Want = phrase.Textf("topologies of class %s", w.class), trace.Text(topologyText(w.source.topologies))
		e.Have = labelEvidence(node, firstKey(w.source.topologies))
	case w.matches != nil && len(w.matches.free)+len(w.matches.reserved) > 0:
		e.Have = trace.Words("only volumes that this node does not reach, or that go to other claims of the pod")
	default:
		e.Have = trace.Words("no volume that suits, and nobody makes one")
	}
	return e
}

// spaceEvidence compares what the claim requests with the most that is left where the node reaches.
func (c *check) spaceEvidence(w *wish, node *cluster.Node) trace.Evidence {
	e := trace.Evidence{
		What: phrase.Textf("storage of class %s", w.class), Want: trace.Bytes(w.source.size), By: c.room.Names(w.key),
	}
	largest := w.source.largestFor(node.API.Labels)
	if largest == nil {
		e.Have = trace.Words("none that the node reaches")
		return e
	}
	e.Have = trace.Bytes(cluster.VolumeLimit(largest.API).Value())
	e.What = phrase.Textf("storage of class %s in %s", w.class, cluster.Key(largest.API))
	return e
}

func firstKey(terms []corev1.TopologySelectorTerm) string {
	for _, t := range terms {
		for _, r := range t.MatchLabelExpressions {
			return r.Key
		}
	}
	return ""
}
