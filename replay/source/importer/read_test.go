package importer_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/source/importer"
)

// files are the texts of a folder by path.
type files map[string]string

// folder writes files and returns their folder.
func folder(tb testing.TB, f files) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// readFolder reads a folder of files and returns what was found, one line each, with paths relative to the folder.
func readFolder(tb testing.TB, f files) []string {
	tb.Helper()
	dir := folder(tb, f)
	dump, err := importer.Read(tb.Context(), []string{dir}, importer.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	lines := told(dump)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], dir+string(filepath.Separator), "")
	}
	return lines
}

// told renders a dump as lines, without what was missing.
func told(dump *importer.Dump) []string {
	var lines []string
	for _, o := range dump.Objects {
		lines = append(lines, describe(o))
	}
	for _, p := range dump.Problems {
		lines = append(lines, p.Severity.String()+": "+p.Error())
	}
	for _, l := range dump.Left {
		lines = append(lines, "left: "+l.String())
	}
	for _, c := range dump.Configs {
		lines = append(lines, "config: "+c.Source)
	}
	return lines
}

func describe(o importer.Object) string {
	meta, ok := o.Object.(metav1.Object)
	if !ok {
		return fmt.Sprintf("%T is no API object", o.Object)
	}
	kind := o.Object.GetObjectKind().GroupVersionKind()
	name := strings.TrimPrefix(meta.GetNamespace()+"/"+meta.GetName(), "/")
	return fmt.Sprintf("%s %s %s from %s", kind.GroupVersion(), kind.Kind, name, o.Source)
}

