package recording_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// TestRedactionKeepsTheseFields lists every field that is left of an object in which every field had a value: what a
// newer API adds shows here first.
func TestRedactionKeepsTheseFields(t *testing.T) {
	redactor := recording.NewRedactor()
	for _, kind := range cluster.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			kept := leaves(t, redactor.Redact(filled(t, kind)))
			golden.Is(t, "testdata/kept/"+string(kind)+".txt", strings.Join(kept, "\n")+"\n")
		})
	}
}

func TestRedactionTakesOutWhatItsRulesSay(t *testing.T) {
	redactor := recording.NewRedactor()
	for _, rule := range recording.Rules() {
		if rule.Kind == cluster.KindEvent {
			continue // which is no kind of cluster.Kinds
		}
		t.Run(string(rule.Kind)+" "+rule.Field, func(t *testing.T) {
			if rule.Why == "" {
				t.Error("no reason given")
			}
			before := leaves(t, filled(t, rule.Kind))
			if under(before, rule.Field) == 0 {
				t.Errorf("no %s has this field", rule.Kind)
			}
			for _, leaf := range leaves(t, redactor.Redact(filled(t, rule.Kind))) {
				if value, found := strings.CutPrefix(leaf, rule.Field+" "); found && !isZero(value) ||
					strings.HasPrefix(leaf, rule.Field+".") && !isZero(leaf[strings.Index(leaf, " ")+1:]) {
					t.Errorf("left: %s", leaf)
				}
			}
		})
	}
}

// The message of a condition is kept where it is the verdict of a scheduler about nodes, and nowhere else.
func TestConditionsKeepWhatTheSchedulerSaid(t *testing.T) {
	redactor := recording.NewRedactor()
	const verdict = "0/3 nodes are available: 3 Insufficient cpu."
	for _, test := range []struct{ kind, reason, said, want string }{
		{"PodScheduled", "Unschedulable", verdict, verdict},
		{"ContainersReady", "ContainersNotReady", "containers with unready status: [c]", ""},
		{"example.com/ready", "Waiting", "balancer 10.1.2.3 has no backend", ""},
		{
			"PodScheduled", "SchedulerError", `Post "https://u:p@ext.corp:8443/filter": dial tcp 10.1.2.3:8443: connect: connection refused`,
			`Post "(address)": dial tcp (address): connect: connection refused`,
		},
		{
			"PodScheduled", "SchedulerError", "dial tcp: lookup ext.corp on [fd00::a]:53: no such host",
			"dial tcp: lookup (address) on (address): no such host",
		},
		{
			"PodScheduled", "SchedulerError", `running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded`,
			`running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded`,
		},
	} {
		pod := &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
			Type: corev1.PodConditionType(test.kind), Reason: test.reason, Message: test.said,
		}}}}
		once := redactor.Redact(pod)
		if got := once.(*corev1.Pod).Status.Conditions[0].Message; got != test.want {
			t.Errorf("%s %s %q: got %q, want %q", test.kind, test.reason, test.said, got, test.want)
		}
		if twice := redactor.Redact(once); !equality.Semantic.DeepEqual(once, twice) {
			t.Errorf("redacted twice: %s", cmp.Diff(once, twice))
		}
	}
}

// TestRedactionLeavesTheOriginalAlone shows that what is redacted is a copy.
func TestRedactionLeavesTheOriginalAlone(t *testing.T) {
	redactor := recording.NewRedactor()
	for _, kind := range cluster.Kinds() {
		o, same := filled(t, kind), filled(t, kind)
		once := redactor.Redact(o)
		if !equality.Semantic.DeepEqual(o, same) {
			t.Errorf("%s was changed (-before +after):\n%s", kind, cmp.Diff(asJSON(same), asJSON(o)))
		}
		if twice := redactor.Redact(once); !equality.Semantic.DeepEqual(once, twice) {
			t.Errorf("%s redacted twice is not what it is redacted once (-once +twice):\n%s", kind, cmp.Diff(
				asJSON(once), asJSON(twice),
			))
		}
	}
}

