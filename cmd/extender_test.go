package cmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/schedstep/schedstep/cmd"
)

const extendedCluster = `apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  containers: [{name: c, image: x, env: [{name: PASSWORD, value: secret}]}]
`

// extended writes a cluster and a configuration with one extender, in a folder that becomes the current one.
func extended(t *testing.T, url, settings string) {
	t.Helper()
	t.Chdir(t.TempDir())
	configuration := fmt.Sprintf(
		"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n- {urlPrefix: %q, %s}\n",
		url, settings,
	)
	for name, text := range map[string]string{"cluster.yaml": extendedCluster, "config.yaml": configuration} {
		if err := os.WriteFile(filepath.Join(".", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// said runs a command line, which must end with this exit code, and returns its output.
func said(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if got := cmd.Main(
		cmd.WithArgs(append([]string{"schedstep"}, args...)...),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &o, Err: &e}),
	); got != code {
		t.Errorf("schedstep %s: exit code %d, want %d; it said:\n%s", strings.Join(args, " "), got, code, e.String())
	}
	return o.String(), e.String()
}

func TestAConvertedRecordingHoldsTheAnswersOfExtenders(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.URL.Path == "/bind" {
			t.Error("a binding was sent")
		}
		only := []string{"n2"}
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{
			NodeNames: &only, FailedNodes: extenderv1.FailedNodesMap{"n1": fmt.Sprintf("call %d", calls)},
		})
	}))
	defer server.Close()
	extended(t, server.URL, "filterVerb: filter, bindVerb: bind, nodeCacheCapable: true")

	out, _ := said(t, 0, "run", "cluster.yaml", "--config", "config.yaml", "-o", "jsonl")
	if !strings.Contains(out, `"node":"n2"`) ||
		!strings.Contains(out, `"rejected":[{"node":"n1","code":"Unschedulable","reasons":["call 1"]}]`) {
		t.Errorf("it printed:\n%s", out)
	}
	calls = 0
	said(t, 0, "convert", "cluster.yaml", "--config", "config.yaml", "-o", "cluster.schedstep")
	server.Close()
	again, errs := said(t, 0, "run", "cluster.schedstep", "-o", "jsonl")
	if again != out {
		t.Errorf("the recording plays otherwise:\n%s\n%s", out, again)
	}
	if strings.Contains(errs, "nobody is asked") || strings.Contains(errs, "no recorded answer") {
		t.Errorf("it complained:\n%s", errs)
	}
}

func TestNobodyIsAskedUnbidden(t *testing.T) {
	server := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked", r.URL.Path) }),
	)
	defer server.Close()
	extended(t, server.URL, "filterVerb: filter")
	_, errs := said(t, 3, "run", "cluster.yaml", "config.yaml")
	for _, want := range []string{
		"note: config.yaml line 1 names extenders; no answer of theirs is recorded, and nobody is asked (--extenders ask asks them)\n",
		"note: 1 question to extenders had no recorded answer and counted as failed; --extenders ask asks their servers\n",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("it does not say %q:\n%s", want, errs)
		}
	}
	_, errs = said(t, 2, "run", "cluster.yaml", "--extenders", "maybe")
	if !strings.Contains(errs, `--extenders "maybe": use one of recorded, ask, ask-and-bind`) {
		t.Errorf("it said:\n%s", errs)
	}
}

func TestExtendersThatAnswerNonsenseFailInKubeSchedulersWords(t *testing.T) {
	for name, c := range map[string]struct {
		settings, body string
		status, code   int
		want           string
	}{
		"no JSON": {
			"filterVerb: f", "<html>", 200, 3, `"message":"invalid character '<' looking for beginning of value"`,
		},
		"status 500": {"filterVerb: f", "{}", 500, 3, `"message":"failed filter with extender at URL URL/filter, code 500"`},
		"a stranger": {
			"filterVerb: f, nodeCacheCapable: true", `{"NodeNames":["mars"]}`, 200, 3,
			`"message":"extender \"URL\" claims a filtered node \"mars\" which is not found in the input node list"`,
		},
		"a stranger rejected": {
			"filterVerb: f, nodeCacheCapable: true", `{"NodeNames":[],"FailedNodes":{"mars":"too far"}}`, 200, 3,
			`"message":"0/2 nodes are available: 1 too far. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."`,
		},
		"nothing left": {
			"filterVerb: f", `{}`, 200, 3,
			`"message":"0/2 nodes are available: preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."`,
		},
		"ignorable": {
			"filterVerb: f, ignorable: true", "<html>", 200, 0,
			`"failure":"invalid character '<' looking for beginning of value","ignored":true`,
		},
		"scores": {
			"prioritizeVerb: p, weight: 1", `{"Host":3}`, 200, 0,
			`"failure":"json: cannot unmarshal object into Go value of type v1.HostPriorityList","ignored":true`,
		},
		"enormous scores": {
			"prioritizeVerb: p, weight: 1", `[{"Host":"n1","Score":9223372036854775807}]`, 200, 0,
			`"outcome":"Scheduled"`,
		},
		"bind": {"bindVerb: b", `{"Error":"no"}`, 200, 3, `"message":"no"`},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()
			extended(t, server.URL, c.settings)
			out, errs := said(
				t, c.code, "run", "cluster.yaml", "--config", "config.yaml", "--extenders", "ask-and-bind", "-o",
				"jsonl",
			)
			first, _, _ := strings.Cut(strings.ReplaceAll(out, server.URL, "URL"), "\n")
			if !strings.Contains(first, c.want) {
				t.Errorf("want %s in:\n%s\n%s", c.want, first, errs)
			}
		})
	}
}

