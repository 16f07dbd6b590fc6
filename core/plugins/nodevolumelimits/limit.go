package nodevolumelimits

import (
	"crypto/sha1" //nolint:gosec // it names resources and keeps no secret
	"encoding/hex"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// limit is how many volumes of a driver a node takes.
type limit struct {
	driver string
	most   int64
}

// limitsOf are the limits of a CSINode, in its order.
func limitsOf(csi *storagev1.CSINode) []limit {
	var limits []limit
	if csi == nil {
		return nil
	}
	for i := range csi.Spec.Drivers {
		if most, limited := limitOf(&csi.Spec.Drivers[i]); limited && !isRepeated(csi.Spec.Drivers, i) {
			limits = append(limits, limit{csi.Spec.Drivers[i].Name, most})
		}
	}
	return limits
}

// oldLimits are the limits of the CSINode, and for other drivers of the pod those among the node's resources.
func (c *check) oldLimits(node *cluster.Node, csi *storagev1.CSINode) []limit {
	limits := limitsOf(csi)
	for _, v := range c.fresh {
		name := limitKey(v.driver)
		if node.Allocatable.HasScalar(name) &&
			!slices.ContainsFunc(limits, func(l limit) bool { return l.driver == v.driver }) {
			limits = append(limits, limit{v.driver, node.Allocatable.Scalar(name)})
		}
	}
	return limits
}

// limitKey is the resource of a node that holds its limit of volumes of a driver. A name that is too long is cut and
// ends with a hash.
func limitKey(driver string) corev1.ResourceName {
	const prefix, longest, kept, hashed = "attachable-volumes-csi-", 63, 23, 16
	if len(prefix)+len(driver) < longest {
		return corev1.ResourceName(prefix + driver)
	}
	sum := sha1.Sum([]byte(driver)) //nolint:gosec // as above
	return corev1.ResourceName(prefix + driver[:kept] + hex.EncodeToString(sum[:])[:hashed])
}
