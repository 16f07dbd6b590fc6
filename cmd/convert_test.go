package cmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stored is what the API server adds to an object.
const stored = `"uid": "u1", "resourceVersion": "7", `

func podWith(stored, env string) string {
	return fmt.Sprintf(`{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Pod", "metadata": {%s"name": "web", "labels": {"env": "prod"}},
   "spec": {"containers": [{"name": "c", "env": %s, "resources": {"requests": {"cpu": "1"}}}]}}]}`, stored, env)
}

func TestConvertKeepsWhatNoSchedulerReadsWhenItIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pods.json")
	if err := os.WriteFile(file, []byte(podWith(stored, `[{"name": "COLOUR", "value": "blue"}]`)), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, kept := range map[string]bool{"": false, "--no-redact": true} {
		to := filepath.Join(t.TempDir(), "out.jsonl")
		said(t, 0, strings.Fields("convert "+file+" -o "+to+" "+args)...)
		raw, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		out := string(raw)
		if strings.Contains(out, "blue") != kept || !strings.Contains(out, `"cpu":"1"`) ||
			!strings.Contains(out, `"env":"prod"`) {
			t.Errorf("convert %s:\n%s", args, out)
		}
	}
}

func TestWhatNobodyHasAppliedIsReadWhole(t *testing.T) {
	for text, refused := range map[string]bool{
		podWith("", `[{"name": "COLOUR", "value": 7}]`):     true,
		podWith(stored, `[{"name": "COLOUR", "value": 7}]`): false,
	} {
		file := filepath.Join(t.TempDir(), "pods.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := program(t, "run", file)
		if strings.Contains(got.err, "spec.containers[0].env[0].value") != refused {
			t.Errorf("refused: want %t\n%s\n%s", refused, text, got.err)
		}
	}
}
