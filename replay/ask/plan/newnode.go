package plan

import (
	"maps"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// NewNode is what a new node has otherwise than the one that it is made like.
type NewNode struct {
	Release string              // of its kubelet, such as 1.37.1
	Labels  map[string]string   // a value "" takes the label off
	Size    corev1.ResourceList // what it has of resources
	Like    *corev1.Node        // it is made like this one; nil: like the one that it replaces
}

// nodeLike is a new node of the same kind as another one.
func nodeLike(old *corev1.Node, name string, of NewNode) *corev1.Node {
	n := owner.NodeLike(old, name, of.Size)
	n.UID = types.UID("new-" + name)
	for key, value := range of.Labels {
		if n.Labels[key] = value; value == "" {
			delete(n.Labels, key)
		}
	}
	if of.Release != "" {
		n.Status.NodeInfo.KubeletVersion = "v" + strings.TrimPrefix(of.Release, "v")
	}
	return n
}

// ReadNode reads the manifest of a Node that new nodes are made like.
func ReadNode(manifest []byte) (*corev1.Node, error) {
	n := &corev1.Node{}
	if err := yaml.Unmarshal(manifest, n); err != nil {
		return nil, err
	}
	if n.Kind != string(cluster.KindNode) {
		return nil, errNoNode
	}
	if _, _, err := wholeNode(n); err != nil {
		return nil, err
	}
	return n, nil
}

// errNoNode is what is wrong with a manifest from which no node can be made.
var errNoNode = phrase.Errorf("it is no Node with status.allocatable")

// usualPods is how many pods a kubelet admits where it is not configured (maxPods of KubeletConfiguration, 1.37).
const usualPods = 110

// wholeNode is a node that is written by hand, with what a kubelet would fill in. usual: that is the number of pods.
func wholeNode(written *corev1.Node) (n *corev1.Node, usual bool, err error) {
	n = written.DeepCopy()
	has := &n.Status.Allocatable
	if len(*has) == 0 {
		*has = maps.Clone(n.Status.Capacity)
	}
	if len(*has) == 0 {
		return nil, false, errNoNode
	}
	if _, is := (*has)[corev1.ResourcePods]; is {
		return n, false, nil
	}
	if most, is := n.Status.Capacity[corev1.ResourcePods]; is {
		(*has)[corev1.ResourcePods] = most
		return n, false, nil
	}
	(*has)[corev1.ResourcePods] = *resource.NewQuantity(usualPods, resource.DecimalSI)
	return n, true, nil
}

// assumedPods is the sentence about nodes that are written without a number of pods.
func assumedPods(kinds int) phrase.Text {
	return phrase.Count(kinds,
		"kind of new nodes is written without a number of pods: each admits 110, as a kubelet that is not configured",
		"kinds of new nodes are written without a number of pods: each admits 110, as a kubelet that is not configured")
}

func isCordon(t *corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable }

// freeNode is a name that no node has: the one that is wanted, or with the first number behind it that makes it so.
func (r *run) freeNode(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, taken := r.state().Node(free); !taken {
			return free
		}
		free = name + "-" + strconv.Itoa(n)
	}
}

// join adds a node like another one to a run, with the drivers and the devices of that one.
func (r *run) join(old *corev1.Node, n *corev1.Node) {
	all := []cluster.Object{n}
	if drivers, is := r.state().Objects().CSINodes.Find(old.Name); is {
		own := &storagev1.CSINode{TypeMeta: drivers.TypeMeta, Spec: *drivers.Spec.DeepCopy()}
		own.Name, own.UID = n.Name, n.UID
		for i := range own.Spec.Drivers {
			own.Spec.Drivers[i].NodeID = n.Name
		}
		all = []cluster.Object{own, n}
	}
	r.add(append(r.devicesOf(old.Name, n), all...)...)
}

// devicesOf are the ResourceSlices that drivers publish of a new node which is like an old one. A pool of devices is
// named after its node, as a rule.
func (r *run) devicesOf(old string, n *corev1.Node) (all []cluster.Object) {
	for _, slice := range r.state().Objects().TaintedSlices() {
		raw, _ := r.state().Find(cluster.KindResourceSlice, slice.Name) // without the taints of DeviceTaintRules
		of, is := raw.(*resourcev1.ResourceSlice)
		if !is || of.Spec.NodeName == nil || *of.Spec.NodeName != old {
			continue
		}
		own := &resourcev1.ResourceSlice{TypeMeta: of.TypeMeta, Spec: *of.Spec.DeepCopy()}
		own.Name, own.UID = n.Name+"-"+of.Name, n.UID+"-"+types.UID(of.Name)
		own.Spec.NodeName = &n.Name
		if own.Spec.Pool.Name += "-" + n.Name; of.Spec.Pool.Name == old {
			own.Spec.Pool.Name = n.Name
		}
		all = append(all, own)
	}
	return all
}
