package core_test

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/build"
)

func (p *pair) node(rt *rapid.T) {
	name := fmt.Sprint("n", rapid.IntRange(0, 6).Draw(rt, "node"))
	node, known := p.with.State().Node(name)
	switch {
	case !known:
		p.apply(rt, cluster.Add, p.drawNode(rt, name))
	case rapid.IntRange(0, 7).Draw(rt, "gone") == 0:
		p.apply(rt, cluster.Delete, node.API.DeepCopy())
	default:
		p.apply(rt, cluster.Update, p.changeNode(rt, node.API.DeepCopy()))
	}
}

func (p *pair) drawNode(rt *rapid.T, name string) *corev1.Node {
	n := build.Node(name, build.NodeLabels(corev1.LabelHostname, name), build.Allocatable(corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("3"), corev1.ResourceMemory: resource.MustParse("4Gi"),
		corev1.ResourcePods: resource.MustParse("6"),
	}))
	for range 4 {
		n = p.changeNode(rt, n)
	}
	return n
}

// changeNode changes one thing that a plugin reads.
func (p *pair) changeNode(rt *rapid.T, n *corev1.Node) *corev1.Node {
	pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(rt, "value") }
	switch rapid.IntRange(0, 8).Draw(rt, "change") {
	case 0:
		n.Labels[corev1.LabelTopologyZone] = pick("a", "b")
	case 1:
		n.Labels["disk"] = pick("ssd", "hdd")
	case 2:
		n.Spec.Taints = nil
		if effect := pick("", "NoSchedule", "PreferNoSchedule"); effect != "" {
			n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "x", Effect: corev1.TaintEffect(effect)}}
		}
	case 3:
		n.Spec.Unschedulable = !n.Spec.Unschedulable
	case 4:
		n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse(pick("1", "2", "3", "8"))
	case 5:
		n.Status.Allocatable["example.com/gpu"] = resource.MustParse(pick("0", "1", "3"))
	case 6:
		n.Status.Images = nil
		if size := pick("", "50000000", "900000000"); size != "" {
			bytes := resource.MustParse(size)
			n.Status.Images = []corev1.ContainerImage{{Names: []string{"big:latest"}, SizeBytes: bytes.Value()}}
		}
	case 7:
		n.Status.DeclaredFeatures = nil
		if feature := pick("", "InPlacePodLevelResourcesVerticalScaling"); feature != "" {
			n.Status.DeclaredFeatures = []string{feature}
		}
	case 8:
		n.Annotations = map[string]string{"heartbeat": pick("1", "2")}
	}
	return n
}

// pods adds pods of one template.
func (p *pair) pods(rt *rapid.T) {
	template := rapid.IntRange(0, len(templates)-1).Draw(rt, "template")
	for range rapid.IntRange(1, 4).Draw(rt, "pods") {
		name := fmt.Sprint("p", len(p.keys))
		p.keys = append(p.keys, "default/"+name)
		pod := build.Pod(name, build.PodLabels("app", "a"))
		pod.Spec.SchedulerName, pod.Spec.Priority = "default-scheduler", ptr.To[int32](0)
		pod.Spec.Containers = []corev1.Container{build.Requests(corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("500Mi"),
		})}
		templates[template](pod)
		p.apply(rt, cluster.Add, pod)
	}
}

// pod changes a pod, takes it away, or shows one that another scheduler placed.
func (p *pair) pod(rt *rapid.T) {
	if len(p.keys) == 0 {
		return
	}
	key := rapid.SampledFrom(p.keys).Draw(rt, "key")
	there, known := p.with.State().Pod(key)
	if !known {
		return
	}
	pod := there.API.DeepCopy()
	switch rapid.IntRange(0, 5).Draw(rt, "what") {
	case 0, 1:
		p.placed = slices.DeleteFunc(p.placed, func(o *corev1.Pod) bool { return o.UID == pod.UID })
		p.apply(rt, cluster.Delete, pod)
		return
	case 2:
		pod.DeletionTimestamp = &metav1.Time{Time: p.with.Now()}
	case 3:
		pod.Labels = build.Labels("app", rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "app"))
	case 4:
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}
	case 5:
		if pod.Spec.NodeName == "" {
			pod.Status.NominatedNodeName = rapid.SampledFrom([]string{"", "n0", "n1", "gone"}).Draw(rt, "nominated")
		}
	}
	p.apply(rt, cluster.Update, pod)
}