// read is what kube-scheduler 1.37's default profile reads of objects, plugin by plugin: the fields that no rule may
// name.
var read = map[cluster.Kind][]string{
	cluster.KindPod: {
		"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.ownerReferences",
		"metadata.creationTimestamp", "metadata.deletionTimestamp",
		"spec.schedulerName", "spec.schedulingGates", "spec.priority", "spec.priorityClassName",
		"spec.preemptionPolicy", "spec.nodeName", "spec.tolerations", "spec.nodeSelector",
		"spec.affinity", "spec.topologySpreadConstraints", "spec.overhead", "spec.resources", "spec.hostNetwork",
		"spec.hostUsers", "spec.resourceClaims",
		"spec.terminationGracePeriodSeconds", "spec.schedulingGroup", "spec.os",
		"spec.containers[].name", "spec.containers[].image", "spec.containers[].ports[].hostIP",
		"spec.containers[].ports[].hostPort", "spec.containers[].resources",
		"spec.containers[].volumeMounts[].name",
		"spec.containers[].restartPolicy", "spec.containers[].restartPolicyRules", "spec.containers[].resizePolicy",
		"spec.initContainers[].name", "spec.initContainers[].image", "spec.initContainers[].ports[].hostIP",
		"spec.initContainers[].resources", "spec.initContainers[].restartPolicy",
		"spec.initContainers[].volumeMounts[].name", "spec.initContainers[].restartPolicyRules",
		"spec.volumes[].name", "spec.volumes[].persistentVolumeClaim", "spec.volumes[].gcePersistentDisk.pdName",
		"spec.volumes[].awsElasticBlockStore.volumeID",
		"spec.volumes[].rbd.monitors", "spec.volumes[].rbd.pool", "spec.volumes[].rbd.image",
		"spec.volumes[].rbd.readOnly", "spec.volumes[].iscsi.iqn", "spec.volumes[].iscsi.readOnly",
		"spec.volumes[].azureDisk.diskURI", "spec.volumes[].azureFile", "spec.volumes[].cinder.volumeID",
		"spec.volumes[].vsphereVolume.volumePath", "spec.volumes[].portworxVolume.volumeID",
		"spec.volumes[].csi.driver", "spec.volumes[].ephemeral.volumeClaimTemplate.spec", "spec.volumes[].emptyDir",
		"spec.volumes[].image.reference",
		"status.phase", "status.nominatedNodeName", "status.startTime",
		"status.conditions[].type", "status.conditions[].status", "status.conditions[].reason",
		"status.resourceClaimStatuses", "status.extendedResourceClaimStatus",
		"status.containerStatuses[].name", "status.containerStatuses[].resources",
		"status.containerStatuses[].allocatedResources",
		"status.initContainerStatuses[].resources", "status.initContainerStatuses[].allocatedResources",
		"status.resources", "status.allocatedResources", "status.resize",
	},
	cluster.KindNode: {
		"metadata.name", "metadata.labels", "spec.taints", "spec.unschedulable", "spec.podPreemptionPolicy",
		"status.allocatable", "status.capacity", "status.images", "status.declaredFeatures",
		"status.conditions[].type", "status.conditions[].status", "status.features", "status.runtimeHandlers",
		"status.nodeInfo.kubeletVersion", "status.nodeInfo.architecture",
	},
	cluster.KindNamespace:             {"metadata.name", "metadata.labels"},
	cluster.KindService:               {"metadata.namespace", "spec.selector"},
	cluster.KindReplicationController: {"metadata.uid", "spec.selector"},
	cluster.KindReplicaSet:            {"metadata.uid", "spec.selector"},
	cluster.KindStatefulSet:           {"metadata.uid", "spec.selector"},
	cluster.KindPriorityClass:         {"value", "globalDefault", "preemptionPolicy"},
	cluster.KindDisruptionBudget:      {"spec.selector", "status.disruptionsAllowed", "status.disruptedPods"},
	cluster.KindVolume: {
		"metadata.labels", "spec.capacity", "spec.accessModes", "spec.claimRef", "spec.storageClassName",
		"spec.volumeMode", "spec.nodeAffinity", "spec.volumeAttributesClassName",
		"spec.csi.driver", "spec.csi.volumeHandle", "spec.gcePersistentDisk.pdName",
		"spec.awsElasticBlockStore.volumeID", "spec.azureDisk.diskURI", "spec.azureFile", "spec.vsphereVolume.volumePath",
		"spec.cinder.volumeID", "spec.portworxVolume.volumeID", "spec.local.fsType", "status.phase",
	},
	cluster.KindVolumeClaim: {
		"metadata.ownerReferences", "metadata.uid", "metadata.deletionTimestamp", "spec.accessModes", "spec.selector",
		"spec.resources", "spec.volumeName", "spec.storageClassName",
		"spec.volumeMode", "spec.volumeAttributesClassName", "spec.dataSource", "status.phase", "status.capacity",
	},
	cluster.KindStorageClass:       {"provisioner", "volumeBindingMode", "allowedTopologies", "reclaimPolicy"},
	cluster.KindCSINode:            {"spec.drivers[].name", "spec.drivers[].topologyKeys", "spec.drivers[].allocatable"},
	cluster.KindCSIDriver:          {"spec.storageCapacity", "spec.attachRequired", "spec.preventPodSchedulingIfMissing"},
	cluster.KindCSIStorageCapacity: {"nodeTopology", "storageClassName", "capacity", "maximumVolumeSize"},
	cluster.KindVolumeAttachment: {
		"spec.attacher", "spec.nodeName", "spec.source.persistentVolumeName",
		"spec.source.inlineVolumeSpec.csi.volumeHandle", "status.attached",
	},
	cluster.KindResourceClaim: {
		"metadata.ownerReferences", "spec.devices.requests", "spec.devices.constraints",
		"status.allocation.nodeSelector", "status.allocation.devices.results", "status.reservedFor",
		"status.devices[].driver", "status.devices[].pool", "status.devices[].device",
		"status.devices[].conditions[].type", "status.devices[].conditions[].status",
	},
	cluster.KindResourceSlice:   {"spec"},
	cluster.KindDeviceClass:     {"spec.selectors", "spec.extendedResourceName"},
	cluster.KindDeviceTaintRule: {"spec"},
	cluster.KindPodGroup:        {"spec"},
}

