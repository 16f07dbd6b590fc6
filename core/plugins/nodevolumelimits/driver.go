package nodevolumelimits

import (
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
)

// isInstalled reports whether pods with volumes of the driver may come to the node: the driver is there, or does not
// require to be there first.
func (t *tally) isInstalled(driver string, csi *storagev1.CSINode) bool {
	d, ok := t.objects.CSIDrivers.Find(driver)
	if !ok || d.Spec.PreventPodSchedulingIfMissing == nil || !*d.Spec.PreventPodSchedulingIfMissing {
		return true
	}
	return csi != nil &&
		slices.ContainsFunc(csi.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}

// driversText names the drivers of a node.
func driversText(csi *storagev1.CSINode) string {
	if csi == nil || len(csi.Spec.Drivers) == 0 {
		return "no driver"
	}
	names := make([]string, len(csi.Spec.Drivers))
	for i := range names {
		names[i] = csi.Spec.Drivers[i].Name
	}
	return strings.Join(names, ", ")
}

// limitOf is how many volumes of the driver the node can take; false when the CSINode has no limit.
func limitOf(d *storagev1.CSINodeDriver) (int64, bool) {
	if d.Allocatable == nil || d.Allocatable.Count == nil {
		return 0, false
	}
	return int64(*d.Allocatable.Count), true
}

func hasLimits(csi *storagev1.CSINode) bool {
	for i := range csi.Spec.Drivers {
		if _, limited := limitOf(&csi.Spec.Drivers[i]); limited {
			return true
		}
	}
	return false
}

// isRepeated reports whether a later entry of the same driver has a limit too, which then counts.
func isRepeated(drivers []storagev1.CSINodeDriver, i int) bool {
	for k := i + 1; k < len(drivers); k++ {
		if _, limited := limitOf(&drivers[k]); limited && drivers[k].Name == drivers[i].Name {
			return true
		}
	}
	return false
}