const secretExtender = "http://user:PLANTED-password@127.0.0.1:1/PLANTED-path?token=PLANTED-token"

// secretive writes a cluster and a configuration whose every secret is PLANTED.
func secretive(t *testing.T) {
	t.Helper()
	extended(t, secretExtender, "filterVerb: PLANTED-verb, tlsConfig: {insecure: true, serverName: PLANTED-server}")
	f, err := os.OpenFile("config.yaml", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "clientConnection: {kubeconfig: /PLANTED-kubeconfig}")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// leaks fails the test when something that was planted, or the address of the server, is in a text.
func leaks(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{"PLANTED", "127.0.0.1", "user:"} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s has %s: %s", where, secret, text[max(0, at-80):min(len(text), at+80)])
		}
	}
}

func TestSecretsOfExtendersEnterNoRecordingNoPageAndNoMessage(t *testing.T) {
	secretive(t)
	out, errs := said(t, 3, "run", "cluster.yaml", "--config", "config.yaml", "-o", "json")
	leaks(t, "run -o json", out+errs)
	if !strings.Contains(out, `Post \"extender-1/filter\": dial tcp (address): connect: connection refused`) {
		t.Errorf("it printed:\n%s", out)
	}
	_, errs = said(t, 0, "convert", "cluster.yaml", "--config", "config.yaml", "-o", "cluster.jsonl")
	leaks(t, "convert", errs)
	text, err := os.ReadFile("cluster.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	leaks(t, "the recording", string(text))
	again, _ := said(t, 3, "run", "cluster.jsonl", "-o", "json")
	if again != out {
		t.Errorf("the recording plays otherwise:\n%s\n%s", out, again)
	}
	_, errs = said(t, 1, "run", "cluster.jsonl", "--extenders", "ask")
	if !strings.Contains(errs, "a recording has the name of an extender and no address to ask it at") {
		t.Errorf("it said:\n%s", errs)
	}
	for name, c := range map[string][]string{
		"a file of TLS": {"tlsConfig: {caFile: /PLANTED-ca}", "tlsConfig.caFile: no such file or directory"},
		"a certificate": {"tlsConfig: {certData: UExBTlRFRC1jZXJ0}", "tls: failed to find any PEM data"},
	} {
		extended(t, secretExtender, "filterVerb: f, "+c[0])
		_, errs = said(t, 1, "run", "cluster.yaml", "--config", "config.yaml")
		leaks(t, name, errs)
		if !strings.Contains(errs, c[1]) {
			t.Errorf("%s: it said:\n%s", name, errs)
		}
	}
}

func TestARecordingOfAnEarlierBuildIsPlayedWithoutItsURLs(t *testing.T) {
	t.Chdir(t.TempDir())
	configuration := `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration",` +
		`"extenders":[{"urlPrefix":"` + secretExtender + `","filterVerb":"f"}]}`
	header, err := json.Marshal(configuration)
	if err != nil {
		t.Fatal(err)
	}
	lines := `{"format":"schedstep.dev/recording","version":1,"start":"2026-01-01T00:00:00Z","world":"simulated","config":` +
		string(header) + `,"kinds":["Node","Pod"],"redacted":true}
{"t":"2026-01-01T00:00:00Z","a":"Add","k":"Node","o":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}}
{"t":"2026-01-01T00:00:00Z","a":"Add","k":"Pod","o":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default"},"spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","image":"x"}]}}}
{"answer":{"extender":"` + secretExtender + `","call":"filter","cycle":1,"pod":"default/p","asked":"fccf265e529a285e2f694559","answer":{"failure":"Post \"` +
		secretExtender + `\": dial tcp 127.0.0.1:1: connect: connection refused"}}}
`
	if err := os.WriteFile("old.jsonl", []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs := said(t, 3, "run", "old.jsonl", "-o", "json")
	leaks(t, "run", out+errs)
	if !strings.Contains(out, `dial tcp (address): connect: connection refused`) {
		t.Errorf("the answer was not found:\n%s\n%s", out, errs)
	}
	said(t, 0, "convert", "old.jsonl", "-o", "new.jsonl")
	text, err := os.ReadFile("new.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	leaks(t, "the new recording", string(text))
}
