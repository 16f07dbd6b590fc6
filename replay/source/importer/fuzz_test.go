package importer_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/admission"
)

// Whatever the bytes, reading ends without a panic, gives the same twice, and what it gives can be admitted and sorted.
func FuzzRead(f *testing.F) {
	seeds := []string{
		podA, "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"n1\"}}]}",
		"{\"items\":[1,null,\"x\",[{}]],\"nodes\":[{}]}",
		"kind: List\nitems:\n- kind: Node\n  apiVersion: v1\n  metadata: {name: a}\n- kind: Node\n  apiVersion: v1\n  metadata: &x {name: b}\n",
		"---\n{\n  kind: \"Pod\",\n}\n",
		"a: [\n---\nb: *c\n", "{\"a\":{\"b\":[", "[\"error\"]", "==== START logs\n{", "\xff\xfe{\x00", "PK\x03\x04",
		"\x1f\x8b\x08", "kind: Pod\nspec: {containers: [{resources: {limits: {cpu: 2x}}}]}\n",
		"{\"kind\":\"ResourceSlice\",\"apiVersion\":\"resource.k8s.io/v1beta1\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"devices\":[{\"basic\":{\"capacity\":{\"a\":1}}}]}}",
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	for _, path := range []string{
		"testdata/samples/k8s-website/admin/sched/my-scheduler.yaml",
		"testdata/samples/kwok/scheduling/limit-range/limit-range.yaml",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var first []string
		for range 2 {
			dump, err := importer.Read(
				t.Context(), []string{"-"}, importer.Options{Streams: map[string]io.Reader{"-": bytes.NewReader(text)}},
			)
			if err != nil {
				t.Fatal(err)
			}
			lines := told(dump)
			if first == nil {
				first = lines
			}
			if diff := cmp.Diff(first, lines); diff != "" {
				t.Fatalf("the second reading differs:\n%s", diff)
			}
			objects, _ := admission.Admit(dump.Objects, admission.Rules{})
			importer.Sort(objects)
		}
	})
}
