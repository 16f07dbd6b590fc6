package importer

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// apiObject is what every typed object is.
type apiObject interface {
	runtime.Object
	metav1.Object
}

// kindRow is one kind that is decoded into a typed object.
type kindRow struct {
	kind  string
	group string
	// version is the one of the typed object; older ones are read into it.
	version string
	older   []string
	// olderGroup once served the kind in place of group.
	olderGroup string
	// names are plural and short names, without dashes, as files and folders are called.
	names []string
	scope scope
	make  func() apiObject
	// adapt rewrites the JSON of an older version, when its shape differs.
	adapt func(version string, raw []byte) ([]byte, error)
	// settle finishes an object that came in an older version.
	settle func(version string, object apiObject)
	// guess says what the default profile cannot know without the kind; empty when it does not read it.
	guess string
	// rank orders kinds as cluster objects arrive; pods come last.
	rank int
}

type scope int

const (
	namespaced scope = iota
	clusterWide
)

// kindTable is the kinds that are read. Ranks: namespaces, classes, nodes, storage, services and owners, groups, pods.
var kindTable = []kindRow{
	{
		kind: "Namespace", version: "v1", names: []string{"namespaces", "namespace", "ns"}, scope: clusterWide, rank: 10,
		make:  func() apiObject { return &corev1.Namespace{} },
		guess: "InterPodAffinity: a namespaceSelector matches no namespace",
	},
	{
		kind: "LimitRange", version: "v1", names: []string{"limitranges", "limitrange", "limits"}, rank: 12,
		make: func() apiObject { return &corev1.LimitRange{} },
	},
	{
		kind: "PriorityClass", group: "scheduling.k8s.io", version: "v1", older: []string{"v1beta1", "v1alpha1"},
		names: []string{"priorityclasses", "priorityclass", "pc"}, scope: clusterWide, rank: 20,
		make:  func() apiObject { return &schedulingv1.PriorityClass{} },
		guess: "priorities of pods that carry only a class name",
	},
	{
		kind: "RuntimeClass", group: "node.k8s.io", version: "v1", older: []string{"v1beta1"},
		names: []string{"runtimeclasses", "runtimeclass"}, scope: clusterWide, rank: 21,
		make: func() apiObject { return &nodev1.RuntimeClass{} },
	},
	{
		kind: "StorageClass", group: "storage.k8s.io", version: "v1", older: []string{"v1beta1"},
		names: []string{"storageclasses", "storageclass", "sc"}, scope: clusterWide, rank: 22,
		make:  func() apiObject { return &storagev1.StorageClass{} },
		guess: "VolumeBinding: unbound claims have no class to wait for",
	},
	{
		kind: "DeviceClass", group: "resource.k8s.io", version: "v1", older: resourceVersions,
		names: []string{"deviceclasses", "deviceclass"}, scope: clusterWide, rank: 23,
		make:  func() apiObject { return &resourcev1.DeviceClass{} },
		guess: "DynamicResources: no class of devices exists",
	},
	{
		kind: "Node", version: "v1", names: []string{"nodes", "node", "no"}, scope: clusterWide, rank: 30,
		make:  func() apiObject { return &corev1.Node{} },
		guess: "every pod is unschedulable: there are 0 nodes",
	},
	{
		kind: "CSINode", group: "storage.k8s.io", version: "v1", older: []string{"v1beta1"},
		names: []string{"csinodes", "csinode"}, scope: clusterWide, rank: 40,
		make:  func() apiObject { return &storagev1.CSINode{} },
		guess: "NodeVolumeLimits: no node has a volume limit",
	},
	{
		kind: "CSIDriver", group: "storage.k8s.io", version: "v1", older: []string{"v1beta1"},
		names: []string{"csidrivers", "csidriver"}, scope: clusterWide, rank: 41,
		make:  func() apiObject { return &storagev1.CSIDriver{} },
		guess: "VolumeBinding: no driver asks for a capacity check",
	},
	{
		kind: "CSIStorageCapacity", group: "storage.k8s.io", version: "v1", older: []string{"v1beta1", "v1alpha1"},
		names: []string{"csistoragecapacities", "csistoragecapacity"}, rank: 42,
		make:  func() apiObject { return &storagev1.CSIStorageCapacity{} },
		guess: "VolumeBinding: drivers that report capacity seem to have none",
	},
	{
		kind: "PersistentVolume", version: "v1", names: []string{"persistentvolumes", "persistentvolume", "pvs", "pv"},
		scope: clusterWide, rank: 43,
		make:  func() apiObject { return &corev1.PersistentVolume{} },
		guess: "VolumeBinding, VolumeZone: bound claims point to volumes nobody knows",
	},
	{
		kind: "PersistentVolumeClaim", version: "v1",
		names: []string{"persistentvolumeclaims", "persistentvolumeclaim", "pvcs", "pvc"}, rank: 44,
		make:  func() apiObject { return &corev1.PersistentVolumeClaim{} },
		guess: "VolumeBinding: pods with claims are unschedulable",
	},
	{
		kind: "VolumeAttachment", group: "storage.k8s.io", version: "v1", older: []string{"v1beta1", "v1alpha1"},
		names: []string{"volumeattachments", "volumeattachment"}, scope: clusterWide, rank: 45,
		make:  func() apiObject { return &storagev1.VolumeAttachment{} },
		guess: "NodeVolumeLimits: volumes still attached to a node are not counted",
	},
	{
		kind: "ResourceSlice", group: "resource.k8s.io", version: "v1", older: resourceVersions,
		names: []string{"resourceslices", "resourceslice"}, scope: clusterWide, rank: 46,
		make: func() apiObject { return &resourcev1.ResourceSlice{} }, adapt: adaptSlice,
		guess: "DynamicResources: no node has devices",
	},
	{
		kind: "DeviceTaintRule", group: "resource.k8s.io", version: "v1", older: resourceVersions,
		names: []string{"devicetaintrules", "devicetaintrule"}, scope: clusterWide, rank: 47,
		make:  func() apiObject { return &resourcev1.DeviceTaintRule{} },
		guess: "DynamicResources: no device is tainted by a rule",
	},
	{
		kind: "ResourceClaimTemplate", group: "resource.k8s.io", version: "v1", older: resourceVersions,
		names: []string{"resourceclaimtemplates", "resourceclaimtemplate"}, rank: 48,
		make: func() apiObject { return &resourcev1.ResourceClaimTemplate{} }, adapt: adaptTemplate,
	},
	{
		kind: "ResourceClaim", group: "resource.k8s.io", version: "v1", older: resourceVersions,
		names: []string{"resourceclaims", "resourceclaim"}, rank: 49,
		make: func() apiObject { return &resourcev1.ResourceClaim{} }, adapt: adaptClaim,
		guess: "DynamicResources: devices in use look free, pods with claims are unschedulable",
	},
	{
		kind: "Service", version: "v1", names: []string{"services", "service", "svc"}, rank: 50,
		make:  func() apiObject { return &corev1.Service{} },
		guess: "PodTopologySpread: default constraints find no owner of a pod",
	},
	{
		kind: "ReplicationController", version: "v1",
		names: []string{"replicationcontrollers", "replicationcontroller", "rc"}, rank: 51,
		make:  func() apiObject { return &corev1.ReplicationController{} },
		guess: "PodTopologySpread: default constraints find no owner of a pod",
	},
	{
		kind: "ReplicaSet", group: "apps", version: "v1", older: []string{"v1beta2", "v1beta1"}, olderGroup: "extensions",
		names: []string{"replicasets", "replicaset", "rs"}, rank: 52,
		make: func() apiObject { return &appsv1.ReplicaSet{} }, settle: settleOwner,
		guess: "PodTopologySpread: default constraints find no owner of a pod",
	},
	{
		kind: "StatefulSet", group: "apps", version: "v1", older: []string{"v1beta2", "v1beta1"},
		names: []string{"statefulsets", "statefulset", "sts"}, rank: 53,
		make: func() apiObject { return &appsv1.StatefulSet{} }, settle: settleOwner,
		guess: "PodTopologySpread: default constraints find no owner of a pod",
	},
	{
		kind: "PodDisruptionBudget", group: "policy", version: "v1", older: []string{"v1beta1"},
		names: []string{"poddisruptionbudgets", "poddisruptionbudget", "pdbs", "pdb"}, rank: 54,
		make: func() apiObject { return &policyv1.PodDisruptionBudget{} }, settle: settleBudget,
		guess: "preemption: no victim is protected by a budget",
	},
	{
		kind: "Workload", group: "scheduling.k8s.io", version: "v1beta1", older: []string{"v1alpha3"},
		names: []string{"workloads", "workload"}, rank: 60,
		make: func() apiObject { return &schedulingv1beta1.Workload{} },
	},
	{
		kind: "CompositePodGroup", group: "scheduling.k8s.io", version: "v1alpha3",
		names: []string{"compositepodgroups", "compositepodgroup"}, rank: 61,
		make: func() apiObject { return &schedulingv1alpha3.CompositePodGroup{} },
	},
	{
		kind: "PodGroup", group: "scheduling.k8s.io", version: "v1beta1", older: []string{"v1alpha3"},
		names: []string{"podgroups", "podgroup"}, rank: 62,
		make:  func() apiObject { return &schedulingv1beta1.PodGroup{} },
		guess: "GangScheduling: pods of a group wait for it",
	},
	{
		kind: "Pod", version: "v1", names: []string{"pods", "pod", "po"}, rank: podRank,
		make:  func() apiObject { return &corev1.Pod{} },
		guess: "there is nothing to place, and no node is in use",
	},
}