const podA = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"ns"},"spec":{"containers":[{"name":"c","image":"i"}]}}`

// shapes are the ways in which a cluster is written down, and what is read of each.
var shapes = []struct {
	shape string
	files files
	want  []string
}{
	{
		shape: "kubectl get -o json: a List whose kind comes last",
		files: files{"all.json": "{\n\"apiVersion\": \"v1\",\n\"items\": [\n" + podA + ",\n" +
			strings.ReplaceAll(podA, `"a"`, `"b"`) + "\n],\n\"kind\": \"List\"}\n"},
		want: []string{"v1 Pod ns/a from all.json item 1 (ns/a)", "v1 Pod ns/b from all.json item 2 (ns/b)"},
	},
	{
		shape: "a NodeList whose items have no kind, with the list's kind first",
		files: files{"x.json": `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}`},
		want:  []string{"v1 Node n1 from x.json item 1 (n1)"},
	},
	{
		shape: "a NodeList whose items have no kind, with the list's kind last",
		files: files{"x.json": `{"items":[{"metadata":{"name":"n1"}}],"apiVersion":"v1","kind":"NodeList"}`},
		want:  []string{"v1 Node n1 from x.json item 1 (n1)"},
	},
	{
		shape: "kubectl get -o yaml: a block style list",
		files: files{
			"l.yaml": "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n2\nkind: List\nmetadata: {}\n",
		},
		want: []string{"v1 Node n1 from l.yaml line 3", "v1 Node n2 from l.yaml line 7"},
	},
	{
		shape: "an indented block style PodList without kinds",
		files: files{
			"l.yaml": "kind: NodeList\napiVersion: v1\nitems:\n  - metadata:\n      name: n1\n\n  # a comment\n  - metadata:\n      name: n2\n",
		},
		want: []string{"v1 Node n1 from l.yaml line 4", "v1 Node n2 from l.yaml line 8"},
	},
	{
		shape: "a block style list whose items share an anchor",
		files: files{
			"l.yaml": "kind: NodeList\napiVersion: v1\nitems:\n- metadata:\n    name: n1\n    labels: &l {a: b}\n- metadata:\n    name: n2\n    labels: *l\n",
		},
		want: []string{"v1 Node n1 from l.yaml item 1 (n1)", "v1 Node n2 from l.yaml item 2 (n2)"},
	},
	{
		shape: "a YAML stream with comments, an empty document and a marker with content",
		files: files{
			"s.yaml": "# first\n---\nkind: Node\napiVersion: v1\nmetadata: {name: n1}\n---\n# nothing\n--- \n---\n\nkind: Node\napiVersion: v1\nmetadata: {name: n2}\n...\n--- {kind: Node, apiVersion: v1, metadata: {name: n3}}\n",
		},
		want: []string{"v1 Node n1 from s.yaml line 3", "v1 Node n2 from s.yaml line 11", "v1 Node n3 from s.yaml line 15"},
	},
	{
		shape: "KYAML",
		files: files{
			"k.yaml": "---\n{\n  apiVersion: \"v1\",\n  kind: \"List\",\n  items: [{\n    apiVersion: \"v1\",\n    kind: \"Node\",\n    metadata: { name: \"n1\", },\n  }],\n}\n",
		},
		want: []string{"v1 Node n1 from k.yaml item 1 (n1)"},
	},
	{
		shape: "JSON lines",
		files: files{"o.jsonl": podA + "\n" + strings.ReplaceAll(podA, `"a"`, `"b"`) + "\n"},
		want:  []string{"v1 Pod ns/a from o.jsonl", "v1 Pod ns/b from o.jsonl line 2"},
	},
	{
		shape: "kubectl cluster-info dump to stdout: lists one after the other, and logs between them",
		files: files{
			"dump": "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"n1\"}}]}\n{\"kind\":\"EventList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"e\"}}]}\n{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"}}]}\n==== START logs for container c of pod ns/p ====\nhello\n[INFO] {\n==== END logs for container c of pod ns/p ====\n{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"n2\"}}]}",
		},
		want: []string{
			"v1 Node n1 from dump item 1 (n1)", "v1 Pod ns/p from dump item 1 (ns/p)", "v1 Node n2 from dump item 1 (n2)",
			"left: 1 Event", "left: 1 container log: a log is not the cluster",
		},
	},
	{
		shape: "kubectl cluster-info dump to a folder",
		files: files{
			"d/nodes.json":                   `{"items":[{"metadata":{"name":"n1"}}]}`,
			"d/default/pods.json":            `{"items":[{"metadata":{"name":"p","namespace":"default"}}]}`,
			"d/default/deployments.json":     `{"items":[{"metadata":{"name":"w","namespace":"default"}}]}`,
			"d/default/p/logs.txt":           "level=info msg=hello\n",
			"d/kube-system/pods.json":        `{"items":null}`,
			"d/kube-system/replicasets.json": `{"kind":"ReplicaSetList","apiVersion":"apps/v1","items":[]}`,
		},
		want: []string{
			"v1 Pod default/p from d/default/pods.json item 1 (default/p)", "v1 Node n1 from d/nodes.json item 1 (n1)",
			"notice: the dump holds the namespaces default, kube-system only: nodes look emptier than they are (kubectl cluster-info dump -A writes all)",
			"left: 1 Deployment: no pods are made from its template", "left: 1 log: a log is not the cluster",
		},
	},
	{
		shape: "a support bundle with an error text, an odd folder and a redacted field",
		files: files{
			"cluster-resources/pods/kube-system.json":        `{"items":[{"metadata":{"name":"p","namespace":"kube-system"},"spec":{"nodeName":"***HIDDEN***","containers":[{"name":"c","env":[{"name":"a","value":"***HIDDEN***"}]}]}}]}`,
			"cluster-resources/pods-errors.json":             `["pods is forbidden: User \"x\" cannot list resource"]`,
			"cluster-resources/nodes.json":                   `"nodes is forbidden"`,
			"cluster-resources/statefulsets-errors.json/a.b": "",
		},
		want: []string{
			"v1 Pod kube-system/p from cluster-resources/pods/kube-system.json item 1 (kube-system/p)",
			`refused: cluster-resources/nodes.json: it holds a text, not objects: "nodes is forbidden"`,
			`warning: cluster-resources/pods/kube-system.json line 1: pod "kube-system/p": spec.nodeName is blacked out; verdicts that read it are guesses`,
			"notice: cluster-resources/statefulsets-errors.json: a folder with a file's name; the files in it are read",
			`notice: cluster-resources/pods-errors.json: whoever collected this could not read pods: "pods is forbidden: User \"x\" cannot list resource" (what depends on them is a guess)`,
		},
	},
	{
		shape: "sonobuoy's names",
		files: files{
			"resources/cluster/core_v1_nodes.json":  `{"items":[{"metadata":{"name":"n1"}}]}`,
			"resources/ns/web/core_v1_pods.json":    `{"items":[{"metadata":{"name":"p","namespace":"web"}}]}`,
			"resources/ns/web/apps_v1_daemons.json": `{"items":[{"metadata":{"name":"d","namespace":"web"}}]}`,
		},
		want: []string{
			"v1 Node n1 from resources/cluster/core_v1_nodes.json item 1 (n1)",
			"v1 Pod web/p from resources/ns/web/core_v1_pods.json item 1 (web/p)",
			"left: 1 file whose objects say no kind",
		},
	},
	{
		shape: "a simulator's export, with the configuration inside",
		files: files{
			"e.json": `{"pods":[{"metadata":{"name":"p","namespace":"ns"}}],"nodes":[{"metadata":{"name":"n"}}],"pvs":[],"storageClasses":null,"schedulerConfig":{"profiles":[]}}`,
		},
		want: []string{
			"v1 Pod ns/p from e.json item 1 (ns/p)", "v1 Node n from e.json item 1 (n)",
			"config: e.json schedulerConfig",
		},
	},
	{
		shape: "an object that has a list called like a simulator's",
		files: files{
			"o.json": `{"nodes":[{"name":"n"}],"apiVersion":"example.com/v1","kind":"Topology","metadata":{"name":"t"}}`,
		},
		want: []string{"left: 1 Topology"},
	},
	{
		shape: "JSON of something else, which has lists called like a simulator's",
		files: files{"graph.json": `{"nodes":[{"id":1},{"id":2}],"edges":[]}`},
		want:  []string{"left: 2 value without kind: it is no Kubernetes object"},
	},
	{
		shape: "internal types of kubectl up to 1.13",
		files: files{"dump.json": `{"Items":[
			{"name":"n1","labels":{"Zone":"a"},"Spec":{"Unschedulable":true},"Status":{"Allocatable":{"cpu":"4"},"NodeInfo":{}}},
			{"name":"n2","Spec":{},"Status":{"Allocatable":{"cpu":{"Amount":"2","Format":"DecimalSI"}},"NodeInfo":{}}},
			{"name":"web","namespace":"shop","Spec":{"NodeName":"n1","Containers":[{"Name":"c","Resources":{"Requests":{"cpu":"1"}}}]}}]}`},
		want: []string{
			"v1 Node n1 from dump.json item 1 (n1)", "v1 Node n2 from dump.json item 2 (n2)",
			"v1 Pod shop/web from dump.json item 3 (shop/web)",
			`notice: dump.json: it holds kubectl's internal types ("Items", "Spec", no kind), as kubectl up to 1.13 printed them; they are read, and 2 more like it`,
		},
	},
	{
		shape: "internal types of an unknown kind",
		files: files{"x.json": `{"ListMeta":{},"Items":[{"name":"a","Spec":{},"Status":{}}]}`},
		want: []string{
			`refused: x.json: it holds kubectl's internal types ("Items", "Spec", no kind); these objects are left out: their kind is not known by their fields, nor by the name of the file (write it again with a newer kubectl, or with kubectl get -o json)`,
		},
	},
	{
		shape: "a snapshot of cluster-autoscaler, with pods of both versions",
		files: files{"snapshot.json": `{"NodeList":[{"Node":{"metadata":{"name":"n1"}},"Pods":[{"metadata":{"name":"a"},"spec":{"nodeName":"n1"}},
			{"Pod":{"metadata":{"name":"b"},"spec":{"nodeName":"n1"}},"RequiredAffinityTerms":null}]}],
			"UnscheduledPodsCanBeScheduled":[{"metadata":{"name":"c"}}],"TemplateNodes":{"g":{"Node":{}}},"Error":""}`},
		want: []string{
			"v1 Node n1 from snapshot.json", "v1 Pod a from snapshot.json", "v1 Pod b from snapshot.json", "v1 Pod c from snapshot.json",
			"notice: snapshot.json: a snapshot of cluster-autoscaler holds of the pending pods those only that it found room for",
			"left: 1 template of a node group: it is no node yet",
		},
	},
	{
		shape: "a snapshot of the KAI scheduler",
		files: files{"snapshot.json": `{"config":{},"rawObjects":{"pods":[{"metadata":{"name":"a","namespace":"d"}}],
			"nodes":[{"metadata":{"name":"n1"}}],"queues":[{"metadata":{"name":"q"}}],"podGroups":[{"metadata":{"name":"g"}}],
			"persistentVolumeClaims":[{"metadata":{"name":"data"}}],"configMaps":null}}`},
		want: []string{
			"v1 Pod d/a from snapshot.json", "v1 Node n1 from snapshot.json", "v1 PersistentVolumeClaim data from snapshot.json",
			"left: 1 one of podGroups: the KAI scheduler alone reads it", "left: 1 one of queues: the KAI scheduler alone reads it",
		},
	},
	{
		shape: "an object that has items, which it should not have",
		files: files{"o.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nitems:\n"},
		want: []string{
			"v1 Node n1 from o.yaml line 1", `warning: o.yaml line 4: node "n1": unknown field items is ignored`,
		},
	},
	{
		shape: "a kwok recording",
		files: files{"kwok.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  creationTimestamp: \"$(time-offset-nanosecond -5000000000)\"\n" +
			"---\napiVersion: action.kwok.x-k8s.io/v1alpha1\nkind: ResourcePatch\nmethod: create\n"},
		want: []string{
			"v1 Pod a from kwok.yaml line 1",
			"left: 1 ResourcePatch: what a kwok recording says happened after its snapshot is not played",
		},
	},
	{
		shape: "a SimKube trace as JSON",
		files: files{"trace.json": `{"version":2,"config":{},"events":[{"ts":1,"applied_objs":[
			{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}],"deleted_objs":[]},
			{"ts":61,"applied_objs":[],"deleted_objs":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}]}],"index":{}}`},
		want: []string{
			"v1 Pod b from trace.json",
			"notice: trace.json: a SimKube trace of 2 events over 1m0s: objects are taken as they are after the last one; 1 was deleted before that",
		},
	},
	{
		shape: "tables and descriptions of kubectl",
		files: files{
			"get.txt":  "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nshop        web-1   1/1     Running   0          3d\n",
			"desc.txt": "Name:         web\nNamespace:    shop\nLabels:       app=web\nNode:         n1/10.0.0.1\n",
		},
		want: []string{
			"notice: desc.txt: it is what kubectl describe prints for people, and does not hold what a scheduler reads (kubectl get nodes,pods,pv,pvc,sc -A -o yaml prints objects)",
			"notice: get.txt: it is what kubectl get prints for people, and does not hold what a scheduler reads (kubectl get nodes,pods,pv,pvc,sc -A -o yaml prints objects)",
		},
	},
	{
		shape: "the tables of openb",
		files: files{
			"nodes.csv": "sn,cpu_milli,memory_mib,gpu,model\nnode-0,32000,262144,2,T4\n",
			"pods.csv":  "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\npod-0,6000,12288,1,460,T4|P100\npod-1,many,1,0,0,\n",
		},
		want: []string{
			"v1 Node node-0 from nodes.csv line 2", "v1 Pod default/pod-0 from pods.csv line 2",
			`refused: pods.csv line 3: a row is left out: cpu_milli "many" is no number`,
			"notice: pods.csv: GPUs are the resource alibabacloud.com/gpu-milli, models the label alibabacloud.com/gpu-card-model; every pod is to be placed, in the order of creation_time, and nothing is deleted",
		},
	},
	{
		shape: "the output of kubectl in a file that is called a log",
		files: files{
			"kubectl.log": "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n", "app.log": "{ starting\n",
		},
		want: []string{
			"left: 1 log: a log is not the cluster",
			"left: 1 log: it is called a log, and begins as the output of kubectl does; name the file itself to have it read",
		},
	},
	{
		shape: "bare objects known by name and by shape",
		files: files{
			"nodes.json": `{"metadata":{"name":"n1"}}`,
			"x.json":     `{"metadata":{"name":"p"},"spec":{"containers":[]}}`,
		},
		want: []string{"v1 Node n1 from nodes.json", "v1 Pod p from x.json"},
	},
	{
		shape: "an answer of the API server",
		files: files{"a.json": `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized"}`},
		want:  []string{`refused: a.json line 1: it holds an answer of the API server, not objects: "Unauthorized"`},
	},
	{
		shape: "an error text where YAML should be",
		files: files{"pods.yaml": "Error from server (Forbidden): pods is forbidden\n"},
		want: []string{
			`refused: pods.yaml: it holds a text, not objects: "Error from server (Forbidden): pods is forbidden"`,
		},
	},
	{
		shape: "what PowerShell's > writes",
		files: files{"w.json": utf16LE(podA)},
		want:  []string{"v1 Pod ns/a from w.json"},
	},
	{
		shape: "a file with a byte order mark and Windows line ends",
		files: files{
			"w.yaml": "\ufeffkind: NodeList\r\napiVersion: v1\r\nitems:\r\n- metadata:\r\n    name: n1\r\n- metadata:\r\n    name: n2\r\n",
		},
		want: []string{"v1 Node n1 from w.yaml item 1 (n1)", "v1 Node n2 from w.yaml item 2 (n2)"},
	},
	{
		shape: "scheduler configurations, alone and in a ConfigMap",
		files: files{
			"c.yaml": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
			"m.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: kube-system}\ndata:\n  other: x\n  policy.cfg: '{\"kind\": \"Policy\", \"apiVersion\": \"v1\"}'\n",
		},
		want: []string{
			"left: 1 ConfigMap", "config: c.yaml line 1", "config: m.yaml configmap kube-system/m key policy.cfg",
		},
	},
	{
		shape: "kinds the scheduler does not read, logs, binaries",
		files: files{
			"a.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: s}\n---\nkind: PodGroup\napiVersion: scheduling.sigs.k8s.io/v1alpha1\nmetadata: {name: g}\n",
			"b.log":  "{\"level\":\"info\"}\n{\"level\":\"info\"}\n", "c.bin": "\x00\x01\x02",
			"values.yaml": "replicas: 2\nimage: x\n", ".hidden": "x",
		},
		want: []string{
			"left: 1 PodGroup", "left: 1 Secret",
			"left: 1 binary file: it is no text", "left: 1 hidden file or folder: its name begins with a dot",
			"left: 1 log: a log is not the cluster", "left: 1 value without kind: it is no Kubernetes object",
		},
	},
}

