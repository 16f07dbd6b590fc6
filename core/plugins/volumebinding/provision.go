package volumebinding

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
)

// source is how a volume for a claim would be made.
type source struct {
	err         string // why the other fields are not known
	class       *storagev1.StorageClass
	makes       bool // the class has a provisioner
	topologies  []corev1.TopologySelectorTerm
	isCounted   bool                // the driver reports how much storage there is
	capacities  []*cluster.Capacity // of the class, in the order of keys
	enough      []bool              // one for each of capacities: for this claim
	where       atlas               // of capacities
	whereEnough atlas               // of those with enough
	size        int64               // bytes the claim requests
}

// sourceOf works out how a volume for the claim would be made.
func (s *study) sourceOf(w *wish) *source {
	if w.source != nil {
		return w.source
	}
	c := &source{}
	w.source = c
	if w.class == "" {
		c.err = fmt.Sprintf("no class for claim %q", w.key)
		return c
	}
	class, ok := s.objects.StorageClasses.Find(w.class)
	if !ok {
		c.err = fmt.Sprintf("failed to find storage class %q", w.class)
		return c
	}
	c.class, c.topologies = class, class.AllowedTopologies
	c.makes = cluster.MakesVolumes(class)
	size, asked := w.claim.Spec.Resources.Requests[corev1.ResourceStorage]
	driver, ok := s.objects.CSIDrivers.Find(class.Provisioner)
	if !c.makes || !asked || !ok || driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity {
		return c
	}
	c.isCounted, c.size = true, size.Value()
	s.objects.EachCapacity(class.Name, func(capacity *cluster.Capacity) bool {
		if capacity.Topology == nil {
			return true
		}
		i := len(c.capacities)
		limit := cluster.VolumeLimit(capacity.API)
		enough := limit != nil && limit.Value() >= c.size
		c.capacities, c.enough = append(c.capacities, capacity), append(c.enough, enough)
		c.where.add(i, capacity.Reach)
		if enough {
			c.whereEnough.add(i, capacity.Reach)
		}
		return true
	})
	return c
}

// allows reports whether volumes of the class can be made for a node with these labels.
func (c *source) allows(node labels.Set) bool {
	if len(c.topologies) == 0 {
		return true
	}
	return slices.ContainsFunc(c.topologies, func(t corev1.TopologySelectorTerm) bool {
		return meets(node, t.MatchLabelExpressions)
	})
}

// meets reports whether the node has one of the values of every label; no node meets a term without labels.
func meets(node labels.Set, term []corev1.TopologySelectorLabelRequirement) bool {
	for _, r := range term {
		value, has := node[r.Key]
		if !has || !slices.Contains(r.Values, value) {
			return false
		}
	}
	return len(term) > 0
}

// capacityFor is the first storage with enough room that a node reaches; nil when there is none.
func (c *source) capacityFor(node labels.Set) *cluster.Capacity {
	i := c.whereEnough.lowest(node, func(i int) bool { return c.capacities[i].Topology.Matches(node) })
	if i < 0 {
		return nil
	}
	return c.capacities[i]
}

// largestFor is the storage with the most room that a node reaches; nil when it reaches none.
func (c *source) largestFor(node labels.Set) *cluster.Capacity {
	var largest *cluster.Capacity
	room := int64(-1)
	c.where.lowest(node, func(i int) bool {
		limit := cluster.VolumeLimit(c.capacities[i].API)
		if limit != nil && limit.Value() > room && c.capacities[i].Topology.Matches(node) {
			largest, room = c.capacities[i], limit.Value()
		}
		return false
	})
	return largest
}
