package input_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/wal"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// dumped is the variable that has a process of the test read traces as convert does: paths, then a folder.
const dumped = "SCHEDSTEP_TEST_DUMPED"

// TestMain is also the other process of TestNothingPlantedIsInMemoryOrOutput, which knows no secret.
func TestMain(m *testing.M) {
	if path, folder, is := strings.Cut(os.Getenv(dumped), ","); is {
		if err := dump(path, folder); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestNothingPlantedIsInMemoryOrOutput plants secrets in every place of an audit log and of an etcd, has another
// process make a recording of each, and looks for them in the recording, in the output of the process, and in a dump of
// its heap.
func TestNothingPlantedIsInMemoryOrOutput(t *testing.T) {
	for name, write := range map[string]func(*testing.T, string) []string{
		"audit": plantedLog, "etcd": plantedWAL, "errors": plantedDamage,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "traces")
			secrets := write(t, path)
			if len(secrets) == 0 {
				t.Fatal("nothing is planted")
			}
			c := exec.CommandContext(t.Context(), os.Args[0])
			c.Env = append(os.Environ(), dumped+"="+path+","+folder)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			looked := map[string][]byte{"output": out}
			for _, file := range []string{"recording", "heap"} {
				if looked[file], err = os.ReadFile(filepath.Join(folder, file)); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Contains(looked["heap"], []byte("go1.7 heap dump")) {
				t.Fatalf("no dump of the heap: %q", looked["heap"][:min(len(looked["heap"]), 20)])
			}
			if name != "errors" && !bytes.Contains(looked["recording"], []byte(`"web"`)) {
				t.Fatalf("no pod in the recording: %s", looked["recording"])
			}
			for where, what := range looked {
				for _, secret := range secrets {
					if at := bytes.Index(what, []byte(secret)); at >= 0 {
						t.Errorf("%s is in the %s: %q", secret, where, what[max(at-60, 0):min(at+60, len(what))])
					}
				}
			}
		})
	}
}

