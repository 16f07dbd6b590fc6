package cluster

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
)

// The kinds that kube-scheduler 1.37's default profile reads, and some more.
const (
	KindPod                   Kind = "Pod"
	KindNode                  Kind = "Node"
	KindNamespace             Kind = "Namespace"
	KindService               Kind = "Service"
	KindReplicationController Kind = "ReplicationController"
	KindReplicaSet            Kind = "ReplicaSet"
	KindStatefulSet           Kind = "StatefulSet"
	KindPriorityClass         Kind = "PriorityClass"
	KindDisruptionBudget      Kind = "PodDisruptionBudget"
	KindVolume                Kind = "PersistentVolume"
	KindVolumeClaim           Kind = "PersistentVolumeClaim"
	KindStorageClass          Kind = "StorageClass"
	KindCSINode               Kind = "CSINode"
	KindCSIDriver             Kind = "CSIDriver"
	KindCSIStorageCapacity    Kind = "CSIStorageCapacity"
	KindVolumeAttachment      Kind = "VolumeAttachment"
	KindResourceClaim         Kind = "ResourceClaim"
	KindResourceSlice         Kind = "ResourceSlice"
	KindDeviceClass           Kind = "DeviceClass"
	KindDeviceTaintRule       Kind = "DeviceTaintRule"
	KindPodGroup              Kind = "PodGroup"

	// Kinds that are read before the scheduler sees a pod, or not read here at all.
	kindLimitRange            Kind = "LimitRange"
	kindRuntimeClass          Kind = "RuntimeClass"
	KindResourceClaimTemplate Kind = "ResourceClaimTemplate"
	kindWorkload              Kind = "Workload"
	kindCompositePodGroup     Kind = "CompositePodGroup"

	// KindEvent records the decisions of a scheduler. No scheduler reads it, and dumps hold it in other forms.
	KindEvent Kind = "Event"
)

// eventRow is beside the table: events come from a cluster that is followed, and from recordings of one.
var eventRow = &KindRow{
	Kind: KindEvent, Group: "events.k8s.io", Version: "v1",
	plural: "events", Short: []string{"ev"}, Namespaced: true,
	New: func() Object { return &eventsv1.Event{} }, Reader: ReadToCompare,
	Guess: "shadow: whether the events of the scheduler say the same",
}

// resourceVersions are the older versions of resource.k8s.io.
var resourceVersions = []string{"v1beta2", "v1beta1", "v1alpha3"}

