package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const planted = "PLANTED-7f3a"

// plantedWrite is a write of an audit log with a planted text wherever a scheduler reads nothing.
func plantedWrite(second, verb, resource, object string) string {
	return strings.NewReplacer("SECOND", second, "VERB", verb, "RESOURCE", resource, "OBJECT", object).Replace(
		`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"SECOND",` +
			`"stage":"ResponseComplete","requestURI":"/PLANTED-7f3a","verb":"VERB","user":{"username":"PLANTED-7f3a",` +
			`"groups":["PLANTED-7f3a"]},"sourceIPs":["PLANTED-7f3a"],"userAgent":"PLANTED-7f3a","objectRef":{"resource":` +
			`"RESOURCE","namespace":"shop","name":"web","apiVersion":"v1"},"responseStatus":{"code":200,` +
			`"message":"PLANTED-7f3a"},"requestObject":{"data":"PLANTED-7f3a"},"responseObject":OBJECT,` +
			`"stageTimestamp":"2026-11-26T10:00:SECONDZ","annotations":{"PLANTED-7f3a":"PLANTED-7f3a"}}` + "\n")
}

// TestNoPageOfAPastHasASecret plants a text in whatever a scheduler does not read of the writes of an audit log, and
// looks for it in every page and document that the commands make of the log, whose objects they do not redact.
func TestNoPageOfAPastHasASecret(t *testing.T) {
	node := `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"n1","resourceVersion":"10","annotations":` +
		`{"note":"PLANTED-7f3a"}},"status":{"allocatable":{"cpu":"1","memory":"1Gi","pods":"10"},"nodeInfo":` +
		`{"machineID":"PLANTED-7f3a","bootID":"PLANTED-7f3a"},"addresses":[{"type":"InternalIP","address":"PLANTED-7f3a"}]}}`
	pod := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":"w","resourceVersion":"12",` +
		`"annotations":{"note":"PLANTED-7f3a"},"managedFields":[{"manager":"PLANTED-7f3a"}]},"spec":{"schedulerName":` +
		`"default-scheduler","containers":[{"name":"c","image":"i","env":[{"name":"A","value":"PLANTED-7f3a"}],"args":` +
		`["PLANTED-7f3a"],"command":["PLANTED-7f3a"],"resources":{"requests":{"cpu":"2"}}}],"hostname":"PLANTED-7f3a"},` +
		`"status":{"phase":"Pending","message":"PLANTED-7f3a"}}`
	log := filepath.Join(t.TempDir(), "audit.log")
	secret := `{"kind":"Secret","data":{"k":"PLANTED-7f3a"}}`
	text := plantedWrite("01", "create", "nodes", node) + plantedWrite("02", "create", "secrets", secret) +
		plantedWrite("03", "create", "pods", pod)
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	page, cycle := filepath.Join(folder, "run.html"), filepath.Join(folder, "cycle.html")
	plain := filepath.Join(folder, "plain.jsonl")
	for _, args := range [][]string{
		{"run", log, "--recorded"},
		{"run", log, "-o", "json"},
		{"run", log, "-o", "wide"},
		{"export", "run", log, "-o", page},
		{"explain", "shop/web", log},
		{"explain", "shop/web", log, "-o", "json"},
		{"explain", "shop/web", log, "-o", "markdown"},
		{"explain", "node/n1", log},
		{"lint", log},
		{"diff", log, "--b", "kube-version=1.36", "--report", "html"},
		{"diff", log, "--b", "kube-version=1.36", "-o", "json"},
		{"lint", log, "-o", "sarif"},
		{"export", "cycle", log, "-o", cycle},
		{"convert", log, "-o", plain},
	} {
		got := program(t, args...)
		if got.code > 3 || len(got.out+got.err) == 0 {
			t.Errorf("%q: exit code %d, %d bytes\n%s", args, got.code, len(got.out), got.err)
		}
		if strings.Contains(got.out+got.err, planted) {
			t.Errorf("%q shows what was planted:\n%s%s", args, got.out, got.err)
		}
	}
	for _, name := range []string{page, cycle, plain} {
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), "web") {
			t.Errorf("%s, %v: the pod is not in it", name, err)
		}
		if strings.Contains(string(text), planted) {
			t.Errorf("%s shows what was planted", name)
		}
	}
}