// dump makes a recording of traces as convert does, in a folder, and dumps the heap.
func dump(path, folder string) error {
	in, refused := input.Read(context.Background(), []string{path}, input.Options{Packed: true})
	recorded, err := os.Create(filepath.Join(folder, "recording"))
	if err != nil {
		return err
	}
	if refused != nil {
		fmt.Println(refused)
	} else {
		fmt.Println(strings.Join(phrase.Strings(append(in.Notices, in.Refused...)), "\n"))
		options := recording.Options{Packing: recording.Plain}
		w, err := recording.NewWriter(recorded, recording.Header{Start: in.Start}, options)
		if err != nil {
			return err
		}
		for e := range in.Each() {
			if err := w.Write(e.At, e.Event); err != nil {
				return err
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	heap, err := os.Create(filepath.Join(folder, "heap"))
	if err != nil {
		return err
	}
	for range 3 { // pools give up what they hold at the second collection
		runtime.GC()
	}
	debug.WriteHeapDump(heap.Fd())
	runtime.KeepAlive(in)
	return nil
}

// planter makes secrets that name the place where they were planted.
type planter struct{ all []string }

func (p *planter) secret(place string) string {
	text := "PLANTED-" + place + "-7f3a91"
	p.all = append(p.all, text)
	return text
}

// pod is one with secrets wherever a scheduler does not look.
func (p *planter) pod(place, revision string) map[string]any {
	secret := func(of string) string { return p.secret(place + "-" + of) }
	return map[string]any{
		"kind": "Pod", "apiVersion": "v1",
		"metadata": map[string]any{
			"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": revision,
			"annotations": map[string]any{
				"note": secret("annotation"), "kubectl.kubernetes.io/last-applied-configuration": secret("applied"),
			},
			"managedFields": []any{map[string]any{"manager": secret("manager")}},
		},
		"spec": map[string]any{
			"hostname": secret("hostname"),
			"containers": []any{map[string]any{
				"name": "c", "image": "i", "args": []any{secret("args")}, "command": []any{secret("command")},
				"env":           []any{map[string]any{"name": "A", "value": secret("env")}},
				"livenessProbe": map[string]any{"exec": map[string]any{"command": []any{secret("probe")}}},
			}},
		},
		"status": map[string]any{"phase": "Pending", "message": secret("message")},
	}
}

// entry is an audit entry with secrets in all that describes the request.
func (p *planter) entry(verb, resource, sub string, sent, answered any) map[string]any {
	id := verb + "-" + resource + "-" + sub
	secret := func(of string) string { return p.secret(id + "-" + of) }
	return map[string]any{
		"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse", "auditID": id,
		"stage": "ResponseComplete", "verb": verb, "requestURI": "/api/v1/x?token=" + secret("uri"),
		"user": map[string]any{
			"username": secret("user"), "groups": []any{secret("group")},
			"extra": map[string]any{"k": []any{secret("extra")}},
		},
		"impersonatedUser": map[string]any{"username": secret("impersonated")},
		"sourceIPs":        []any{secret("address")}, "userAgent": secret("agent"),
		"objectRef": map[string]any{
			"resource": resource, "namespace": "shop", "name": "web", "apiVersion": "v1", "subresource": sub,
		},
		"responseStatus": map[string]any{"code": 200, "message": secret("status")},
		"requestObject":  sent, "responseObject": answered,
		"stageTimestamp": "2026-11-26T10:00:00.000000Z",
		"annotations":    map[string]any{"mutation": secret("note")},
	}
}

// opaque is an object of a kind that no scheduler reads.
func (p *planter) opaque(kind, place string) map[string]any {
	return map[string]any{
		"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"name": "s", "resourceVersion": "30"},
		"data": map[string]any{"k": p.secret(place)}, "status": map[string]any{"token": p.secret(place + "-token")},
	}
}

func (p *planter) entries() []any {
	return []any{
		p.entry("create", "secrets", "", p.opaque("Secret", "secret-sent"), p.opaque("Secret", "secret")),
		p.entry("create", "configmaps", "", nil, p.opaque("ConfigMap", "configmap")),
		p.entry("create", "serviceaccounts", "token", nil, p.opaque("TokenRequest", "token")),
		p.entry("create", "pods", "exec", map[string]any{}, p.opaque("Status", "exec")),
		p.entry("create", "pods", "", p.pod("create-sent", ""), p.pod("create", "12")),
		p.entry("patch", "pods", "status", map[string]any{"status": map[string]any{"message": p.secret("patch")}},
			p.pod("patched", "13")),
	}
}

func lines(t *testing.T, path string, entries []any) {
	t.Helper()
	var out bytes.Buffer
	for _, e := range entries {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(raw, '\n'))
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func plantedLog(t *testing.T, path string) []string {
	p := &planter{}
	lines(t, path, p.entries())
	return p.all
}

// plantedDamage is a log of which nothing can be read: the error about it repeats no word of it.
func plantedDamage(t *testing.T, path string) []string {
	p := &planter{}
	wrong := p.entry("update", "pods", "", nil, map[string]any{
		"kind": "Pod", "apiVersion": "v1", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"containers": p.secret("wrong-type")},
	})
	wrong["requestObject"] = map[string]any{"spec": map[string]any{"containers": p.secret("wrong-type-sent")}}
	lines(t, path, []any{wrong})
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(raw, raw[:len(raw)/2]...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.all
}

func plantedWAL(t *testing.T, path string) []string {
	p := &planter{}
	w := wal.New()
	w.Change(0, 7)
	put := func(key string, value any) {
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		w.Put("/registry/"+key, raw)
	}
	put("secrets/shop/s", p.opaque("Secret", "secret"))
	put("configmaps/shop/s", p.opaque("ConfigMap", "configmap"))
	put("leases/kube-node-lease/n1", p.opaque("Lease", "lease"))
	put("serviceaccounts/shop/s", p.opaque("ServiceAccount", "account"))
	w.Put("/registry/secrets/shop/e", []byte("k8s:enc:aescbc:v1:key1:"+p.secret("encrypted-secret")))
	w.Put("/registry/pods/shop/hidden", []byte("k8s:enc:aescbc:v1:key1:"+p.secret("encrypted-pod")))
	w.Put("/registry/pods/shop/broken", []byte("k8s\x00"+p.secret("damaged-pod")))
	put("pods/shop/web", p.pod("stored", ""))
	w.Agreed()
	if err := os.WriteFile(path, w.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return p.all
}
