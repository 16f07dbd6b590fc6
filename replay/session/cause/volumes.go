package cause

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// unbound are the claims of the pod that are there and have no volume.
func (g *Given) unbound() []*corev1.PersistentVolumeClaim {
	var all []*corev1.PersistentVolumeClaim
	for _, use := range g.Pod.Claims {
		if claim, is := g.State.Objects().VolumeClaims.Find(g.Pod.Namespace() + "/" + use.Name); is &&
			claim.Spec.VolumeName == "" {
			all = append(all, claim)
		}
	}
	return all
}

// claims are those that name no class where none is the default, when the volumes of the pod are what rejects it.
func (g *Given) claims() []Cause {
	rejects := slices.ContainsFunc(g.Try.PreFilters, func(f trace.PreFiltered) bool {
		return f.Plugin == volumes && f.Verdict.Code.Rejects()
	})
	if m := g.Try.Matrix; m != nil && !rejects && m.FeasibleCount() == 0 {
		for i := range m.Nodes {
			rejects = rejects || failure(m, i, volumes) != nil
		}
	}
	if !rejects || g.hasDefault() {
		return nil
	}
	var all []Cause
	for _, claim := range g.unbound() {
		if cluster.NamesClass(claim) {
			continue
		}
		all = append(all, Cause{
			Kind: claimNoClass, Claim: claim.Name,
			Says: phrase.New("the claim %s names no class, and no class is the default", claim.Name),
		})
	}
	return all
}

func (g *Given) hasDefault() bool {
	found := false
	g.State.Objects().StorageClasses.Each(func(c *storagev1.StorageClass) bool {
		found = cluster.IsDefaultClass(c)
		return !found
	})
	return found
}

// capacities are the classes of the pod's claims whose driver publishes how much room there is, and of which there is
// no CSIStorageCapacity at all.
func (g *Given) capacities(m *trace.Matrix) []Cause {
	lacks := false
	for i := range m.Nodes {
		f := failure(m, i, volumes)
		lacks = lacks || f != nil && slices.Contains(f.Verdict.Reasons, reasonFull)
	}
	if !lacks {
		return nil
	}
	var all []Cause
	for _, claim := range g.unbound() {
		class, is := g.State.Objects().StorageClasses.Find(cluster.ClaimClass(claim))
		if !is {
			continue
		}
		driver, is := g.State.Objects().CSIDrivers.Find(class.Provisioner)
		if !is || driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity {
			continue
		}
		some := false
		g.State.Objects().CSIStorageCapacities.Each(func(c *storagev1.CSIStorageCapacity) bool {
			some = c.StorageClassName == class.Name
			return !some
		})
		if !some {
			all = append(all, Cause{
				Kind: noCapacity, Claim: claim.Name, Class: class.Name, Driver: driver.Name,
				Says: phrase.New("the driver %s publishes how much room it has, and there is no CSIStorageCapacity of class %s",
					driver.Name, class.Name),
			})
		}
	}
	return all
}

// drivers are those of a placed pod's volumes that its node does not list.
func (g *Given) drivers() []Cause {
	node, is := g.State.Objects().CSINodes.Find(g.Pod.NodeName)
	if !is {
		return nil
	}
	var all []Cause
	for _, use := range g.Pod.Claims {
		driver := g.driverOf(use.Name)
		if driver == "" || hasDriver(node, driver) || !g.isRegistered(driver) ||
			slices.ContainsFunc(all, func(c Cause) bool { return c.Driver == driver }) {
			continue
		}
		all = append(all, Cause{
			Kind: noDriver, Nodes: []string{node.Name}, Driver: driver, Claim: use.Name,
			Says: phrase.New("the driver %s of its volumes is not registered on %s", driver, node.Name),
		})
	}
	return all
}

func hasDriver(n *storagev1.CSINode, driver string) bool {
	return slices.ContainsFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
}

// isRegistered reports whether some node lists a driver: else the input may just not show it.
func (g *Given) isRegistered(driver string) bool {
	found := false
	g.State.Objects().CSINodes.Each(func(n *storagev1.CSINode) bool {
		found = hasDriver(n, driver)
		return !found
	})
	return found
}

// driverOf is the CSI driver of a claim's volume, or of its class; "" when neither is known.
func (g *Given) driverOf(name string) string {
	claim, is := g.State.Objects().VolumeClaims.Find(g.Pod.Namespace() + "/" + name)
	if !is {
		return ""
	}
	if v, there := g.State.Objects().Volumes.Find(claim.Spec.VolumeName); there && v.Spec.CSI != nil {
		return v.Spec.CSI.Driver
	}
	if class, there := g.State.Objects().StorageClasses.Find(cluster.ClaimClass(claim)); there {
		return class.Provisioner
	}
	return ""
}
