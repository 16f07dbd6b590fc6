package volumebinding

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
)

// matches is the volumes that a claim could have if only the node fits.
type matches struct {
	reserved []*cluster.Volume // set aside for this very claim; the first decides
	free     []*cluster.Volume // the smallest first, then by name
	where    atlas             // of free
	err      string            // why the claim cannot be matched at all
}

// matchesOf collects the volumes that suit a claim in everything but the node (FindMatchingVolume, 1.37). Volumes of
// another class are never candidates: kube-scheduler lists those of the claim's class.
func (s *study) matchesOf(w *wish) *matches {
	m := &matches{}
	selector, err := cluster.ClaimSelector(w.claim)
	if err != nil {
		m.err = fmt.Sprintf("error creating internal label selector for claim: %s: %v", w.key, err)
		return m
	}
	anyClass := s.plugin.ways.AttributesClassIgnored
	class := w.claim.Spec.VolumeAttributesClassName
	if !anyClass && s.plugin.ways.AttributesClassRejected && class != nil && *class != "" {
		m.err = fmt.Sprintf(
			"unsupported volumeAttributesClassName is set on claim %s when the feature-gate VolumeAttributesClass is disabled",
			w.key,
		)
		return m
	}
	s.objects.EachVolumeFor(w.class, w.key, func(v *cluster.Volume) bool {
		api := v.API
		if api.Spec.ClaimRef != nil && !cluster.IsFor(api, w.claim) || !cluster.Suits(api, w.claim) ||
			!anyClass && !cluster.HasAttributes(api, w.claim) {
			return true
		}
		switch {
		case api.Spec.ClaimRef != nil:
			m.reserved = append(m.reserved, v)
		case api.Status.Phase == corev1.VolumeAvailable && selector.Matches(labels.Set(api.Labels)) &&
			cluster.HasModes(api, w.claim):
			m.free = append(m.free, v)
		}
		return true
	})
	slices.SortStableFunc(m.free, func(a, b *cluster.Volume) int {
		x, y := a.API.Spec.Capacity[corev1.ResourceStorage], b.API.Spec.Capacity[corev1.ResourceStorage]
		return x.Cmp(y)
	})
	for i, v := range m.free {
		m.where.add(i, v.Reach)
	}
	return m
}

// on is the volume the claim gets on a node; nil when there is none for it.
func (m *matches) on(node *corev1.Node, taken []binding) *cluster.Volume {
	isTaken := func(v *cluster.Volume) bool {
		return slices.ContainsFunc(taken, func(b binding) bool { return b.volume.API.Name == v.API.Name })
	}
	for _, v := range m.reserved {
		if isTaken(v) {
			continue
		}
		if reaches(v, node) {
			return v
		}
		return nil
	}
	i := m.where.lowest(node.Labels, func(i int) bool { return !isTaken(m.free[i]) && reaches(m.free[i], node) })
	if i < 0 {
		return nil
	}
	return m.free[i]
}

// atlas finds, among things in an order, the first that a node reaches, without testing all of them: those that want
// certain values of a label are filed under these values. Positions have to be added in ascending order. The zero value
// is empty.
type atlas struct {
	anywhere []int
	keys     []string // in order of first appearance
	filed    []map[string][]int
}

func (a *atlas) add(i int, r cluster.Reach) {
	if r.Key == "" {
		a.anywhere = append(a.anywhere, i)
		return
	}
	at := slices.Index(a.keys, r.Key)
	if at < 0 {
		at = len(a.keys)
		a.keys, a.filed = append(a.keys, r.Key), append(a.filed, map[string][]int{})
	}
	for _, value := range r.Values {
		a.filed[at][value] = append(a.filed[at][value], i)
	}
}

// lowest is the lowest position that the node may reach and that is right; -1 when there is none.
func (a *atlas) lowest(node map[string]string, isRight func(int) bool) int {
	best := -1
	look := func(positions []int) {
		for _, i := range positions {
			if best >= 0 && i >= best {
				return
			}
			if isRight(i) {
				best = i
				return
			}
		}
	}
	look(a.anywhere)
	for k, key := range a.keys {
		if value, has := node[key]; has {
			look(a.filed[k][value])
		}
	}
	return best
}
