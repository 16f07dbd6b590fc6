package importer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
	"sigs.k8s.io/yaml/kyaml"

	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// TestEveryObjectOfEveryOutputIsFoundAgain appends the outputs of several kubectl commands to each other, as "kubectl
// get ... >> all" does, in every format of kubectl, with the lines it prints around them and with every way to end a
// line. What was put in is counted here, where it is made.
func TestEveryObjectOfEveryOutputIsFoundAgain(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		var written bytes.Buffer
		var want []string
		lines, logs := 0, 0
		for range rapid.IntRange(1, 5).Draw(t, "outputs") {
			for range rapid.IntRange(0, 2).Draw(t, "lines before") {
				written.WriteString(rapid.SampledFrom(chatter).Draw(t, "line") + "\n")
				lines++
			}
			names, output := kubectlOutput(t, len(want))
			written.WriteString(output)
			want = append(want, names...)
			if rapid.IntRange(0, 9).Draw(t, "log") == 0 {
				written.WriteString(containerLog)
				logs++
			}
		}
		dump, err := importer.Read(t.Context(), []string{"-"}, importer.Options{
			Streams: map[string]io.Reader{"-": bytes.NewReader(written.Bytes())},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range dump.Objects {
			got = append(got, o.Object.(metav1.Object).GetName())
		}
		counts := map[string]int{}
		for _, l := range dump.Left {
			counts[l.What] += l.Count
		}
		for _, p := range dump.Problems {
			t.Errorf("%s: %s", p.Severity, p.Error())
		}
		slices.Sort(got)
		slices.Sort(want)
		diff := cmp.Diff(want, got)
		if diff != "" || counts["line of text around the data"] != lines || counts["container log"] != logs {
			t.Fatalf("(-put in +found):\n%s\ncounted %v, want %d lines and %d logs, in\n%s", diff, counts, lines, logs,
				written.String())
		}
	})
}

// chatter is what terminals and kubectl print around the data.
var chatter = []string{
	"Warning: v1 ComponentStatus is deprecated in v1.19+",
	"W0612 10:11:12.123456   12345 warnings.go:70] policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+",
	"I0612 10:11:12.123456   12345 request.go:665] Waited for 1.18s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1:6443/apis?timeout=32s",
	"No resources found in default namespace.", "user@host:~$ kubectl get pods -A -o yaml",
	"[user@host ~]$ kubectl get nodes -o json", "$ kubectl get all", "Defaulted container \"a\" out of: a, b",
}

const containerLog = "==== START logs for container c of pod ns/p ====\n{\"level\": \"info\"\n---\nkind: Pod\n" +
	"no line feed at its end==== END logs for container c of pod ns/p ====\n"

// kubectlOutput is what one kubectl command prints, and the names of the objects in it.
func kubectlOutput(t *rapid.T, first int) (names []string, output string) {
	var items []any
	for range rapid.IntRange(1, 4).Draw(t, "objects") {
		name := fmt.Sprintf("n%d", first+len(names))
		names = append(names, name)
		items = append(items, someObject(t, name))
	}
	value := items[0]
	if len(items) > 1 || rapid.Bool().Draw(t, "list") {
		value = map[string]any{
			"apiVersion": "v1", "kind": "List", "items": items, "metadata": map[string]any{"resourceVersion": ""},
		}
	}
	switch rapid.SampledFrom([]string{"yaml", "json", "compact json", "kyaml", "stream"}).Draw(t, "format") {
	case "yaml":
		text := must(t)(yaml.Marshal(value))
		return names, rapid.SampledFrom(markers).Draw(t, "marker") + string(text)
	case "json":
		text := string(must(t)(json.MarshalIndent(value, "", "    ")))
		return names, text + rapid.SampledFrom(ends).Draw(t, "end")
	case "compact json":
		return names, string(must(t)(json.Marshal(value))) + rapid.SampledFrom(ends).Draw(t, "end")
	case "kyaml":
		var out bytes.Buffer
		if err := (&kyaml.Encoder{}).FromObject(value, &out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if rapid.Bool().Draw(t, "without marker") {
			text = strings.TrimPrefix(text, "---\n")
		}
		return names, text
	}
	var stream strings.Builder
	for _, item := range items {
		stream.WriteString(string(must(t)(yaml.Marshal(item))) + rapid.SampledFrom(markers).Draw(t, "marker"))
	}
	return names, stream.String()
}

// markers may stand before a YAML document, and ends behind a JSON value.
var (
	markers = []string{
		"", "---\n", "---\r\n", "...\n---\n", "---\r", "---\u0085", "---\u2028", "---\u2029", "# a comment\n",
	}
	ends = []string{"\n", "", "\n---\n", ",\n", "\r", "\u0085", "\u2028", "\u2029", " ", "\ufeff"}
)

func must(t *rapid.T) func(text []byte, err error) []byte {
	return func(text []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}

// someObject is a pod or a node as kubectl prints it, some with a text that looks like something else.
func someObject(t *rapid.T, name string) any {
	meta := metav1.ObjectMeta{Name: name, Annotations: map[string]string{
		"note": rapid.SampledFrom([]string{
			"", "a: b", "{\"kind\": \"Pod\"}", "---\nkind: Pod\n", "line\nWarning: no\n{\n}\n", "it's \"quoted\" [x",
			"apiVersion: v1\nitems:\n- a\n", "\u2028---\u2028",
		}).Draw(t, "note"),
	}}
	var object any = corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: meta}
	if rapid.Bool().Draw(t, "pod") {
		object = corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: meta,
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", Args: []string{"- x", "{"}}}},
		}
	}
	return object
}