func TestNoRuleTakesOutWhatTheSchedulerReads(t *testing.T) {
	redactor := recording.NewRedactor()
	for _, kind := range cluster.Kinds() {
		if len(read[kind]) == 0 {
			t.Errorf("nothing said about what is read of a %s", kind)
		}
		before, after := leaves(t, filled(t, kind)), leaves(t, redactor.Redact(filled(t, kind)))
		for _, field := range read[kind] {
			if n := under(before, field); n == 0 {
				t.Errorf("%s: no field %s in the API", kind, field)
			} else if left := under(after, field); left != n {
				t.Errorf("%s: of %d values in %s, %d are left", kind, n, field, left)
			}
		}
	}
}

// TestSchedulerParsesARedactedPodAsItDoesTheOriginal compares all that the core makes of a pod and a node.
func TestSchedulerParsesARedactedPodAsItDoesTheOriginal(t *testing.T) {
	redactor := recording.NewRedactor()
	state := func(hide func(cluster.Object) cluster.Object) *cluster.State {
		s := cluster.NewState()
		for _, o := range []cluster.Object{largeNode(7), richPod()} {
			s.Apply(cluster.Event{Object: hide(o)})
		}
		return s
	}
	first, second := state(func(o cluster.Object) cluster.Object { return o }), state(redactor.Redact)
	before, after := parsedPod(t, first), parsedPod(t, second)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("pod (-original +redacted):\n%s", diff)
	}
}

// richPod is a pod with a field for every filter.
func richPod() *corev1.Pod {
	p := largePod(1, 7)
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}
	p.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: *p.Spec.Containers[0].Resources.Requests.Cpu()}
	terms := []corev1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		TopologyKey:   "kubernetes.io/hostname",
	}}
	p.Spec.Affinity = &corev1.Affinity{
		PodAffinity:     &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms},
		PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms},
	}
	p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	p.Status.NominatedNodeName = "node-00001"
	p.Annotations["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
	return p
}

// parsedPod is what a state knows of its only pod, except for the API object.
func parsedPod(t *testing.T, s *cluster.State) string {
	t.Helper()
	p, ok := s.Pod("team-1/web-00001-abcde")
	if !ok {
		t.Fatal("the pod is not there")
	}
	parsed := *p
	parsed.API = nil
	return fmt.Sprintf(
		"%+v\nrequests %+v\nports %+v\nlabels %+v\nselection %+v", parsed.Key, parsed.Requests, parsed.Ports,
		*parsed.Labels, parsed.NodeSelection,
	) +
		fmt.Sprintf("\n%d %s %s %d %d %d %d %v", parsed.Priority, parsed.NodeName, parsed.Nominated, parsed.NonZeroCPU,
			parsed.NonZeroMem,
			len(parsed.RequiredAffinity), len(parsed.RequiredAntiAffinity), parsed.HasAffinity)
}

func TestOnlyNamedAnnotationsAreKept(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", Annotations: map[string]string{
		"pv.kubernetes.io/bind-completed": "yes", "volume.kubernetes.io/selected-node": "n1",
		"volume.beta.kubernetes.io/storage-class":          "fast",
		"kubectl.kubernetes.io/last-applied-configuration": `{"password":"hunter2"}`, "team": "a",
	}}}
	got := slices.Sorted(maps.Keys(recording.NewRedactor().Redact(claim).GetAnnotations()))
	want := []string{
		"pv.kubernetes.io/bind-completed", "volume.beta.kubernetes.io/storage-class",
		"volume.kubernetes.io/selected-node",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if pod := recording.NewRedactor().Redact(richPod()); pod.GetAnnotations() != nil {
		t.Errorf("annotations of a pod are left: %v", pod.GetAnnotations())
	}
}

// leaves are the values of an object with their paths, sorted: "spec.nodeName \"n1\"".
func leaves(t *testing.T, o cluster.Object) []string {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	collect(t, b, "", &list)
	slices.Sort(list)
	return list
}

// collect walks JSON without knowing its type.
func collect(t *testing.T, value []byte, path string, into *[]string) {
	t.Helper()
	switch value[0] {
	case '{':
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(value, &fields); err != nil {
			t.Fatal(err)
		}
		for name, inner := range fields {
			collect(t, inner, strings.TrimPrefix(path+"."+name, "."), into)
		}
	case '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err != nil {
			t.Fatal(err)
		}
		for _, inner := range elements {
			collect(t, inner, path+"[]", into)
		}
	default:
		*into = append(*into, path+" "+string(value))
	}
}

// under counts the leaves at or below a path that have a value.
func under(leaves []string, path string) int {
	n := 0
	for _, leaf := range leaves {
		at, value, _ := strings.Cut(leaf, " ")
		rest, below := strings.CutPrefix(at, path)
		if below && (rest == "" || rest[0] == '.' || rest[0] == '[') && !isZero(value) {
			n++
		}
	}
	return n
}

func isZero(value string) bool {
	return value == `""` || value == "null" || value == "0" || value == "false"
}
