package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

const volumeLimit = "volume-limit"

// unlimited finds nodes for which kube-scheduler counts no volumes of a driver: plugin NodeVolumeLimits reads the limit
// from the node's CSINode, and takes a driver that is not listed there for one without a limit, unless the CSIDriver
// has preventPodSchedulingIfMissing. Where no node has a limit there is nothing to compare with.
func (o *objects) unlimited() []Finding {
	limited, nodes := map[string]int64{}, map[string][]string{}
	var drivers []string
	o.all.CSINodes.Each(func(c *storagev1.CSINode) bool {
		for i := range c.Spec.Drivers {
			d := &c.Spec.Drivers[i]
			if d.Allocatable == nil || d.Allocatable.Count == nil {
				continue
			}
			if _, known := limited[d.Name]; !known {
				drivers = append(drivers, d.Name)
			}
			limited[d.Name] = max(limited[d.Name], int64(*d.Allocatable.Count))
		}
		return true
	})
	if len(drivers) == 0 {
		return nil
	}
	slices.Sort(drivers)
	for _, driver := range drivers {
		nodes[driver] = o.without(driver)
	}
	if o.only != "" {
		return o.unlimitedFor(drivers, nodes)
	}
	var found []Finding
	for _, driver := range drivers {
		pods := 0
		for _, p := range o.pods {
			if slices.Contains(o.driversOf(p), driver) {
				pods++
			}
		}
		if pods == 0 || len(nodes[driver]) == 0 {
			continue
		}
		found = append(found, Finding{
			Object: "CSIDriver " + driver,
			Says: fmt.Sprintf("not in the CSINode of %s: no limit of its volumes is known there, and kube-scheduler counts "+
				"none; other nodes take %d, and %d pods have such volumes", listed(nodes[driver]), limited[driver], pods),
		})
	}
	return found
}

// unlimitedFor is what concerns one pod: where it is, or where it may come to while it waits.
func (o *objects) unlimitedFor(drivers []string, nodes map[string][]string) []Finding {
	var found []Finding
	for _, p := range o.pods {
		if cluster.Key(p) != o.only {
			continue
		}
		for _, driver := range o.driversOf(p) {
			without := nodes[driver]
			if p.Spec.NodeName != "" && slices.Contains(without, p.Spec.NodeName) {
				without = []string{p.Spec.NodeName}
			} else if p.Spec.NodeName != "" {
				continue
			}
			if len(without) > 0 && slices.Contains(drivers, driver) {
				found = append(found, about(p, fmt.Sprintf(
					"it has a volume of %s, which is not in the CSINode of %s: no limit of volumes is known there, and "+
						"kube-scheduler counts none", driver, listed(without),
				)))
			}
		}
	}
	return found
}

// without are the names of the nodes whose CSINode is missing, or does not list a driver, sorted. It is empty for a
// driver whose nodes have to list it.
func (o *objects) without(driver string) []string {
	if d, known := o.all.CSIDrivers.Find(driver); known && ptr.Deref(d.Spec.PreventPodSchedulingIfMissing, false) {
		return nil
	}
	var names []string
	for _, n := range o.nodes {
		c, there := o.all.CSINodes.Find(n.Name)
		if !there || !slices.ContainsFunc(c.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver }) {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return names
}

// driversOf are the CSI drivers of the volumes that a pod claims, sorted: those of bound volumes, and the provisioners
// of the classes of the others.
func (o *objects) driversOf(p *corev1.Pod) []string {
	var drivers []string
	for i := range p.Spec.Volumes {
		source := p.Spec.Volumes[i].PersistentVolumeClaim
		if source == nil {
			continue
		}
		claim, there := o.all.VolumeClaims.Find(p.Namespace + "/" + source.ClaimName)
		if !there {
			continue
		}
		if volume, there := o.all.Volumes.Find(claim.Spec.VolumeName); there && volume.Spec.CSI != nil {
			drivers = append(drivers, volume.Spec.CSI.Driver)
		} else if class, there := o.all.StorageClasses.Find(ptr.Deref(claim.Spec.StorageClassName, "")); there {
			drivers = append(drivers, class.Provisioner)
		}
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}

// listed is up to three names, and how many more there are.
func listed(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
