package volumebinding

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// hold is which volume each claim of a placed pod is to get. Reserve makes it, and it never changes.
type hold struct {
	bindings   []pair
	provisions []*corev1.PersistentVolumeClaim // with the selected node
}

// pair is a volume, with the claim as its reference, and that claim.
type pair struct {
	volume *corev1.PersistentVolume
	claim  *corev1.PersistentVolumeClaim
}

// String names volumes and claims.
func (h *hold) String() string {
	var parts []string
	for _, b := range h.bindings {
		parts = append(parts, b.volume.Name+" for "+cluster.Key(b.claim))
	}
	for _, c := range h.provisions {
		parts = append(parts, "a volume to be made for "+cluster.Key(c))
	}
	return strings.Join(parts, ", ")
}

// Reserve gives the claims that wait for their first consumer the volumes found on the node, or selects the node for
// those whose volume has to be provisioned. Only this scheduler knows of it until PreBind.
func (p *Plugin) Reserve(ask framework.ReserveAsk) framework.Reservation {
	c, ok := ask.Check.(*check)
	if !ok || len(c.chosen)+len(c.open) == 0 {
		return framework.Reservation{}
	}
	var found plan
	c.fill(&found, ask.Node)
	if found.err != "" || !found.fits() {
		panic(fmt.Sprintf(
			"pod %s was placed on %s, where its volumes are not: %s%v", ask.Pod.Key, ask.Node.Name, found.err,
			found.reasons(p.affinity),
		))
	}
	h := &hold{}
	var assume []cluster.Assumption
	for _, b := range found.bindings {
		volume, changed := boundFor(b.volume.API, b.claim)
		if changed {
			assume = append(assume, cluster.Assumption{Object: volume, Note: phrase.Textf("bound to %s", b.key)})
		}
		h.bindings = append(h.bindings, pair{volume, b.claim})
	}
	for _, v := range found.provisions {
		claim := selecting(v.claim, ask.Node.Name)
		assume = append(assume, cluster.Assumption{
			Object: claim, Note: phrase.Textf("its volume is to be made for %s", ask.Node.Name),
		})
		h.provisions = append(h.provisions, claim)
	}
	return framework.Reservation{Hold: h, Assume: assume}
}

// Unreserve has nothing to write: what PreBind wrote stays, as in kube-scheduler.
func (p *Plugin) Unreserve(framework.BindAsk) []framework.Write { return nil }

// boundFor is the volume with a reference to the claim; false when it had it already (GetBindVolumeToClaim, 1.37).
func boundFor(v *corev1.PersistentVolume, c *corev1.PersistentVolumeClaim) (*corev1.PersistentVolume, bool) {
	bound, changed := v.DeepCopy(), false
	if ref := v.Spec.ClaimRef; ref == nil || ref.Name != c.Name || ref.Namespace != c.Namespace || ref.UID != c.UID {
		bound.Spec.ClaimRef = &corev1.ObjectReference{
			Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: c.Namespace, Name: c.Name, UID: c.UID,
			ResourceVersion: c.ResourceVersion,
		}
		changed = true
	}
	if _, noted := v.Annotations[cluster.AnnotationBoundByController]; !cluster.IsFor(v, c) && !noted {
		bound.Annotations = with(v.Annotations, cluster.AnnotationBoundByController, "yes")
		changed = true
	}
	return bound, changed
}

// selecting is the claim with a node selected for its volume.
func selecting(c *corev1.PersistentVolumeClaim, node string) *corev1.PersistentVolumeClaim {
	chosen := c.DeepCopy()
	chosen.Annotations = with(c.Annotations, cluster.AnnotationSelectedNode, node)
	return chosen
}

func with(annotations map[string]string, key, value string) map[string]string {
	more := maps.Clone(annotations)
	if more == nil {
		more = map[string]string{}
	}
	more[key] = value
	return more
}