var templates = []func(*corev1.Pod){
	func(*corev1.Pod) {},
	func(p *corev1.Pod) { p.Labels["app"] = "b" },
	func(p *corev1.Pod) { p.Spec.Priority = ptr.To[int32](7) },
	func(p *corev1.Pod) { p.Spec.Priority, p.Labels["app"] = ptr.To[int32](3), "b" },
	func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
		p.Spec.Containers[0].Image = "big"
	},
	func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} },
	func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{} },
	func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 5, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"hdd"},
				}}},
			}},
		}}
	},
	func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 80, Protocol: "TCP"}}
	},
	func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
	},
	func(p *corev1.Pod) { spreads(p, corev1.LabelTopologyZone, corev1.DoNotSchedule) },
	func(p *corev1.Pod) { spreads(p, corev1.LabelHostname, corev1.ScheduleAnyway) },
	func(p *corev1.Pod) { build.Apart(near(corev1.LabelHostname))(p) },
	func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{near(corev1.LabelTopologyZone)},
		}}
	},
	func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: 10, PodAffinityTerm: near(corev1.LabelHostname),
			}},
		}}
	},
	func(p *corev1.Pod) { build.Claims("c")(p) },
	func(p *corev1.Pod) {
		build.Volumes(corev1.VolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "v"}})(p)
	},
	func(p *corev1.Pod) { p.Spec.NodeName = "n1" },
	func(p *corev1.Pod) { p.Spec.Containers = []corev1.Container{{Name: "small", Image: "big"}} },
}

func spreads(p *corev1.Pod, key string, otherwise corev1.UnsatisfiableConstraintAction) {
	p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: otherwise,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}},
	}}
}

func near(key string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "b"}},
	}
}

// object adds, changes or takes away an object that is neither a node nor a pod.
func (p *pair) object(rt *rapid.T) {
	action := rapid.SampledFrom([]cluster.Action{cluster.Add, cluster.Update, cluster.Delete}).Draw(rt, "action")
	meta := metav1.ObjectMeta{Name: "c", Namespace: "default", UID: "c"}
	everywhere := metav1.ObjectMeta{Name: "c", UID: "c"}
	pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(rt, "value") }
	var o cluster.Object
	switch rapid.IntRange(0, 7).Draw(rt, "kind") {
	case 0:
		o = &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: build.Labels("app", pick("a", "b"))}}
	case 1:
		o = &resourcev1.DeviceClass{ObjectMeta: everywhere, Spec: resourcev1.DeviceClassSpec{
			ExtendedResourceName: ptr.To(pick("example.com/gpu", "example.com/other")),
		}}
	case 2:
		node := pick("n0", "n1")
		o = &resourcev1.ResourceSlice{ObjectMeta: everywhere, Spec: resourcev1.ResourceSliceSpec{
			Driver: "d", Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}, NodeName: &node,
			Devices: []resourcev1.Device{{Name: "one"}, {Name: "two"}},
		}}
	case 3:
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: meta}
		claim.Spec.StorageClassName, claim.Spec.VolumeName = ptr.To("c"), pick("", "c")
		if claim.Spec.VolumeName != "" {
			claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		}
		o = claim
	case 4:
		volume := &corev1.PersistentVolume{ObjectMeta: everywhere}
		volume.Labels = map[string]string{corev1.LabelTopologyZone: pick("a", "b")}
		volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "default", Name: "c", UID: "c"}
		o = volume
	case 5:
		o = &storagev1.StorageClass{
			ObjectMeta: everywhere, VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
		}
	case 6:
		o = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: build.Labels("team", pick("x", "y"))}}
	case 7:
		o = &policyv1.PodDisruptionBudget{ObjectMeta: meta, Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: build.Labels("app", "a")}, MinAvailable: ptr.To(intstr.FromInt32(1)),
		}}
	}
	o.SetUID(types.UID("c"))
	p.apply(rt, action, o)
}
