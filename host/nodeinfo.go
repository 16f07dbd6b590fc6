package host

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
)

// infos are the nodes of a State as kube-scheduler's framework has them. A node is made again when it has changed.
type infos struct {
	byName map[string]madeInfo
	pods   map[*cluster.Pod]*corev1.Pod // those that have no UID of their own, with one
}

type madeInfo struct {
	node       *cluster.Node // it may be written in place, which gives it another generation
	generation int64
	info       *framework.NodeInfo
}

func newInfos() *infos {
	return &infos{byName: map[string]madeInfo{}, pods: map[*cluster.Pod]*corev1.Pod{}}
}

// fork is a copy. What it shares is not written.
func (i *infos) fork() *infos {
	f := newInfos()
	for name, made := range i.byName {
		f.byName[name] = made
	}
	return f
}

// pod is a pod with a UID, which manifests lack and plugins know pods by.
func (i *infos) pod(p *cluster.Pod) *corev1.Pod {
	if p.API.UID != "" {
		return p.API
	}
	if known := i.pods[p]; known != nil {
		return known
	}
	named := identified(p.API)
	i.pods[p] = named
	return named
}

// identified is the pod with a UID.
func identified(p *corev1.Pod) *corev1.Pod {
	if p == nil || p.UID != "" {
		return p
	}
	named := *p
	named.UID = types.UID(cluster.UID(p))
	return &named
}

// all are the nodes of a snapshot, in its order.
func (i *infos) all(snapshot *cluster.Snapshot) []fwk.NodeInfo {
	list := make([]fwk.NodeInfo, len(snapshot.Nodes))
	for k, node := range snapshot.Nodes {
		list[k] = i.settled(node, snapshot)
	}
	return list
}

// settled is a node of a snapshot.
func (i *infos) settled(node *cluster.Node, snapshot *cluster.Snapshot) *framework.NodeInfo {
	if made, has := i.byName[node.Name]; has && made.is(node) {
		return made.info
	}
	info := i.of(node)
	info.ImageStates = map[string]*fwk.ImageStateSummary{}
	for _, image := range node.API.Status.Images {
		for _, name := range image.Names {
			if known, has := snapshot.Image(name); has {
				info.ImageStates[name] = &fwk.ImageStateSummary{Size: known.Size, NumNodes: known.Nodes}
			}
		}
	}
	info.Generation = node.Generation()
	i.byName[node.Name] = madeInfo{node, node.Generation(), info}
	return info
}

func (m madeInfo) is(node *cluster.Node) bool {
	return m.node == node && m.generation == node.Generation()
}

// find is a node of the snapshot of the cycle, or a node as it might be.
func (i *infos) find(node *cluster.Node) *framework.NodeInfo {
	if made, has := i.byName[node.Name]; has && made.is(node) {
		return made.info
	}
	return i.of(node)
}

// list is several nodes.
func (i *infos) list(nodes []*cluster.Node) []fwk.NodeInfo {
	list := make([]fwk.NodeInfo, len(nodes))
	for k, node := range nodes {
		list[k] = i.find(node)
	}
	return list
}

// of is a node with the pods that are believed to be on it.
func (i *infos) of(node *cluster.Node) *framework.NodeInfo {
	info := framework.NewNodeInfo()
	info.SetNode(node.API)
	byPod := map[*cluster.Pod]fwk.PodInfo{}
	for _, p := range node.Pods {
		made := podInfo(i.pod(p))
		byPod[p] = made
		info.AddPodInfo(made)
	}
	// Lists that lose a pod put the last one in its place, each by itself.
	info.PodsWithAffinity = listed(byPod, node.WithAffinity)
	info.PodsWithRequiredAntiAffinity = listed(byPod, node.WithRequiredAntiAffinity)
	info.UsedPorts = fwk.HostPortInfo{} // of two pods with one port, the first that goes takes it along
	for _, p := range node.Ports {
		info.UsedPorts.Add(p.IP, string(p.Protocol), p.Port)
	}
	return info
}

func listed(byPod map[*cluster.Pod]fwk.PodInfo, pods []*cluster.Pod) []fwk.PodInfo {
	list := make([]fwk.PodInfo, 0, len(pods))
	for _, p := range pods {
		list = append(list, byPod[p])
	}
	return list
}

// podInfo parses a pod. What cannot be parsed in it is left out, as kube-scheduler's cache does.
func podInfo(p *corev1.Pod) *framework.PodInfo {
	info, _ := framework.NewPodInfo(p)
	return info
}