func TestEveryShapeGivesItsObjects(t *testing.T) {
	for _, test := range shapes {
		t.Run(test.shape, func(t *testing.T) {
			if diff := cmp.Diff(test.want, readFolder(t, test.files)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func utf16LE(text string) string {
	out := []byte{0xff, 0xfe}
	for _, c := range []byte(text) {
		out = append(out, c, 0)
	}
	return string(out)
}

func TestOlderVersionsBecomeTheNewest(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{
			`{"apiVersion":"extensions/v1beta1","kind":"ReplicaSet","metadata":{"name":"r"},"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}`,
			"apps/v1 ReplicaSet r",
		},
		{`{"apiVersion":"apps/v1beta1","kind":"StatefulSet","metadata":{"name":"s"}}`, "apps/v1 StatefulSet s"},
		{
			`{"apiVersion":"storage.k8s.io/v1beta1","kind":"CSIStorageCapacity","metadata":{"name":"c"},"storageClassName":"x"}`,
			"storage.k8s.io/v1 CSIStorageCapacity c",
		},
		{
			`{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PriorityClass","metadata":{"name":"p"},"value":1}`,
			"scheduling.k8s.io/v1 PriorityClass p",
		},
		{
			`{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"d"}]}}}`,
			"resource.k8s.io/v1 ResourceClaim c",
		},
		{
			`{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"x","basic":{"capacity":{"m":{"value":"1Gi"}}}}]}}`,
			"resource.k8s.io/v1 ResourceSlice s",
		},
		{
			`{"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule","metadata":{"name":"t"},"spec":{"taint":{"key":"k","effect":"NoSchedule"}}}`,
			"resource.k8s.io/v1 DeviceTaintRule t",
		},
		{
			`{"apiVersion":"scheduling.k8s.io/v1alpha3","kind":"PodGroup","metadata":{"name":"g"}}`,
			"scheduling.k8s.io/v1beta1 PodGroup g",
		},
	} {
		got := readFolder(t, files{"o.json": test.text})
		if diff := cmp.Diff([]string{test.want + " from o.json"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestUnreadVersionIsRefusedWithTheReadOnes(t *testing.T) {
	got := readFolder(t, files{"g.yaml": "kind: PodGroup\napiVersion: scheduling.k8s.io/v1alpha1\nmetadata: {name: g}\n"})
	want := []string{
		`refused: g.yaml line 1: podgroup "g": unsupported apiVersion scheduling.k8s.io/v1alpha1; it is left out (supported: v1beta1, v1alpha3)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNewestOfTwoObjectsIsKept(t *testing.T) {
	old := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n","resourceVersion":"9"}}`
	newer := strings.Replace(old, `"9"`, `"10"`, 1)
	got := readFolder(t, files{"1.json": newer, "2.json": old})
	want := []string{
		"v1 Node n from 1.json",
		`notice: 1.json: Node "n" is also in 2.json; that one is older or came first, and is ignored`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = readFolder(t, files{
		"1.yaml": "kind: Pod\napiVersion: v1\nmetadata: {name: p}\n",
		"2.yaml": "kind: Pod\napiVersion: v1\nmetadata: {name: p, namespace: default}\n",
	})
	want = []string{
		"v1 Pod default/p from 2.yaml line 1",
		`notice: 2.yaml line 1: Pod "default/p" is also in 1.yaml line 1; that one is older or came first, and is ignored`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPathsThatLeadNowhereAreErrors(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		paths  []string
		format importer.Format
		want   string
	}{
		{nil, "", `input: no file, folder or "-" was given`},
		{[]string{filepath.Join(dir, "no.yaml")}, "", "file DIR/no.yaml: it does not exist"},
		{[]string{filepath.Join(dir, "*.yaml")}, "", "pattern DIR/*.yaml: no file matches it"},
		{[]string{dir}, "toml", `format "toml": unknown (one of "json", "yaml")`},
	} {
		_, err := importer.Read(t.Context(), test.paths, importer.Options{Format: test.format})
		if err == nil || strings.ReplaceAll(err.Error(), dir, "DIR") != test.want {
			t.Errorf("Read(%q): error %v, want %s", test.paths, err, test.want)
		}
	}
}

func TestArchivesAreReadLikeFolders(t *testing.T) {
	const nodes, pods = "bundle/cluster-resources/nodes.json", "bundle/cluster-resources/pods/web.json"
	texts := []struct{ name, text string }{
		{nodes, `{"items":[{"metadata":{"name":"n1"}}]}`}, {pods, `{"items":[{"metadata":{"name":"p","namespace":"web"}}]}`},
	}
	var tarred, zipped bytes.Buffer
	packed := gzip.NewWriter(&tarred)
	tape, box := tar.NewWriter(packed), zip.NewWriter(&zipped)
	for _, f := range texts {
		if err := tape.WriteHeader(
			&tar.Header{Name: f.name, Size: int64(len(f.text)), Mode: 0o600, Typeflag: tar.TypeReg},
		); err != nil {
			t.Fatal(err)
		}
		if _, err := tape.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
		member, err := box.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []io.Closer{tape, packed, box} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, archive := range map[string][]byte{"b.tar.gz": tarred.Bytes(), "b.zip": zipped.Bytes()} {
		got := readFolder(t, files{name: string(archive)})
		want := []string{"v1 Node n1 from " + name + ": " + nodes +
			" item 1 (n1)", "v1 Pod web/p from " + name + ": " + pods + " item 1 (web/p)"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		got = readFolder(t, files{name: string(archive[:len(archive)-30])})
		if len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "refused: "+name) {
			t.Errorf("%s cut short gives %q, want a problem last", name, got)
		}
	}
}

func TestMustGatherIsReadAndItsGapTold(t *testing.T) {
	got := readFolder(t, files{
		"mg/img/cluster-scoped-resources/core/nodes/n1.yaml": "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n",
		"mg/img/namespaces/web/core/pods.yaml":               "apiVersion: v1\nkind: PodList\nitems:\n- metadata:\n    name: p\n    namespace: web\n    resourceVersion: \"2\"\n",
		"mg/img/namespaces/web/pods/p/p.yaml":                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: web\n  resourceVersion: \"2\"\n",
		"mg/img/namespaces/web/pods/p/c/logs/current.log":    "2026-01-01 hello\n",
		"mg/img/namespaces/web/web.yaml":                     "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n",
		"mg/img/namespaces/web/policy/pdbs.yaml":             "apiVersion: policy/v1\nkind: PodDisruptionBudgetList\nitems: []\n",
	})
	want := []string{
		"v1 Node n1 from mg/img/cluster-scoped-resources/core/nodes/n1.yaml line 1",
		"v1 Pod web/p from mg/img/namespaces/web/pods/p/p.yaml line 1",
		"v1 Namespace web from mg/img/namespaces/web/web.yaml line 1",
		"notice: a must-gather holds the pods of the platform, not of ordinary namespaces: nodes look emptier than they are (add the output of kubectl get pods -A -o yaml)",
		`notice: mg/img/namespaces/web/pods/p/p.yaml line 1: Pod "web/p" is also in mg/img/namespaces/web/core/pods.yaml item 1 (web/p); that one is older or came first, and is ignored`,
		"left: 1 log: a log is not the cluster",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A node lists its pods of every namespace by what they request; the pod's own object in the input counts more.
func TestMustGatherKnowsThePodsThatNodesTellOf(t *testing.T) {
	const listed = `[{"namespace":"web","name":"p","nodeName":"n1","qosClass":"Burstable","containers":[{"name":"c","resources":{}}]},
{"namespace":"shop","name":"cart","nodeName":"n1","qosClass":"Burstable","containers":[
{"name":"a","resources":{"limits":{"cpu":"0"},"requests":{"cpu":"250m"}}},{"name":"b","resources":{"requests":{"cpu":"1"}}}]}]`
	folder := files{
		"mg/cluster-scoped-resources/core/nodes/n1.yaml": "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n",
		"mg/namespaces/web/pods/p/p.yaml":                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: web\n",
		"mg/nodes/n1/pods_info.json":                     listed,
		"mg/nodes/n1/cpu_affinities.json":                `[{"pid":1,"affinity":"0-3"}]`,
	}
	const added = "notice: 1 of the pods are in pods_info.json alone: " +
		"their nodes and some of their requests are known, their labels, ports and affinity are not"
	want := []string{
		"v1 Node n1 from mg/cluster-scoped-resources/core/nodes/n1.yaml line 1",
		"v1 Pod web/p from mg/namespaces/web/pods/p/p.yaml line 1",
		"v1 Pod shop/cart from mg/nodes/n1/pods_info.json item 2 (shop/cart)",
		added,
		"left: 1 value without kind: it is no Kubernetes object",
	}
	if diff := cmp.Diff(want, readFolder(t, folder)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	folder["mg/cluster-scoped-resources/core/nodes/n2.yaml"] = "apiVersion: v1\nkind: Node\nmetadata:\n  name: n2\n"
	const emptier = "notice: a must-gather holds the pods of the platform, not of ordinary namespaces"
	if got := readFolder(t, folder); !strings.Contains(strings.Join(got, "\n"), emptier) {
		t.Errorf("n2 tells of no pod, and nobody says so: %q", got)
	}
}

func TestFormatOverrulesDetection(t *testing.T) {
	// JSON with a comma too many is no JSON, and good YAML.
	const text = `{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1",},}`
	for format, want := range map[importer.Format]int{importer.Detect: 0, importer.JSON: 0, importer.YAML: 1} {
		dump, err := importer.Read(t.Context(), []string{"-"}, importer.Options{
			Streams: map[string]io.Reader{"-": strings.NewReader(text)}, Format: format,
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(dump.Objects) != want || (want == 0) != (len(dump.Problems) > 0) {
			t.Errorf("format %q: told %q, want %d objects", format, told(dump), want)
		}
	}
}

func TestStandardInputAndGlobsAreOneCluster(t *testing.T) {
	dir := folder(t, files{
		"b.yaml": "kind: Node\napiVersion: v1\nmetadata: {name: b}\n",
		"a.yaml": "kind: Node\napiVersion: v1\nmetadata: {name: a}\n",
	})
	var done, total int64
	dump, err := importer.Read(t.Context(), []string{filepath.Join(dir, "*.yaml"), "-"}, importer.Options{
		Streams:  map[string]io.Reader{"-": strings.NewReader(podA)},
		Progress: func(d, t int64) { done, total = d, t },
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range dump.Objects {
		got = append(got, strings.ReplaceAll(describe(o), dir+string(filepath.Separator), ""))
	}
	want := []string{"v1 Node a from a.yaml line 1", "v1 Node b from b.yaml line 1", "v1 Pod ns/a from standard input"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if done == 0 || total != 0 {
		t.Errorf("progress ended at %d of %d, want some bytes of an unknown total", done, total)
	}
}

func TestResultDoesNotDependOnWorkers(t *testing.T) {
	path := writeCluster(t, 20, 300)
	var want []string
	for _, workers := range []int{1, 2, 7} {
		dump, err := importer.Read(t.Context(), []string{path}, importer.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		got := told(dump)
		if want == nil {
			want = got
		}
		if len(got) != 320 {
			t.Fatalf("%d workers: %d lines, want 320 objects", workers, len(got))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers differ from 1:\n%s", workers, diff)
		}
	}
}

func TestMissingKindsAreThoseNoFileHeld(t *testing.T) {
	dir := folder(t, files{
		"nodes.json": `{"items":[]}`,
		"pdbs.json":  `{"kind":"PodDisruptionBudgetList","apiVersion":"policy/v1","items":[]}`, "p.json": podA,
	})
	dump, err := importer.Read(t.Context(), []string{dir}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, absence := range dump.Missing {
		missing[absence.Kind] = true
	}
	for kind, want := range map[string]bool{
		"Node": false, "Pod": false, "PodDisruptionBudget": false, "CSINode": true, "PersistentVolume": true,
		"Namespace": true,
	} {
		if missing[kind] != want {
			t.Errorf("%s missing: %v, want %v", kind, missing[kind], want)
		}
	}
}
