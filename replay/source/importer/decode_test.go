package importer_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/source/importer"
)

const goodNode = "kind: Node\napiVersion: v1\nmetadata: {name: good}\n"

// wrongValues are files in which something cannot be decoded, and what is read and reported of each.
var wrongValues = []struct {
	wrong string
	files files
	want  []string
}{
	{
		wrong: "a quantity in YAML",
		files: files{"w.yaml": goodNode +
			"---\nkind: Pod\napiVersion: v1\nmetadata:\n  name: web-7\nspec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        memory: 1Gi\n        cpu: 2x\n"},
		want: []string{
			"v1 Node good from w.yaml line 1",
			`refused: w.yaml line 15: pod "web-7": spec.containers[0].resources.requests.cpu "2x" is not a quantity; it is left out (try "2" or "2000m")`,
		},
	},
	{
		wrong: "two quantities in JSON",
		files: files{
			"w.json": "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[\n{\"metadata\":{\"name\":\"n1\"},\n\"status\":{\"capacity\":{\"memory\":\"2GB\",\n\"cpu\":\"1,5\"}}},\n{\"metadata\":{\"name\":\"n2\"}}]}",
		},
		want: []string{
			"v1 Node n2 from w.json item 2 (n2)",
			`refused: w.json line 3: node "n1": status.capacity.memory "2GB" is not a quantity; it is left out (try "2G" or "2Gi")`,
			`refused: w.json line 4: node "n1": status.capacity.cpu "1,5" is not a quantity; it is left out (try "1.5" or "1500m")`,
		},
	},
	{
		wrong: "quantities of two thousand million digits, also beside an unknown field, and a label that looks like one",
		files: files{
			"w.yaml": goodNode +
				"---\nkind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {capacity: {cpu: \"1e-2147483648\"}}\n" +
				"---\nkind: Node\napiVersion: v1\nmetadata: {name: n2}\ncolour: red\nstatus: {capacity: {cpu: \"1e+2147483647\"}}\n" +
				"---\nkind: Node\napiVersion: v1\ncolour: red\nmetadata: {name: n3, labels: {commit: \"12e34567\"}}\n",
		},
		want: []string{
			"v1 Node good from w.yaml line 1",
			"v1 Node n3 from w.yaml line 16",
			`refused: w.yaml line 8: node "n1": status.capacity.cpu "1e-2147483648" is not a quantity; it is left out (try "1" or "1000m")`,
			`refused: w.yaml line 14: node "n2": status.capacity.cpu "1e+2147483647" is not a quantity; it is left out (try "1" or "1000m")`,
			`warning: w.yaml line 18: node "n3": unknown field colour is ignored`,
		},
	},
	{
		wrong: "a label that YAML takes for a truth value, and a number in quotes",
		files: files{
			"w.yaml": "kind: Pod\napiVersion: v1\nmetadata:\n  name: p\n  labels:\n    gpu: true\nspec:\n  priority: \"10\"\n  containers: {}\n",
		},
		want: []string{
			`refused: w.yaml line 6: pod "p": metadata.labels.gpu true is not a text; it is left out (put it in quotes: "true")`,
			`refused: w.yaml line 8: pod "p": spec.priority "10" is not a whole number; it is left out (take the quotes away: 10)`,
			`refused: w.yaml line 9: pod "p": spec.containers {} is not a list; it is left out (begin each element with "- ")`,
		},
	},
	{
		wrong: "a redacted quantity: the object is kept without it",
		files: files{
			"w.json": `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"status":{"capacity":{"cpu":"***HIDDEN***","memory":"1Gi"}}}`,
		},
		want: []string{
			"v1 Node n from w.json",
			`warning: w.json line 1: node "n": status.capacity.cpu is blacked out; it is taken as empty, and 1 more like it`,
		},
	},
	{
		wrong: "fields nobody knows, in many objects",
		files: files{"w.yaml": strings.Repeat(
			"---\nkind: Pod\napiVersion: v1\nmetadata: {generateName: p-}\nspec:\n  nodeSelektor: {}\n  containers:\n  - name: c\n    cpuShares: 3\n",
			3,
		)},
		want: []string{
			"v1 Pod  from w.yaml line 2", "v1 Pod  from w.yaml line 11", "v1 Pod  from w.yaml line 20",
			`warning: w.yaml line 9: pod "p-*": unknown field spec.containers[0].cpuShares is ignored, and 2 more like it`,
			`warning: w.yaml line 6: pod "p-*": unknown field spec.nodeSelektor is ignored (did you mean "nodeSelector"?), and 2 more like it`,
		},
	},
	{
		wrong: "a kind in other letters, and under another group; another project's kind is not wrong",
		files: files{
			"w.yaml": "kind: pod\napiVersion: v1\nmetadata: {name: p}\n---\nkind: StatefulSet\napiVersion: v1\nmetadata: {name: s}\n---\nkind: Service\napiVersion: serving.knative.dev/v1\nmetadata: {name: k}\n",
		},
		want: []string{
			`refused: w.yaml line 1: apiVersion v1 has no kind pod; "p" is left out (apiVersion: v1, kind: Pod)`,
			`refused: w.yaml line 5: apiVersion v1 has no kind StatefulSet; "s" is left out (apiVersion: apps/v1, kind: StatefulSet)`,
			"left: 1 Service",
		},
	},
	{
		wrong: "a phase that does not exist",
		files: files{"w.json": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"status":{"phase":"Terminating"}}`},
		want: []string{
			"v1 Pod p from w.json",
			`warning: w.json line 1: pod "p": status.phase "Terminating" does not exist; it counts as not finished (phases are Pending, Running, Succeeded, Failed, Unknown)`,
		},
	},
	{
		wrong: "an object without name",
		files: files{"w.yaml": "kind: Node\napiVersion: v1\n"},
		want:  []string{`refused: w.yaml line 1: node "": it has no metadata.name; it is left out`},
	},
	{
		wrong: "keys that are there twice",
		files: files{
			"w.yaml": "kind: Node\napiVersion: v1\nmetadata:\n  name: a\n  name: b\n",
			"w.json": `{"kind":"Node","apiVersion":"v1","metadata":{"name":"c","name":"d"}}`,
		},
		want: []string{
			"v1 Node d from w.json", "v1 Node b from w.yaml line 1",
			`warning: w.json line 1: node "d": field metadata.name is there twice; the last one counts`,
			`warning: w.yaml line 5: key "name" already set in map; the last one counts`,
		},
	},
	{
		wrong: "one item of a YAML list",
		files: files{
			"l.yaml": "apiVersion: v1\nkind: List\nitems:\n- kind: Node\n  apiVersion: v1\n  metadata: {name: n1}\n- kind: Node\n  metadata: {name: \"n2}\n- kind: Node\n  apiVersion: v1\n  metadata: {name: n3}\n",
		},
		want: []string{
			"v1 Node n1 from l.yaml line 4", "v1 Node n3 from l.yaml line 9",
			"refused: l.yaml line 8: this is not YAML: found unexpected end of stream; it is left out",
		},
	},
	{
		wrong: "a tab, and a template",
		files: files{
			"t.yaml": "kind: Node\nmetadata:\n\tname: n\n",
			"u.yaml": "kind: Node\nmetadata:\n  name: {{ .Name }}\n",
		},
		want: []string{
			"refused: t.yaml line 3: this is not YAML: found character that cannot start any token; it is left out (indent with spaces, not tabs)",
			"refused: u.yaml line 1: a template that was not rendered; it is left out (helm template prints the manifests of a chart)",
		},
	},
	{
		wrong: "a value left out",
		files: files{"w.json": "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\n\"metadata\":{\"name\":\"n1\",\n\"uid\":}}"},
		want: []string{
			`refused: w.json line 3: node "n1": it is not well-formed JSON: invalid character '}' looking for beginning of value; it is left out`,
		},
	},
	{
		wrong: "a list cut short",
		files: files{
			"l.json": "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[\n{\"metadata\":{\"name\":\"n1\"}},\n{\"metadata\":{\"na",
		},
		want: []string{
			"v1 Node n1 from l.json item 1 (n1)",
			"refused: l.json line 3: the file ends in the middle of a value; everything before it is kept (was it cut short while copying?)",
		},
	},
	{
		wrong: "one object of JSON lines",
		files: files{"o.jsonl": podA + "\n{\"kind\":\"Pod\",]}\n" + strings.ReplaceAll(podA, `"a"`, `"b"`)},
		want: []string{
			"v1 Pod ns/a from o.jsonl",
			"v1 Pod ns/b from o.jsonl line 3",
			"refused: o.jsonl line 2: this is not JSON; the value that begins at line 2 is left out (a value begins with { or [, its keys are in double quotes and commas stand between its members)",
		},
	},
}

func TestWrongValueIsNamedAndOnlyItsObjectLeftOut(t *testing.T) {
	for _, test := range wrongValues {
		t.Run(test.wrong, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readFolder(t, test.files)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// only reads one text that holds one object.
func only[T any](t *testing.T, text string) T {
	t.Helper()
	dump, err := importer.Read(
		t.Context(), []string{"-"}, importer.Options{Streams: map[string]io.Reader{"-": strings.NewReader(text)}},
	)
	if err != nil || len(dump.Objects) != 1 {
		t.Fatalf("error %v, told %v", err, told(dump))
	}
	object, is := dump.Objects[0].Object.(T)
	if !is {
		t.Fatalf("got %T", dump.Objects[0].Object)
	}
	return object
}

func TestEmptySelectorOfAnOldBudgetStillMatchesNothing(t *testing.T) {
	budget := only[*policyv1.PodDisruptionBudget](
		t,
		`{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{}}}`,
	)
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil {
		t.Fatal(err)
	}
	if selector.Empty() {
		t.Error("the selector matches every pod, as an empty one does in policy/v1")
	}
}

func TestOldClaimsAndSlicesKeepTheirMeaning(t *testing.T) {
	claim := only[*resourcev1.ResourceClaim](t, `{
		"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[
		{"name":"a","deviceClassName":"gpu","count":2,"allocationMode":"ExactCount"},{"name":"b","firstAvailable":[{"name":"x","deviceClassName":"y"}]}]}}}`)
	requests := claim.Spec.Devices.Requests
	if requests[0].Exactly == nil || requests[0].Exactly.DeviceClassName != "gpu" || requests[0].Exactly.Count != 2 {
		t.Errorf("request a is %+v", requests[0])
	}
	if requests[1].Exactly != nil || len(requests[1].FirstAvailable) != 1 {
		t.Errorf("request b is %+v", requests[1])
	}
	slice := only[*resourcev1.ResourceSlice](t, `{
		"apiVersion":"resource.k8s.io/v1alpha3","kind":"ResourceSlice","metadata":{"name":"s"},
		"spec":{"driver":"d","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"x","basic":{"attributes":{"model":{"string":"a"}},"capacity":{"memory":"40Gi"}}}]}}`)
	device := slice.Spec.Devices[0]
	if memory := device.Capacity["memory"]; memory.Value.String() != "40Gi" ||
		device.Attributes["model"].StringValue == nil {
		t.Errorf("device is %+v", device)
	}
}

func TestManagedFieldsAndLastAppliedAreDropped(t *testing.T) {
	budget := only[*policyv1.PodDisruptionBudget](t, `{
		"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","managedFields":[{"manager":"kubectl"}],
		"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"a\":1}","kept":"yes"}}}`)
	if budget.ManagedFields != nil {
		t.Errorf("managed fields are %v", budget.ManagedFields)
	}
	if diff := cmp.Diff(map[string]string{"kept": "yes"}, budget.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}
