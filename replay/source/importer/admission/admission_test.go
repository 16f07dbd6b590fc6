package admission_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
)

// admitted reads manifests and admits them.
func admitted(t *testing.T, manifests string) ([]importer.Object, []string) {
	t.Helper()
	dump, err := importer.Read(
		t.Context(), []string{"-"}, importer.Options{Streams: map[string]io.Reader{"-": strings.NewReader(manifests)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if len(dump.Problems) > 0 {
		t.Fatalf("the manifests are wrong: %v", dump.Problems)
	}
	objects, problems := admission.Admit(dump.Objects, admission.Rules{})
	var sentences []string
	for _, p := range problems {
		sentences = append(sentences, p.Severity.String()+": "+p.Error())
	}
	return objects, sentences
}

// last is the last object, which a test is about.
func last[T any](t *testing.T, objects []importer.Object) T {
	t.Helper()
	if len(objects) == 0 {
		t.Fatal("nothing was admitted")
	}
	object, is := objects[len(objects)-1].Object.(T)
	if !is {
		t.Fatalf("the last object is %T", objects[len(objects)-1].Object)
	}
	return object
}

// completedPods are specs as a user writes them, and as an API server stores them.
var completedPods = []struct{ claim, before, spec, want string }{
	{
		claim: "defaults of an almost empty pod",
		spec:  "containers: [{name: c}]",
		want: `
containers: [{name: c, resources: {}}]
preemptionPolicy: PreemptLowerPriority
priority: 0
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations:
- {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
- {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}`,
	},
	{
		claim: "requests from limits, rounded to thousandths; ports of the host network",
		spec:  "{hostNetwork: true, tolerations: [{operator: Exists}], containers: [{name: c, ports: [{containerPort: 80}], resources: {limits: {cpu: 100u, memory: 1Gi}, requests: {memory: 1Mi}}}], initContainers: [{name: i, resources: {limits: {cpu: 2}}}]}",
		want: `
containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}], resources: {limits: {cpu: 1m, memory: 1Gi}, requests: {cpu: 1m, memory: 1Mi}}}]
hostNetwork: true
initContainers: [{name: i, resources: {limits: {cpu: "2"}, requests: {cpu: "2"}}}]
preemptionPolicy: PreemptLowerPriority
priority: 0
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim:  "the priority and the policy of its class",
		before: "kind: PriorityClass\napiVersion: scheduling.k8s.io/v1\nmetadata: {name: high}\nvalue: 7\npreemptionPolicy: Never\n---",
		spec:   "{priorityClassName: high, containers: [], tolerations: [{operator: Exists}]}",
		want: `
containers: []
preemptionPolicy: Never
priority: 7
priorityClassName: high
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim:  "the lowest global default",
		before: "kind: PriorityClass\napiVersion: scheduling.k8s.io/v1\nmetadata: {name: b}\nvalue: 7\nglobalDefault: true\n---\nkind: PriorityClass\napiVersion: scheduling.k8s.io/v1\nmetadata: {name: a}\nvalue: 3\nglobalDefault: true\n---",
		spec:   "{containers: [], tolerations: [{operator: Exists}]}",
		want: `
containers: []
preemptionPolicy: PreemptLowerPriority
priority: 3
priorityClassName: a
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim: "a system class that is in every cluster",
		spec:  "{priorityClassName: system-node-critical, containers: [], tolerations: [{operator: Exists}]}",
		want: `
containers: []
preemptionPolicy: PreemptLowerPriority
priority: 2000001000
priorityClassName: system-node-critical
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim: "label keys merged into selectors, but not into a nil one",
		spec: `{containers: [], tolerations: [{operator: Exists}],
    topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, matchLabelKeys: [rev, none]}, {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [rev]}],
    affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, labelSelector: {}, matchLabelKeys: [app], mismatchLabelKeys: [rev]}]}}}`,
		want: `
affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, matchLabelKeys: [app], mismatchLabelKeys: [rev],
  labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}, {key: rev, operator: NotIn, values: ["3"]}]}}]}}
containers: []
preemptionPolicy: PreemptLowerPriority
priority: 0
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]
topologySpreadConstraints:
- {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [rev, none], labelSelector: {matchExpressions: [{key: rev, operator: In, values: ["3"]}]}}
- {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [rev]}`,
	},
	{
		claim: "resources of the pod as a whole",
		spec:  "{tolerations: [{operator: Exists}], resources: {limits: {cpu: 4, memory: 8Gi}}, containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, resources: {requests: {cpu: 2}}}]}",
		want: `
containers: [{name: a, resources: {requests: {cpu: "1"}}}, {name: b, resources: {requests: {cpu: "2"}}}]
preemptionPolicy: PreemptLowerPriority
priority: 0
resources: {limits: {cpu: "4", memory: 8Gi}, requests: {cpu: "3", memory: 8Gi}}
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim: "limits of the pod as a whole, from containers that all have one (1.37)",
		spec:  "{tolerations: [{operator: Exists}], resources: {requests: {cpu: 4}}, containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}, {name: b, resources: {limits: {cpu: 2}}}]}",
		want: `
containers: [{name: a, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: "1", memory: 1Gi}}}, {name: b, resources: {limits: {cpu: "2"}, requests: {cpu: "2"}}}]
preemptionPolicy: PreemptLowerPriority
priority: 0
resources: {limits: {cpu: "4"}, requests: {cpu: "4", memory: 1Gi}}
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim:  "a limit range's defaults",
		before: "kind: LimitRange\napiVersion: v1\nmetadata: {name: l}\nspec: {limits: [{type: Container, max: {cpu: 500m}, min: {cpu: 100m, memory: 1Mi}}]}\n---",
		spec:   "{tolerations: [{operator: Exists}], containers: [{name: a}, {name: b, resources: {requests: {cpu: 200m, memory: 2Mi}}}]}",
		want: `
containers: [{name: a, resources: {limits: {cpu: 500m}, requests: {cpu: 500m, memory: 1Mi}}}, {name: b, resources: {limits: {cpu: 500m}, requests: {cpu: 200m, memory: 2Mi}}}]
preemptionPolicy: PreemptLowerPriority
priority: 0
restartPolicy: Always
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}]`,
	},
	{
		claim:  "what its runtime class costs and wants",
		before: "kind: RuntimeClass\napiVersion: node.k8s.io/v1\nmetadata: {name: kata}\nhandler: kata\noverhead: {podFixed: {cpu: 250m}}\nscheduling: {nodeSelector: {kata: \"yes\"}, tolerations: [{key: kata, operator: Exists}]}\n---",
		spec:   "{runtimeClassName: kata, nodeSelector: {a: b}, containers: [], tolerations: [{operator: Exists}]}",
		want: `
containers: []
nodeSelector: {a: b, kata: "yes"}
overhead: {cpu: 250m}
preemptionPolicy: PreemptLowerPriority
priority: 0
restartPolicy: Always
runtimeClassName: kata
schedulerName: default-scheduler
terminationGracePeriodSeconds: 30
tolerations: [{operator: Exists}, {key: kata, operator: Exists}]`,
	},
}

// A hand-written pod must come out as an API server would store it, in the fields a scheduler reads.
func TestHandWrittenPodIsCompletedAsAnAPIServerDoes(t *testing.T) {
	const pod = `
apiVersion: v1
kind: Pod
metadata:
  name: p
  labels: {app: web, rev: "3"}
spec:
  %SPEC%
`
	for _, test := range completedPods {
		t.Run(test.claim, func(t *testing.T) {
			objects, problems := admitted(t, test.before+strings.Replace(pod, "%SPEC%", test.spec, 1))
			if len(problems) > 0 {
				t.Fatalf("problems: %q", problems)
			}
			got := last[*corev1.Pod](t, objects)
			if got.Namespace != "default" || got.Status.Phase != corev1.PodPending {
				t.Errorf("namespace %q, phase %q", got.Namespace, got.Status.Phase)
			}
			if diff := cmp.Diff(normal(t, []byte(test.want)), normal(t, rendered(t, got.Spec))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func rendered(t *testing.T, spec corev1.PodSpec) []byte {
	t.Helper()
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// normal is YAML with sorted keys.
func normal(t *testing.T, text []byte) string {
	t.Helper()
	raw, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := yaml.JSONToYAML(raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// limitRange is a LimitRange with this limit, before another object.
func limitRange(limit string) string {
	return "kind: LimitRange\napiVersion: v1\nmetadata: {name: l}\nspec: {limits: [" + limit + "]}\n---\n"
}

// TestTolerationsCompareWithTheGate accepts numbers alone as values that are compared.
func TestTolerationsCompareWithTheGate(t *testing.T) {
	rules := admission.RulesOf(func(gate string) bool { return gate == "TaintTolerationComparisonOperators" })
	for value, refused := range map[string]bool{"900": false, "-3": false, "007": true, "1k": true, "": true} {
		pod := &corev1.Pod{
			TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: "p"},
			Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "sla", Operator: corev1.TolerationOpLt, Value: value}}},
		}
		objects, problems := admission.Admit([]importer.Object{{Object: pod}}, rules)
		if (len(objects) == 0) != refused {
			t.Errorf("%q as a value: %d objects, %v", value, len(objects), problems)
		}
	}
}

func podWith(spec string) string {
	return "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: " + spec + "\n"
}

// refusals are manifests of which an API server refuses one object, and in which words.
var refusals = []struct{ claim, manifests, want string }{
	{
		"a toleration that compares, with its feature gate off",
		podWith("{tolerations: [{key: sla, operator: Gt, value: \"900\"}], containers: [{name: c}]}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt" (set --feature-gates TaintTolerationComparisonOperators=true if the cluster has the gate on)`,
	},
	{
		"a toleration of everything with a value",
		podWith("{tolerations: [{key: sla, operator: Exists, value: \"900\"}], containers: [{name: c}]}"),
		"refused: standard input line 1: pod \"default/p\": the API server refuses it: spec.tolerations[0].operator: Invalid value: \"900\": value must be empty when `operator` is 'Exists'",
	},
	{
		"a class nobody has", podWith("{priorityClassName: high, containers: []}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: no PriorityClass with name high was found (add the PriorityClass to the input)`,
	},
	{
		"a priority of its own", podWith("{priority: 5, containers: []}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name (name a PriorityClass of that value in priorityClassName)`,
	},
	{
		"a request above the limit a limit range gives",
		limitRange("{type: Container, max: {cpu: 500m}}") +
			podWith("{containers: [{name: c, resources: {requests: {cpu: 700m}}}]}"),
		`refused: standard input line 6: pod "default/p": the API server refuses it: spec.containers[0].resources.requests: Invalid value: "700m": must be less than or equal to cpu limit of 500m`,
	},
	{
		"a limit above a limit range's",
		limitRange("{type: Container, max: {cpu: 500m}}") +
			podWith("{containers: [{name: c, resources: {limits: {cpu: 700m}}}]}"),
		`refused: standard input line 6: pod "default/p": the API server refuses it: maximum cpu usage per Container is 500m, but limit is 700m`,
	},
	{
		"less than a limit range's minimum, over all containers",
		limitRange("{type: Pod, min: {cpu: 2}}") +
			podWith("{containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, resources: {requests: {cpu: 500m}}}]}"),
		`refused: standard input line 6: pod "default/p": the API server refuses it: minimum cpu usage per Pod is 2, but request is 1500m`,
	},
	{
		"a ratio of limit to request above a limit range's",
		limitRange("{type: Container, maxLimitRequestRatio: {cpu: 2}}") +
			podWith("{containers: [{name: a, resources: {limits: {cpu: 3}, requests: {cpu: 1}}}]}"),
		`refused: standard input line 6: pod "default/p": the API server refuses it: cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000`,
	},
	{
		"an extended resource without limit",
		podWith("{containers: [{name: a, resources: {requests: {example.com/gpu: 1}}}]}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources`,
	},
	{
		"less for the pod than its init container requests",
		podWith("{resources: {requests: {cpu: 1}, limits: {cpu: 3}}, containers: [{name: c, resources: {requests: " +
			"{cpu: 100m}}}], initContainers: [{name: i, resources: {requests: {cpu: 4}}}]}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 4 (set cpu of the pod to 4 or more, or leave it out)`,
	},
	{
		"a container's limit above that of its pod",
		podWith("{resources: {limits: {cpu: 1}}, containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: spec.resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1`,
	},
	{
		"a runtime class nobody has", podWith("{runtimeClassName: kata, containers: []}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: pod rejected: RuntimeClass "kata" not found (add the RuntimeClass to the input)`,
	},
	{
		"an overhead of its own", podWith("{overhead: {cpu: 1}, containers: []}"),
		`refused: standard input line 1: pod "default/p": the API server refuses it: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`,
	},
	{
		"a claim larger than a limit range allows",
		limitRange("{type: PersistentVolumeClaim, max: {storage: 1Gi}}") +
			"kind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: c}\nspec: {resources: {requests: {storage: 2Gi}}}\n",
		`refused: standard input line 6: persistentvolumeclaim "default/c": the API server refuses it: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi`,
	},
}

func TestAdmissionRefusesWhatAnAPIServerRefuses(t *testing.T) {
	for _, test := range refusals {
		t.Run(test.claim, func(t *testing.T) {
			objects, problems := admitted(t, test.manifests)
			if diff := cmp.Diff([]string{test.want}, problems); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := strings.Count(test.manifests, "kind: "); len(objects) != n-1 {
				t.Errorf("%d of %d objects were admitted, want all but the refused one", len(objects), n)
			}
		})
	}
}

func TestPodFromAnAPIServerIsNotAdmittedAgain(t *testing.T) {
	const pod = "kind: Pod\napiVersion: v1\nmetadata: {name: p, namespace: ns, uid: u, labels: {a: b}}\nspec: {priority: 9, priorityClassName: gone, overhead: {cpu: 1}, containers: [{name: c, resources: {requests: {cpu: 2}}}],\n" +
		"  topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, matchLabelKeys: [a]}]}\nstatus: {phase: Running}\n"
	objects, problems := admitted(t, pod)
	if len(problems) > 0 {
		t.Fatalf("problems: %q", problems)
	}
	got := last[*corev1.Pod](t, objects)
	if *got.Spec.Priority != 9 || len(got.Spec.Tolerations) != 0 ||
		len(got.Spec.TopologySpreadConstraints[0].LabelSelector.MatchExpressions) != 0 {
		t.Errorf("changed: %+v", got.Spec)
	}
}

func TestPodWithoutPriorityAndClassIsWarnedAbout(t *testing.T) {
	objects, problems := admitted(
		t,
		"kind: Pod\napiVersion: v1\nmetadata: {name: p, uid: u}\nspec: {priorityClassName: gone}\nstatus: {phase: Pending}\n",
	)
	want := []string{
		`warning: standard input line 1: pod "default/p": it has no priority, and no PriorityClass "gone" tells it; it counts as 0 (add the PriorityClass to the input)`,
	}
	if diff := cmp.Diff(want, problems); diff != "" || len(objects) != 1 {
		t.Errorf("%d objects, (-want +got):\n%s", len(objects), diff)
	}
}

func TestGeneratedNamesAreTheSameInEveryRun(t *testing.T) {
	objects, _ := admitted(t, strings.Repeat(
		"kind: Pod\napiVersion: v1\nmetadata: {generateName: web-}\nspec: {containers: []}\n---\n", 2,
	)+
		"kind: Pod\napiVersion: v1\nmetadata: {name: web-00001}\nspec: {containers: []}\n")
	var names []string
	for _, o := range objects {
		pod, is := o.Object.(*corev1.Pod)
		if !is {
			t.Fatalf("%T was admitted", o.Object)
		}
		names = append(names, pod.Namespace+"/"+pod.Name+" from "+o.Source)
	}
	want := []string{
		"default/web-00002 from standard input line 1", "default/web-00003 from standard input line 6",
		"default/web-00001 from standard input line 11",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOtherKindsGetTheirDefaults(t *testing.T) {
	objects, _ := admitted(t, "kind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {capacity: {cpu: 4}}\n")
	if node := last[*corev1.Node](t, objects); node.Status.Allocatable.Cpu().String() != "4" {
		t.Errorf("allocatable is %v", node.Status.Allocatable)
	}
	objects, _ = admitted(t, "kind: Namespace\napiVersion: v1\nmetadata: {name: web}\n")
	if ns := last[*corev1.Namespace](t, objects); ns.Labels["kubernetes.io/metadata.name"] != "web" {
		t.Errorf("labels are %v", ns.Labels)
	}
	objects, _ = admitted(
		t,
		"kind: ResourceClaim\napiVersion: resource.k8s.io/v1\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: d}}]}}\n",
	)
	if exactly := last[*resourcev1.ResourceClaim](t, objects).Spec.Devices.Requests[0].Exactly; exactly.Count != 1 ||
		exactly.AllocationMode != resourcev1.DeviceAllocationModeExactCount {
		t.Errorf("request is %+v", exactly)
	}
	objects, _ = admitted(
		t,
		"kind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: s, annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}}\nprovisioner: x\n---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: c}\n",
	)
	if claim := last[*corev1.PersistentVolumeClaim](t, objects); claim.Spec.StorageClassName == nil ||
		*claim.Spec.StorageClassName != "s" {
		t.Errorf("claim is %+v", claim.Spec)
	}
	objects, _ = admitted(
		t,
		"kind: PodGroup\napiVersion: scheduling.k8s.io/v1beta1\nmetadata: {name: g}\nspec: {priorityClassName: system-cluster-critical}\n",
	)
	if group := last[*schedulingv1beta1.PodGroup](t, objects); group.Spec.Priority == nil ||
		*group.Spec.Priority != 2000000000 {
		t.Errorf("group is %+v", group.Spec)
	}
}
