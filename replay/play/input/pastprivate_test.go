package input_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/recording"
)

const planted = "PLANTED-7f3a"

// TestPlantedSecretsReachNoRecordingAndNoMessage puts a secret into every text of an audit log that is no name or
// label, and looks for it in the recording and in what is printed.
func TestPlantedSecretsReachNoRecordingAndNoMessage(t *testing.T) {
	pod := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":"u1","resourceVersion":"12",` +
		`"annotations":{"note":"P","kubectl.kubernetes.io/last-applied-configuration":"P"},"managedFields":[{"manager":"P"}]},` +
		`"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"P"}],"args":["P"],"command":["P"],` +
		`"livenessProbe":{"exec":{"command":["P"]}}}],"hostname":"P"},"status":{"phase":"Pending","message":"P"}}`
	entries := []string{
		entry("create", "secrets", "", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"P"}}`),
		entry("create", "configmaps", "", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"P"}}`),
		entry("create", "pods", "", pod),
		entry("create", "serviceaccounts", "token", `{"kind":"TokenRequest","status":{"token":"P"}}`),
		entry("create", "pods", "exec", `{}`),
		entry("update", "pods", "", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"},"spec":{"containers":"P"}}`),
		`{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":"create","requestURI":"P"`,
		strings.Replace(entry("patch", "pods", "", `null`), `"requestObject":{}`,
			`"requestObject":{"spec":{"containers":[{"name":"c","image":7,"env":"P"}]}}`, 1),
	}
	text := strings.ReplaceAll(strings.Join(entries, "\n")+"\n", `"P"`, `"`+planted+`"`)
	name := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := readPast(t, input.Options{}, name)
	if len(in.Script) == 0 || len(in.Refused) == 0 {
		t.Fatalf("%d events, refused %q", len(in.Script), in.Refused)
	}
	var out bytes.Buffer
	w, err := recording.NewWriter(&out, recording.Header{Start: in.Start}, recording.Options{Packing: recording.Plain})
	if err != nil {
		t.Fatal(err)
	}
	for _, timed := range in.Script {
		if err := w.Write(timed.At, timed.Event); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for where, what := range map[string]string{
		"recording": out.String(), "messages": strings.Join(phrase.Strings(append(in.Notices, in.Refused...)), "\n"),
	} {
		if strings.Contains(what, planted) {
			t.Errorf("the %s hold the secret:\n%s", where, what)
		}
	}
}

// entry is an audit entry with a secret wherever there is text.
func entry(verb, resource, sub, answered string) string {
	uri, _ := json.Marshal("/" + planted + resource)
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"%s-%s-%s",`+
		`"stage":"ResponseComplete","requestURI":%s,"verb":%q,"user":{"username":"P","groups":["P"]},"sourceIPs":["P"],`+
		`"userAgent":"P","objectRef":{"resource":%q,"namespace":"shop","name":"web","apiVersion":"v1","subresource":%q},`+
		`"responseStatus":{"code":200,"message":"P"},"requestObject":{},"responseObject":%s,`+
		`"stageTimestamp":"2026-11-26T10:00:00.000000Z","annotations":{"P":"P"}}`,
		verb, resource, sub, uri, verb, resource, sub, answered)
}

func TestNoSecretOfAnEtcdIsRead(t *testing.T) {
	for _, name := range []string{"snapshot.db.zst", "wal.zst"} {
		if !bytes.Contains(unpacked(t, name), []byte("MARK-NEVER-READ")) {
			t.Fatalf("%s: the Secret is not in it", name)
		}
		in := readPast(t, input.Options{Whole: true}, corpus+name)
		all, err := json.Marshal(in.Script)
		if err != nil {
			t.Fatal(err)
		}
		all = fmt.Append(all, in.Notices, in.Refused)
		if bytes.Contains(all, []byte("MARK-NEVER-READ")) {
			t.Errorf("%s: the value of a Secret was read", name)
		}
	}
}