// podRank is the last: pods arrive when everything they refer to is there.
const podRank = 100

// resourceVersions are the older versions of resource.k8s.io.
var resourceVersions = []string{"v1beta2", "v1beta1", "v1alpha3"}

// apiVersion is the typed object's.
func (k *kindRow) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// reads reports whether objects of a version are understood. No version at all is taken for the newest.
func (k *kindRow) reads(version string) bool {
	return version == "" || version == k.version || slices.Contains(k.older, version)
}

// rowOf finds a kind; group is ignored when apiVersion is empty.
func rowOf(meta typeMeta) (row *kindRow, version string) {
	group, version, slash := strings.Cut(meta.apiVersion, "/")
	if !slash {
		group, version = "", meta.apiVersion
	}
	for i := range kindTable {
		k := &kindTable[i]
		if k.kind == meta.kind && (group == k.group || meta.apiVersion == "" || slash && group == k.olderGroup) {
			return k, version
		}
	}
	return nil, ""
}

// nearKind finds the kind someone meant who wrote it in other letters, or under another of Kubernetes' own groups.
// Kinds of other projects may share a name and are not meant.
func nearKind(meta typeMeta) *kindRow {
	group, _, _ := strings.Cut(meta.apiVersion, "/")
	if !strings.Contains(meta.apiVersion, "/") {
		group = ""
	}
	for i := range kindTable {
		k := &kindTable[i]
		if strings.EqualFold(k.kind, meta.kind) && (!strings.Contains(group, ".") || group == k.group) {
			return k
		}
	}
	return nil
}