// kindTable is the one table of kinds: namespaces, classes, nodes, storage, devices, services and owners, groups, pods.
// A kind that is added here is read from dumps and recordings, redacted, and missed when it is absent; what the
// scheduler believes of it is Objects' business.
var kindTable = []*KindRow{
	{
		Kind: KindNamespace, Version: "v1",
		plural: "namespaces", Short: []string{"ns"},
		New:     func() Object { return &corev1.Namespace{} },
		Guess:   "InterPodAffinity: a namespaceSelector matches no namespace",
		Need:    NeededForNamespaceSelectors,
		Private: conditionText,
	},
	{
		Kind: kindLimitRange, Version: "v1",
		plural: "limitranges", Short: []string{"limits"}, Namespaced: true,
		New: func() Object { return &corev1.LimitRange{} }, Reader: ReadByAdmission,
	},
	{
		Kind: KindPriorityClass, Group: "scheduling.k8s.io", Version: "v1", Older: []string{"v1beta1", "v1alpha1"},
		plural: "priorityclasses", Short: []string{"pc"},
		New:     func() Object { return &schedulingv1.PriorityClass{} },
		Guess:   "priorities of pods that carry only a class name",
		Need:    NeededForPriorities,
		Private: fields{{"description", prose}},
	},
	{
		Kind: kindRuntimeClass, Group: "node.k8s.io", Version: "v1", Older: []string{"v1beta1"},
		plural: "runtimeclasses",
		New:    func() Object { return &nodev1.RuntimeClass{} }, Reader: ReadByAdmission,
	},
	{
		Kind: KindStorageClass, Group: "storage.k8s.io", Version: "v1", Older: []string{"v1beta1"},
		plural: "storageclasses", Short: []string{"sc"},
		New: func() Object { return &storagev1.StorageClass{} }, wakes: StorageClassResource,
		Guess:   "VolumeBinding: unbound claims have no class to wait for",
		Need:    NeededForClaims,
		Private: fields{{"parameters", secret}, {"mountOptions", secret}},
	},
	{
		Kind: KindDeviceClass, Group: "resource.k8s.io", Version: "v1", Older: resourceVersions,
		plural: "deviceclasses",
		New:    func() Object { return &resourcev1.DeviceClass{} }, wakes: DeviceClassResource,
		Guess:   "DynamicResources: no class of devices exists",
		Need:    NeededForDevices,
		Private: fields{{"spec.config[].opaque.parameters", secret}},
	},
	{
		Kind: KindNode, Version: "v1",
		plural: "nodes", Short: []string{"no"},
		New: func() Object { return &corev1.Node{} }, wakes: NodeResource,
		Guess:   "no pod can be placed: there are 0 nodes",
		Need:    NeededByEveryPod,
		Private: slices.Concat(nodeFields, conditionText),
	},
	{
		Kind: KindCSINode, Group: "storage.k8s.io", Version: "v1", Older: []string{"v1beta1"},
		plural: "csinodes",
		New:    func() Object { return &storagev1.CSINode{} }, wakes: CSINodeResource,
		Guess:   "NodeVolumeLimits: no node has a volume limit",
		Need:    NeededForClaims,
		Private: fields{{"spec.drivers[].nodeID", identity}},
	},
	{
		Kind: KindCSIDriver, Group: "storage.k8s.io", Version: "v1", Older: []string{"v1beta1"},
		plural: "csidrivers",
		New:    func() Object { return &storagev1.CSIDriver{} }, wakes: CSIDriverResource,
		Guess:   "VolumeBinding: no driver asks for a capacity check",
		Need:    NeededForClaims,
		Private: fields{{"spec.tokenRequests", secret}},
	},
	{
		Kind: KindCSIStorageCapacity, Group: "storage.k8s.io", Version: "v1", Older: []string{"v1beta1", "v1alpha1"},
		plural: "csistoragecapacities", Namespaced: true,
		New: func() Object { return &storagev1.CSIStorageCapacity{} }, wakes: CSIStorageCapacityResource,
		Guess: "VolumeBinding: drivers that report capacity seem to have none",
		Need:  NeededForClaims,
	},
	{
		Kind: KindVolume, Version: "v1",
		plural: "persistentvolumes", Short: []string{"pvs", "pv"},
		New: func() Object { return &corev1.PersistentVolume{} }, wakes: VolumeResource,
		Guess:   "VolumeBinding, VolumeZone: bound claims point to volumes nobody knows",
		Need:    NeededForClaims,
		Private: slices.Concat(volumeFields.under("spec"), fields{{"status.message", prose}}),
	},
	{
		Kind: KindVolumeClaim, Version: "v1",
		plural: "persistentvolumeclaims", Short: []string{"pvcs", "pvc"}, Namespaced: true,
		New: func() Object { return &corev1.PersistentVolumeClaim{} }, wakes: VolumeClaimResource,
		Guess:   "VolumeBinding: pods with claims are unschedulable",
		Need:    NeededForClaims,
		Private: conditionText,
	},
	{
		Kind: KindVolumeAttachment, Group: "storage.k8s.io", Version: "v1", Older: []string{"v1beta1", "v1alpha1"},
		plural: "volumeattachments",
		New:    func() Object { return &storagev1.VolumeAttachment{} }, wakes: VolumeAttachmentResource,
		Guess:   "NodeVolumeLimits: volumes still attached to a node are not counted",
		Need:    NeededForClaims,
		Private: slices.Concat(volumeFields.under("spec.source.inlineVolumeSpec"), attachmentFields),
	},
	{
		Kind: KindResourceSlice, Group: "resource.k8s.io", Version: "v1", Older: resourceVersions,
		plural: "resourceslices",
		New:    func() Object { return &resourcev1.ResourceSlice{} }, wakes: ResourceSliceResource,
		Guess: "DynamicResources: no node has devices",
		Need:  NeededForDevices,
	},
	{
		Kind: KindDeviceTaintRule, Group: "resource.k8s.io", Version: "v1", Older: resourceVersions,
		plural:  "devicetaintrules",
		New:     func() Object { return &resourcev1.DeviceTaintRule{} },
		Guess:   "DynamicResources: no device is tainted by a rule",
		Need:    NeededForDevices,
		Private: conditionText,
	},
	{
		Kind: KindResourceClaimTemplate, Group: "resource.k8s.io", Version: "v1", Older: resourceVersions,
		plural: "resourceclaimtemplates", Namespaced: true,
		New: func() Object { return &resourcev1.ResourceClaimTemplate{} }, Reader: ReadByNobody,
	},
	{
		Kind: KindResourceClaim, Group: "resource.k8s.io", Version: "v1", Older: resourceVersions,
		plural: "resourceclaims", Namespaced: true,
		New: func() Object { return &resourcev1.ResourceClaim{} }, wakes: ResourceClaimResource,
		Guess:   "DynamicResources: devices in use look free, pods with claims are unschedulable",
		Need:    NeededForDevices,
		Private: claimFields,
	},
	{
		Kind: KindService, Version: "v1",
		plural: "services", Short: []string{"svc"}, Namespaced: true,
		New:     func() Object { return &corev1.Service{} },
		Guess:   "PodTopologySpread: default constraints find no owner of a pod",
		Need:    NeededForLabels,
		Private: slices.Concat(serviceFields, conditionText),
	},
	{
		Kind: KindReplicationController, Version: "v1",
		plural: "replicationcontrollers", Short: []string{"rc"}, Namespaced: true,
		New:     func() Object { return &corev1.ReplicationController{} },
		Guess:   "PodTopologySpread: default constraints find no owner of a pod",
		Need:    NeededForOwners,
		Private: templateFields(),
	},
	{
		Kind: KindReplicaSet, Group: "apps", Version: "v1", Older: []string{"v1beta2", "v1beta1"}, OlderGroup: "extensions",
		plural: "replicasets", Short: []string{"rs"}, Namespaced: true,
		New:     func() Object { return &appsv1.ReplicaSet{} },
		Guess:   "PodTopologySpread: default constraints find no owner of a pod",
		Need:    NeededForOwners,
		Private: templateFields(),
	},
	{
		Kind: KindStatefulSet, Group: "apps", Version: "v1", Older: []string{"v1beta2", "v1beta1"},
		plural: "statefulsets", Short: []string{"sts"}, Namespaced: true,
		New:     func() Object { return &appsv1.StatefulSet{} },
		Guess:   "PodTopologySpread: default constraints find no owner of a pod",
		Need:    NeededForOwners,
		Private: templateFields(),
	},
	{
		Kind: KindDisruptionBudget, Group: "policy", Version: "v1", Older: []string{"v1beta1"},
		plural: "poddisruptionbudgets", Short: []string{"pdbs", "pdb"}, Namespaced: true,
		New:     func() Object { return &policyv1.PodDisruptionBudget{} },
		Guess:   "preemption: no victim is protected by a budget",
		Need:    NeededForPreemption,
		Private: conditionText,
	},
	{
		Kind: kindWorkload, Group: "scheduling.k8s.io", Version: "v1beta1", Older: []string{"v1alpha3"},
		plural: "workloads", Namespaced: true,
		New: func() Object { return &schedulingv1beta1.Workload{} }, Reader: ReadByNobody,
	},
	{
		Kind: kindCompositePodGroup, Group: "scheduling.k8s.io", Version: "v1alpha3",
		plural: "compositepodgroups", Namespaced: true,
		New: func() Object { return &schedulingv1alpha3.CompositePodGroup{} }, Reader: ReadByNobody,
	},
	{
		Kind: KindPodGroup, Group: "scheduling.k8s.io", Version: "v1beta1", Older: []string{"v1alpha3"},
		plural: "podgroups", Namespaced: true,
		New: func() Object { return &schedulingv1beta1.PodGroup{} }, wakes: PodGroupResource,
		Guess:   "GangScheduling: pods of a group wait for it",
		Need:    NeededForGroups,
		Private: conditionText,
	},
	{
		Kind: KindPod, Version: "v1",
		plural: "pods", Short: []string{"po"}, Namespaced: true,
		New:     func() Object { return &corev1.Pod{} },
		Guess:   "there is nothing to place, and no node is in use",
		Need:    NeededByEveryPod,
		Private: slices.Concat(podSpecFields().under("spec"), podStatusFields()),
	},
}
