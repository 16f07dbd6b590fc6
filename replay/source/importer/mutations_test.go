package importer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// original is a real file and the objects in it, as this test counts them: by the bytes of each.
type original struct {
	path    string
	text    []byte
	objects map[string][]byte // by "Kind namespace/name"
	said    map[string]bool   // the reports for the file as it is
}

// originals are real files of several tools.
func originals(t *testing.T) []original {
	t.Helper()
	var all []original
	for _, path := range []string{
		"sbctl-bundle/support-bundle/cluster-resources/nodes.json",
		"sbctl-bundle/support-bundle/cluster-resources/pods/minio.json",
		"openb/openb_node_list_gpu_node.yaml", "helm-rendered/cockroachdb.yaml", "helm-rendered/etcd.yaml",
		"kwok/scheduling/pod-priority-and-preemption/priority-classes.yaml", "simkube/bare-pods.sktrace",
		"kube-scheduler-simulator/export_1.json", "openb/openb_pod_list_default.csv",
	} {
		text, err := os.ReadFile("testdata/samples/" + path)
		if os.IsNotExist(err) {
			t.Fatalf("%s is not among the samples", path)
		}
		if err != nil {
			t.Fatal(err)
		}
		o := original{path: path, text: text, said: map[string]bool{}, objects: map[string][]byte{}}
		dump := readText(t, text)
		for _, line := range sayings(dump) {
			o.said[line] = true
		}
		found := keysOf(dump)
		for key, raw := range counted(text) {
			if slices.Contains(found, key) {
				o.objects[key] = raw
			}
		}
		all = append(all, o)
	}
	return all
}

// counted finds the objects of a text without the importer: the elements of the items of a JSON list, or the documents
// of a YAML stream.
func counted(text []byte) map[string][]byte {
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	objects := map[string][]byte{}
	parts := bytes.Split(text, []byte("\n---\n"))
	if json.Unmarshal(text, &list) == nil && len(list.Items) > 0 {
		parts = nil
		for _, raw := range list.Items {
			parts = append(parts, raw)
		}
	}
	for _, raw := range parts {
		var o struct {
			Kind     string `json:"kind"`
			Metadata struct{ Name, Namespace string }
		}
		if yaml.Unmarshal(raw, &o) == nil && o.Metadata.Name != "" {
			objects[o.Kind+" "+join(o.Metadata.Namespace, o.Metadata.Name)] = bytes.TrimSpace(raw)
		}
	}
	return objects
}

func join(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// story is a test, or one story of a law.
type story interface {
	Context() context.Context
	Fatal(values ...any)
}

func readText(t story, text []byte) *importer.Dump {
	dump, err := importer.Read(
		t.Context(), []string{"-"}, importer.Options{Streams: map[string]io.Reader{"-": bytes.NewReader(text)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return dump
}

// keysOf are the objects of a dump.
func keysOf(dump *importer.Dump) []string {
	var keys []string
	for _, o := range dump.Objects {
		object := o.Object.(cluster.Object)
		keys = append(keys, object.GetObjectKind().GroupVersionKind().Kind+" "+importer.NameOf(object))
	}
	return keys
}

// sayings are all sentences about a dump that report a loss: what is refused or ignored, and what is left out.
func sayings(dump *importer.Dump) []string {
	var lines []string
	for _, p := range dump.Problems {
		lines = append(lines, p.Error())
	}
	for _, l := range dump.Left {
		lines = append(lines, l.String())
	}
	return lines
}

// TestDamageLosesNothingInSilence damages real files. Whatever of the objects is still there, byte for byte, is found,
// or there is a report that the whole file does not have. -rapid.checks=20000 tries as many damaged files.
func TestDamageLosesNothingInSilence(t *testing.T) {
	files := originals(t)
	law.Check(t, func(t *rapid.T) {
		file := files[rapid.IntRange(0, len(files)-1).Draw(t, "file")]
		text := bytes.Clone(file.text)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			text = damaged(t, text, file.text)
		}
		dump := readText(t, text)
		found := keysOf(dump)
		for key, raw := range file.objects {
			if !bytes.Contains(text, raw) || slices.Contains(found, key) {
				continue
			}
			if !slices.ContainsFunc(sayings(dump), func(line string) bool { return !file.said[line] }) {
				t.Fatalf("%s: %s is there and not found, and nothing is said of it:\n%s", file.path, key, text)
			}
		}
	})
}

// damaged is a text with one thing done to it that happens to files: cut, a part lost or twice, a byte changed, a line
// of something else, other ends of lines.
func damaged(t *rapid.T, text, other []byte) []byte {
	if len(text) == 0 {
		return text
	}
	at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
	end := min(len(text), at+rapid.SampledFrom([]int{1, 2, 17, 300, 5000}).Draw(t, "length"))
	switch rapid.IntRange(0, 7).Draw(t, "damage") {
	case 0:
		return text[:at]
	case 1:
		return text[at:]
	case 2:
		return slices.Concat(text[:at], text[end:])
	case 3:
		return slices.Concat(text[:end], text[at:])
	case 4:
		text[at] = rapid.Byte().Draw(t, "byte")
		return text
	case 5:
		return bytes.ReplaceAll(text, []byte("\n"), []byte(rapid.SampledFrom([]string{"\r\n", "\r", "\n\n"}).Draw(t, "ends")))
	case 6:
		from := rapid.IntRange(0, len(other)-1).Draw(t, "from")
		return slices.Concat(text[:at], other[from:min(len(other), from+end-at)], text[at:])
	}
	line := at + bytes.IndexByte(append(slices.Clip(text[at:]), '\n'), '\n')
	words := rapid.SampledFrom([]string{
		"\n---\n", "\nWarning: deprecated\n", "\n{\n", "\n]}\n", "\n# a comment\n", "\nkind: Pod\n", "\n\"\n",
		"\n- x\n", "\n\ufeff\n",
		"\n```\n", "\nitems:\n", "\n|\n", "\n...\n", "\n\x00\n", "\n<<<<<<< HEAD\n",
	}).Draw(t, "words")
	return slices.Concat(text[:line], []byte(words), text[min(line+1, len(text)):])
}