// rowNamed finds a kind by the name of a file or folder.
func rowNamed(name string) *kindRow {
	for i := range kindTable {
		if slices.Contains(kindTable[i].names, name) {
			return &kindTable[i]
		}
	}
	return nil
}

// rowOfKind finds the row of a kind that is known to be in the table.
func rowOfKind(kind string) *kindRow {
	for i := range kindTable {
		if kindTable[i].kind == kind {
			return &kindTable[i]
		}
	}
	return nil
}

// templateKinds have pod templates from which no pods are made here.
var templateKinds = []string{"Deployment", "DaemonSet", "Job", "CronJob", "PodTemplate"}

// whyLeft is the reason for leaving out a kind that is not in the table.
func whyLeft(kind string) string {
	if slices.Contains(templateKinds, kind) {
		return "no pods are made from its template"
	}
	return ""
}

// absent lists the kinds the default profile reads and the input did not hold.
func absent(held []string) []Absence {
	var list []Absence
	for i := range kindTable {
		k := &kindTable[i]
		if k.guess != "" && !slices.Contains(held, k.kind) {
			list = append(list, Absence{Kind: k.kind, Guess: k.guess})
		}
	}
	return list
}

// Guess tells of a kind that an input could not hold which verdicts are guesses without it; of a kind that the default
// profile does not read it tells nothing.
func Guess(kind string) Absence {
	a := Absence{Kind: kind}
	if row := rowOfKind(kind); row != nil {
		a.Guess = row.guess
	}
	return a
}
