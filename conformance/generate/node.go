package generate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The vocabulary of node labels: few enough that selectors meet them.
var (
	zones      = []string{"eu-1a", "eu-1b", "eu-1c"}
	nodeLabels = map[string][]string{
		"disktype":                     {"ssd", "hdd"},
		"pool":                         {"general", "batch", "gpu"},
		corev1.LabelInstanceTypeStable: {"m5.large", "m5.xlarge"},
	}
	nodeLabelKeys = []string{"disktype", "pool", corev1.LabelInstanceTypeStable, "cores"}
	taintKeys     = []string{"dedicated", "spot", "node.kubernetes.io/not-ready"}
	images        = []string{
		"registry.k8s.io/pause:3.10", "docker.io/library/nginx:1.29", "docker.io/library/postgres:17",
		"ghcr.io/example/model:v3", "docker.io/library/redis:latest",
	}
	imageSizes = []int64{700 << 10, 70 << 20, 430 << 20, 9 << 30, 45 << 20}
)

// extendedResources are drawn on nodes and in requests.
var extendedResources = []corev1.ResourceName{"example.com/fpga", "example.com/licence"}

func (w *world) drawNodes() {
	count := w.between(1, 12)
	if w.has(Large) {
		count = w.between(100, 160)
	} else if w.percent(1) {
		count = 0
	}
	for range count {
		w.nodes = append(w.nodes, w.node())
	}
	for _, node := range w.nodes {
		w.csiNode(node)
	}
}

func (w *world) node() *corev1.Node {
	name := w.name("node")
	node := &corev1.Node{ObjectMeta: w.meta("", name)}
	w.labelNode(node)
	w.equip(node)
	node.Spec.Taints = w.taints()
	if w.percent(w.weights[Cordons] / 2) {
		node.Spec.Unschedulable = true
		if w.percent(80) {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
				Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
			})
		}
	}
	node.Status.Phase = corev1.NodeRunning
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	if w.has(Images) {
		w.pullImages(node)
	}
	if w.has(DeclaredFeatures) {
		node.Status.DeclaredFeatures = some(
			&w.dice, []string{"RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"}, 2,
		)
	}
	return stored(node)
}

func (w *world) labelNode(node *corev1.Node) {
	node.Labels[corev1.LabelOSStable] = "linux"
	node.Labels[corev1.LabelArchStable] = "amd64"
	if !w.percent(w.weights[MissingLabels] / 4) {
		node.Labels[corev1.LabelHostname] = node.Name
	}
	if w.has(Zones) && !w.percent(w.weights[MissingLabels]/2) {
		zone := pick(&w.dice, zones)
		node.Labels[corev1.LabelTopologyZone] = zone
		node.Labels[corev1.LabelTopologyRegion] = zone[:4]
		if w.percent(w.weights[MissingLabels] / 5) { // an old node: beta labels only
			node.Labels = map[string]string{
				corev1.LabelHostname: node.Name, corev1.LabelFailureDomainBetaZone: zone,
				corev1.LabelFailureDomainBetaRegion: zone[:4],
			}
		}
	}
	for _, key := range nodeLabelKeys[:3] {
		if !w.has(MissingLabels) {
			node.Labels[key] = pick(&w.dice, nodeLabels[key])
		}
	}
	if !w.has(MissingLabels) {
		node.Labels["cores"] = fmt.Sprint(pick(&w.dice, []int{2, 4, 8, 16}))
	}
}

func (w *world) equip(node *corev1.Node) {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(pick(&w.dice, []string{"4", "2", "8", "16"})),
		corev1.ResourceMemory: resource.MustParse(pick(&w.dice, []string{"8Gi", "4Gi", "16Gi", "32Gi"})),
		corev1.ResourcePods:   resource.MustParse(pick(&w.dice, []string{"110", "110", "110", "110", "6", "3"})),
	}
	if w.has(OddQuantities) {
		capacity[corev1.ResourceCPU] = resource.MustParse(pick(&w.dice, []string{"3920m", "1930m", "7910m", "0"}))
		capacity[corev1.ResourceMemory] = resource.MustParse(
			pick(&w.dice, []string{"7936904Ki", "3.5G", "16e9", "8589934592"}),
		)
	}
	if w.often(EphemeralStorage) {
		capacity[corev1.ResourceEphemeralStorage] = resource.MustParse(pick(&w.dice, []string{"100Gi", "94477937300", "8Gi"}))
	}
	if w.often(HugePages) {
		capacity["hugepages-2Mi"] = resource.MustParse(pick(&w.dice, []string{"1Gi", "64Mi", "0"}))
	}
	for _, name := range extendedResources {
		if w.often(ExtendedResources) {
			capacity[name] = resource.MustParse(pick(&w.dice, []string{"8", "4", "2", "0"}))
		}
	}
	node.Status.Capacity = capacity
	node.Status.Allocatable = capacity.DeepCopy()
}

func (w *world) taints() []corev1.Taint {
	var taints []corev1.Taint
	for _, key := range taintKeys {
		if !w.percent(w.weights[Taints] / 3) {
			continue
		}
		effect := pick(&w.dice, []corev1.TaintEffect{
			corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectPreferNoSchedule,
			corev1.TaintEffectNoExecute,
		})
		taint := corev1.Taint{Key: key, Effect: effect}
		if key == "dedicated" {
			taint.Value = pick(&w.dice, []string{"db", "batch"})
		}
		taints = append(taints, taint)
	}
	return taints
}

func (w *world) pullImages(node *corev1.Node) {
	for i, name := range images {
		if w.percent(60) {
			node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
				Names: []string{name, fmt.Sprintf("%s@sha256:%064d", name, i)}, SizeBytes: imageSizes[i],
			})
		}
	}
}
