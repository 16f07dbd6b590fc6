package volumebinding

import (
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/storage/ephemeral"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// study is what is known of a pod's claims whatever the node: found out once a cycle, read for every node.
type study struct {
	plugin  *Plugin
	objects *cluster.Objects
	bound   []bound     // in the pod's order
	chosen  []*wish     // claims for which a node was selected in an earlier cycle, in the pod's order
	open    []*wish     // claims to be matched with a volume, the smallest first
	node    corev1.Node // room for evaluating selectors: labels, and no name
}

// wish is a claim without a volume that waits for its first consumer.
type wish struct {
	claim    *corev1.PersistentVolumeClaim
	key      string
	class    string
	selected string // the node an earlier cycle selected; "" for none
	matches  *matches
	source   *source // how a volume would be made; worked out when first needed
}

// study sorts the claims of a pod that has some; the verdict is that of PreFilter.
func (p *Plugin) study(pod *cluster.Pod, objects *cluster.Objects) (*study, trace.Verdict) {
	if err := p.usable(pod, objects); err != "" {
		return nil, unresolvable(err)
	}
	s := &study{plugin: p, objects: objects}
	immediate := ""
	for _, use := range pod.Claims {
		key := pod.ClaimKey(use)
		claim, ok := objects.VolumeClaims.Believed(key)
		if !ok {
			return nil, broken(fmt.Sprintf("error getting PVC %q: persistentvolumeclaims %q not found", key, key))
		}
		if cluster.IsBound(claim) {
			s.bound = append(s.bound, p.boundVolume(claim, objects))
			continue
		}
		waits, err := waitsForConsumer(claim, objects)
		if err != "" {
			return nil, broken(err)
		}
		if !waits || claim.Spec.VolumeName != "" {
			immediate = key
			continue
		}
		s.add(&wish{claim: claim, key: key, class: cluster.ClaimClass(claim)})
	}
	if immediate != "" && p.ways.UnboundClaimIsError {
		return nil, broken(reasonImmediate)
	}
	if immediate != "" {
		v := unresolvable(reasonImmediate)
		v.Evidence = []trace.Evidence{
			{What: phrase.Textf("claim %s", immediate), Want: trace.Words("a volume"), Have: trace.Words("none bound yet")},
		}
		return nil, v
	}
	sort.Sort(bySize(s.open))
	return s, trace.Verdict{}
}

func (s *study) add(w *wish) {
	var set bool
	if w.selected, set = w.claim.Annotations[cluster.AnnotationSelectedNode]; set {
		s.chosen = append(s.chosen, w)
		return
	}
	w.matches = s.matchesOf(w)
	s.open = append(s.open, w)
}

// usable explains why a claim of the pod cannot be used; "" when all can. It reads the API server's objects.
func (p *Plugin) usable(pod *cluster.Pod, objects *cluster.Objects) string {
	for _, use := range pod.Claims {
		claim, ok := objects.VolumeClaims.Find(pod.ClaimKey(use))
		switch {
		case !ok && use.Ephemeral:
			return fmt.Sprintf("waiting for ephemeral volume controller to create the persistentvolumeclaim %q", use.Name)
		case !ok:
			return fmt.Sprintf("persistentvolumeclaim %q not found", use.Name)
		case claim.Status.Phase == corev1.ClaimLost && !p.ways.LostClaimIsBound:
			return fmt.Sprintf(
				"persistentvolumeclaim %q bound to non-existent persistentvolume %q", claim.Name, claim.Spec.VolumeName,
			)
		case claim.DeletionTimestamp != nil:
			return fmt.Sprintf("persistentvolumeclaim %q is being deleted", claim.Name)
		}
		if !use.Ephemeral {
			continue
		}
		if err := ephemeral.VolumeIsForPod(pod.API, claim); err != nil {
			return err.Error()
		}
	}
	return ""
}

// waitsForConsumer reports whether the class of the claim leaves binding to the scheduler; the text is what is wrong
// with the class.
func waitsForConsumer(c *corev1.PersistentVolumeClaim, objects *cluster.Objects) (bool, string) {
	name := cluster.ClaimClass(c)
	if name == "" {
		return false, ""
	}
	class, ok := objects.StorageClasses.Find(name)
	if !ok {
		return false, ""
	}
	if class.VolumeBindingMode == nil {
		return false, fmt.Sprintf("VolumeBindingMode not set for StorageClass %q", name)
	}
	return *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer, ""
}

// bySize sorts wishes by what they request, as upstream does: by sort.Sort, which leaves the order of equals to the
// algorithm.
type bySize []*wish

func (a bySize) Len() int           { return len(a) }
func (a bySize) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a bySize) Less(i, j int) bool { return cmpRequest(a[i].claim, a[j].claim) < 0 }

func cmpRequest(a, b *corev1.PersistentVolumeClaim) int {
	asks, other := a.Spec.Resources.Requests[corev1.ResourceStorage], b.Spec.Resources.Requests[corev1.ResourceStorage]
	return asks.Cmp(other)
}

func unresolvable(reason string) trace.Verdict {
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reason}}
}

func broken(reason string) trace.Verdict {
	return trace.Verdict{Code: trace.Error, Reasons: []string{reason}}
}

// asks is how much storage a claim requests.
func asks(c *corev1.PersistentVolumeClaim) trace.Value {
	q, has := c.Spec.Resources.Requests[corev1.ResourceStorage]
	if !has {
		return trace.Value{}
	}
	return trace.Bytes(q.Value())
}
