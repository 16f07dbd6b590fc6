package text

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// sameAsFullParser fails when the fast conversion means something else than the full parser. It reports whether the
// fast one took the text on.
func sameAsFullParser(t *testing.T, text []byte) bool {
	t.Helper()
	fast, ok := blockToJSON(text)
	if !ok {
		return false
	}
	full, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatalf("the full parser refuses what blockToJSON takes: %v\n%q\n%s", err, text, fast)
	}
	var got, want json.RawMessage = fast, full
	if diff := cmp.Diff(sorted(t, want), sorted(t, got)); diff != "" {
		t.Fatalf("%q (-full +fast):\n%s", text, diff)
	}
	return true
}

// sorted is JSON with its keys in order.
func sorted(t *testing.T, raw []byte) string {
	t.Helper()
	var value interface{}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

var blockTexts = []string{
	"a: b\n", "a:\n- b\n- c: d\n  e: f\n", "- a: 1\n  b:\n  - --x=1\n  - -c\n", "a: |\n  x\n   y\n\n  z\nb: c\n",
	"a: |-\n  x\n\n\nb: c\n", "a: |+\n  x\n\n\nb: c\n",
	"a: this is\n  folded text\nb: c\n", "a: \"x\\n\\\"y\\\"\"\n", "a: 'it''s'\n",
	"a: {}\nb: []\nc: null\nd:\ne: true\n", "a: 100m\nb: 1Gi\nc: 10.0.0.1\nd: 6d2d82a1-74f1-4c44-ac50-4f15ec199d09\n",
	"- kind: Node\n  metadata:\n    name: n1\n    labels:\n      a/b: \"\"\n  status:\n    capacity:\n      cpu: \"4\"\n",
	"a: -1\nb: 0\n", "a: 66576879d\nb: 1d2e3\n", "a: $(X)\nb: /x/y\n", "# c\na: b\n\n# d\nc: d\n",
}

func TestBlockStyleIsTakenOnAndMeansTheSame(t *testing.T) {
	for _, text := range blockTexts {
		if !sameAsFullParser(t, []byte(text)) {
			t.Errorf("not taken on: %q", text)
		}
	}
}

func TestWhatIsNotSurelyBlockStyleIsLeftToTheFullParser(t *testing.T) {
	for _, text := range []string{
		"a: yes\n", "a: 0x1f\n", "a: 1e3\n", "a: 012\n", "a: 1_000\n", "a: 12:30\n", "a: 2001-12-14\n", "a: .5\n",
		"a: ~\n", "a: &x b\n", "a: *x\n", "a: !!str 1\n",
		"a: b # c\n", "a: >\n  x\n", "a: |2\n  x\n", "a: [b]\n", "a: {b: c}\n", "a: b\na: c\n", "? a\n: b\n",
		"a: \"x\n  y\"\n", "a: 'x\n  y'\n", "a: b: c\n", "a:\tb\n", "- - a\n",
		"a: b\n c: d\n", "a: b\n\n  c\n", "a: \"\\u00e9\"\n", "a: é\n", "a: | # c\n  x\n", "<<: b\n", "a: -\n",
		"a: |\n  x", "yes: a\n", "1: a\n", "- a\n\t", "a: b\n# \x01",
	} {
		if _, ok := blockToJSON([]byte(text)); ok {
			t.Errorf("taken on: %q", text)
		}
	}
}

func TestRealManifestsMeanTheSameInBothParsers(t *testing.T) {
	paths, err := filepath.Glob("../testdata/samples/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stream := NewStream(text)
		for at, sort, _ := stream.Next(0); at < len(text); at, sort, _ = stream.Next(at) {
			end := stream.Line(at)
			if sort == Block {
				end, _ = stream.Block(at)
			}
			if sameAsFullParser(t, text[at:end]) {
				taken++
			}
			at = end
		}
	}
	if taken < 20 {
		t.Errorf("%d documents were taken on, want most of them", taken)
	}
}

func FuzzBlockStyle(f *testing.F) {
	for _, text := range blockTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for line := range strings.Lines(string(text)) { // documents are cut before
			if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...") {
				return
			}
		}
		sameAsFullParser(t, text)
	})
}
