package importer_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/source/importer"
)

const (
	nodeA = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n"
	nodeB = "apiVersion: v1\nkind: Node\nmetadata:\n  name: b\n"
	listA = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n" +
		"- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a2\nkind: List\nmetadata:\n  resourceVersion: \"\"\n"
	kyamlA = "{\n  apiVersion: \"v1\",\n  kind: \"Node\",\n  metadata: {\n    name: \"a\",\n  },\n}\n"
	jsonA  = "{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Node\",\n    \"metadata\": {\n        \"name\": \"a\"\n    }\n}\n"
)

var (
	listB = strings.ReplaceAll(listA, "name: a", "name: b")
	jsonB = strings.ReplaceAll(jsonA, `"a"`, `"b"`)
)

const words = "left: 1 line of text around the data: it is no object"

var between = []struct {
	what, text string
	want       []string
}{
	{
		"a whole dump as one stream that begins with a comment",
		"# kubectl cluster-info dump\n" + jsonA + "==== START logs for container c of pod ns/p ====\n{ a\n---\n" +
			"kind: Pod\n==== END logs for container c of pod ns/p ====\n" + jsonB,
		[]string{"a", "b", "left: 1 container log: a log is not the cluster"},
	},
	{
		"a log that nothing ends", jsonA + "==== START logs for container c of pod ns/p ====\n" + jsonB,
		[]string{
			"a",
			"refused: standard input line 8: a container's log begins and nothing ends it; nothing after it is read (kubectl cluster-info dump ends each with \"==== END logs\")",
			"left: 1 container log: a log is not the cluster",
		},
	},
	{"two KYAML documents", kyamlA + strings.ReplaceAll(kyamlA, `"a"`, `"b"`), []string{"a", "b"}},
	{"words behind the brace", kyamlA + "and so on\n", []string{"a", words}},
	{"two lists without a marker", listA + listB, []string{"a", "a2", "b", "b2"}},
	{"two manifests in another order of keys", nodeA + "kind: Node\nmetadata: {name: b}\napiVersion: v1\n", []string{
		"a", "b",
	}},
	{"a warning inside a list", strings.Replace(listA, "- apiV", "Warning: v1 is old\n- apiV", 2), []string{
		"a", "a2", "left: 2 line of text around the data: it is no object",
	}},
	{"an object on the line of a text", jsonA + "done: " + jsonB, []string{"a", "b", words}},
	{"an object on the line of a text, before YAML", "user$ " + jsonB + nodeA, []string{"b", "a", words}},
	{"a cut object before a whole one", jsonA[:len(jsonA)/2] + "\n" + jsonB, []string{
		"b",
		"refused: standard input line 5: this is not JSON; the value that begins at line 1 is left out (a value begins with { or [, its keys are in double quotes and commas stand between its members)",
	}},
	{"an object cut in a list before a whole one", "[" + jsonA[:len(jsonA)/2] + "\n" + jsonB, []string{
		"b",
		"refused: standard input line 5: the value that began at line 1 is cut here; what follows it is read (was it cut short while copying?)",
	}},
	{
		"a comma too many, and YAML behind it", strings.Replace(jsonA, "\n    }", ",,\n    }", 1) + "---\n" + nodeB,
		[]string{
			"b",
			"refused: standard input line 5: node \"a\": it is not well-formed JSON: invalid character ',' looking for beginning of object key string; it is left out",
		},
	},
	{
		"what kubectl complains of", "Error from server (Forbidden): pods is forbidden\n" + nodeA,
		[]string{
			"a",
			`warning: standard input line 1: kubectl complained: "Error from server (Forbidden): pods is forbidden" (what it could not read is not in the input)`,
		},
	},
	{"a document that ends before its text", "  apiVersion: v1\n  kind: Node\n  metadata: {name: a}\nmore: b\n", []string{
		"a",
		"refused: standard input line 4: an object without kind, and neither the file's name nor its fields tell which; it is left out (kubectl get ... -o json writes kind and apiVersion into each object, or call the file nodes.json, pods.json)",
	}},
	{
		"what gcloud logging read prints when it is not asked for JSON",
		"---\ninsertId: a\nprotoPayload:\n  methodName: io.k8s.core.v1.pods.create\n---\ninsertId: b\nprotoPayload: {}\n" + "---\n" + nodeA,
		[]string{
			"a",
			"refused: standard input line 2: an entry of Google Cloud's log, written as YAML; it is left out (gcloud logging read ... --format=json writes a log that is read), and 1 more like it",
		},
	},
	{
		"brackets that go on at the beginning of a line", "apiVersion: v1\nkind: Node\nmetadata: {\nname: a\n}\n",
		[]string{"a"},
	},
	{
		"items in brackets, each on its line", "apiVersion: v1\nkind: List\nitems: [\n" +
			"{apiVersion: v1, kind: Node, metadata: {name: a}},\n{apiVersion: v1, kind: Node, metadata: {name: b}}\n]\n",
		[]string{"a", "b"},
	},
}

// What is not an object is counted and named, and what follows it is read.
func TestWhatStandsBetweenObjectsHidesNone(t *testing.T) {
	for _, test := range between {
		t.Run(test.what, func(t *testing.T) {
			if diff := cmp.Diff(test.want, foundIn(t, test.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// foundIn lists the names of the objects in a text, and the problems with the rest.
func foundIn(t *testing.T, text string) []string {
	t.Helper()
	dump, err := importer.Read(
		t.Context(), []string{"-"}, importer.Options{Streams: map[string]io.Reader{"-": strings.NewReader(text)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	lines := told(dump)
	for i, o := range dump.Objects {
		lines[i] = o.Object.(metav1.Object).GetName()
	}
	return lines
}
