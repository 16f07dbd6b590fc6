package host

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"
)

// view is nodes by place and by name.
type view struct {
	nodes  []fwk.NodeInfo
	byName map[string]fwk.NodeInfo
}

func viewOf(nodes []fwk.NodeInfo) view {
	v := view{nodes, make(map[string]fwk.NodeInfo, len(nodes))}
	for _, n := range nodes {
		v.byName[n.Node().Name] = n
	}
	return v
}

// lister is the snapshot of a cycle, as Handle.SnapshotSharedLister gives it.
type lister struct {
	view
	of     *instance
	groups *groups
}

// show makes it the snapshot of another cycle. Plugins keep the lister that they got when they were made.
func (l *lister) show(nodes []fwk.NodeInfo) { l.view = viewOf(nodes) }

// NodeInfos is the snapshot's nodes.
func (l *lister) NodeInfos() fwk.NodeInfoLister { return l }

// StorageInfos is the snapshot's claims.
func (l *lister) StorageInfos() fwk.StorageInfoLister { return l }

// PodGroupStates is those of the State.
func (l *lister) PodGroupStates() fwk.PodGroupStateLister { return l.groups.PodGroupStates() }

// PodGroups is those of the State.
func (l *lister) PodGroups() fwk.PodGroupLister { return l.groups.PodGroups() }

// CompositePodGroupStates has none.
func (l *lister) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return l.groups.CompositePodGroupStates()
}

// CompositePodGroups has none.
func (l *lister) CompositePodGroups() fwk.CompositePodGroupLister {
	return l.groups.CompositePodGroups()
}

// List is all nodes, in the order of the snapshot.
func (l *lister) List() ([]fwk.NodeInfo, error) { return l.nodes, nil }

// HavePodsWithAffinityList is the nodes with such pods.
func (l *lister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return l.having(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithAffinity()) > 0 }), nil
}

// HavePodsWithRequiredAntiAffinityList is the nodes with such pods.
func (l *lister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.having(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredAntiAffinity()) > 0 }), nil
}

// HavePodsWithRequiredNonHostScopedAntiAffinityList is the nodes with such pods.
func (l *lister) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.having(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredNonHostScopedAntiAffinity()) > 0 }), nil
}

func (l *lister) having(has func(fwk.NodeInfo) bool) []fwk.NodeInfo {
	var list []fwk.NodeInfo
	for _, n := range l.nodes {
		if has(n) {
			list = append(list, n)
		}
	}
	return list
}

// Get is one node.
func (l *lister) Get(name string) (fwk.NodeInfo, error) {
	if n, has := l.byName[name]; has {
		return n, nil
	}
	return nil, fmt.Errorf("nodeinfo not found for node name %q", name)
}

// IsPVCUsedByPods reports whether a pod on some node uses the claim.
func (l *lister) IsPVCUsedByPods(key string) bool {
	for _, n := range l.nodes {
		if n.GetPVCRefCounts()[key] > 0 {
			return true
		}
	}
	return false
}
