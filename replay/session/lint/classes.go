package lint

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// outdated compares the priority of a waiting pod with that of its class.
func (o *objects) outdated() []Finding {
	var found []Finding
	for _, p := range o.pending() {
		class, there := o.all.PriorityClasses.Find(p.Spec.PriorityClassName)
		if !there || p.Spec.Priority == nil || *p.Spec.Priority == class.Value {
			continue
		}
		found = append(found, about(p, phrase.Textf("has priority %d, and its class %s has %d now: only a new pod gets that",
			*p.Spec.Priority, class.Name, class.Value)))
	}
	return found
}

// defaults finds several global defaults. The API server refuses the second, unless it comes at the same time
// (plugin/pkg/admission/priority, 1.37).
func (o *objects) defaults() []Finding {
	var names []string
	o.all.PriorityClasses.Each(func(c *schedulingv1.PriorityClass) bool {
		if c.GlobalDefault {
			names = append(names, c.Name)
		}
		return true
	})
	if len(names) < 2 {
		return nil
	}
	return []Finding{{
		Object: "PriorityClass " + names[1],
		Says: phrase.Textf("%d classes are the global default (%s): the API server refuses the second", len(names),
			strings.Join(names, ", ")),
	}}
}

// unbound are the claims of a pod that have no volume yet.
func (o *objects) unbound(p *corev1.Pod) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for i := range p.Spec.Volumes {
		if of := p.Spec.Volumes[i].PersistentVolumeClaim; of != nil {
			claim, there := o.all.VolumeClaims.Find(p.Namespace + "/" + of.ClaimName)
			if there && claim.Spec.VolumeName == "" {
				claims = append(claims, claim)
			}
		}
	}
	return claims
}

// unclassed looks at claims that name no class. A volume without class does for them too.
func (o *objects) unclassed() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		for _, claim := range o.unbound(p) {
			if cluster.NamesClass(claim) || o.hasVolume(claim) {
				continue
			}
			found = append(found, about(p, phrase.Textf(
				"claim %s names no StorageClass, and no class in the input is the default", claim.Name,
			)))
		}
	}
	return found
}

// unprovided looks at claims whose volumes an administrator makes: the provisioner of their class is NoProvisioner, or
// their class is "".
func (o *objects) unprovided() []Finding {
	var found []Finding
	for _, p := range o.waiting() {
		for _, claim := range o.unbound(p) {
			if !cluster.NamesClass(claim) {
				continue
			}
			name := cluster.ClaimClass(claim)
			class, there := o.all.StorageClasses.Find(name)
			if name != "" && (!there || class.Provisioner != cluster.NoProvisioner) || o.hasVolume(claim) {
				continue
			}
			found = append(found, about(p, phrase.Textf(
				"claim %s is of class %q, for which nothing makes volumes, and no volume in the input does for it",
				claim.Name, name,
			)))
		}
	}
	return found
}

// hasVolume reports whether a volume is free for a claim, wherever it can be mounted.
func (o *objects) hasVolume(claim *corev1.PersistentVolumeClaim) bool {
	found := false
	want := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	o.all.Volumes.Each(func(v *corev1.PersistentVolume) bool {
		has := v.Spec.Capacity[corev1.ResourceStorage]
		promised := v.Spec.ClaimRef
		found = cluster.VolumeClass(v) == cluster.ClaimClass(claim) &&
			(promised == nil || promised.Namespace == claim.Namespace && promised.Name == claim.Name) &&
			v.Status.Phase != corev1.VolumeReleased && v.Status.Phase != corev1.VolumeFailed &&
			has.Cmp(want) >= 0 && cluster.HasModes(v, claim)
		return !found
	})
	return found
}

// undriven looks at the nodes that a waiting pod may choose, for the drivers of its volumes that some CSINode has. Of
// nodes without CSINode the input may just not hold it. For one pod, it looks at the node that the pod has, and the
// finding is about the pod.
func (o *objects) undriven() []Finding {
	var found []Finding
	told := map[string]bool{}
	for _, p := range o.mounting() {
		for _, driver := range o.driversOf(p) {
			for _, n := range o.without(driver, p) {
				id := n.Name + " " + driver
				if o.only != "" {
					found = append(found, about(p, phrase.Textf(
						"driver %s of its volumes is not registered on node %s: the limit there is unknown", driver, n.Name,
					)))
				} else if !told[id] {
					told[id] = true
					found = append(found, Finding{Object: "Node " + n.Name, Says: phrase.Textf(
						"driver %s is not registered on it, and %s mounts volumes of it: its limit there is unknown", driver,
						cluster.Key(p),
					)})
				}
			}
		}
	}
	return found
}

// mounting are the pods without a node, and the pod of o.only, wherever it is.
func (o *objects) mounting() []*corev1.Pod {
	if o.only == "" {
		return o.waiting()
	}
	return slices.DeleteFunc(slices.Clone(o.pods), func(p *corev1.Pod) bool { return cluster.Key(p) != o.only })
}

// without are the nodes that a pod has or may choose, whose CSINode does not list a driver.
func (o *objects) without(driver string, p *corev1.Pod) []*corev1.Node {
	required := nodeaffinity.GetRequiredNodeAffinity(p)
	return slices.DeleteFunc(slices.Clone(o.nodes), func(n *corev1.Node) bool {
		if own, there := o.all.CSINodes.Find(n.Name); !there || has(own, driver) {
			return true
		}
		if p.Spec.NodeName != "" {
			return n.Name != p.Spec.NodeName
		}
		fits, _ := required.Match(n)
		return !fits || bars(p, n) != ""
	})
}

func has(n *storagev1.CSINode, driver string) bool {
	return slices.ContainsFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}

// driversOf are the drivers of a pod's claims that at least one node has.
func (o *objects) driversOf(p *corev1.Pod) []string {
	var drivers []string
	for i := range p.Spec.Volumes {
		of := p.Spec.Volumes[i].PersistentVolumeClaim
		if of == nil {
			continue
		}
		claim, there := o.all.VolumeClaims.Find(p.Namespace + "/" + of.ClaimName)
		if !there {
			continue
		}
		driver := o.driverOf(claim)
		registered := false
		o.all.CSINodes.Each(func(n *storagev1.CSINode) bool {
			registered = has(n, driver)
			return !registered
		})
		if registered && !slices.Contains(drivers, driver) {
			drivers = append(drivers, driver)
		}
	}
	return drivers
}

// driverOf is the CSI driver of a claim's volume, or of its class; "" when neither is known.
func (o *objects) driverOf(claim *corev1.PersistentVolumeClaim) string {
	if v, there := o.all.Volumes.Find(claim.Spec.VolumeName); there && v.Spec.CSI != nil {
		return v.Spec.CSI.Driver
	}
	if class, there := o.all.StorageClasses.Find(cluster.ClaimClass(claim)); there {
		return class.Provisioner
	}
	return ""
}
