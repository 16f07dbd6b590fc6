package extender_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/replay/source/extender"
)

// configured is a configuration with one extender, in YAML.
func configured(t *testing.T, url, settings string) *config.Config {
	t.Helper()
	text := fmt.Sprintf(
		"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n- {urlPrefix: %q, %s}\n",
		url, settings,
	)
	c, err := config.Load([]byte(text), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// connected is its extender, with every call sent to the server.
func connected(t *testing.T, url, settings string) *framework.Extender {
	t.Helper()
	c := configured(t, url, settings)
	j, _ := extender.NewJournal(nil)
	c, err := extender.Connect(t.Context(), c, j, extender.AskAndBind)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Profiles[0].Extenders[0]
}

func apiNode(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"),
			corev1.ResourcePods: resource.MustParse("110"),
		}},
	}
}

func apiPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name + "-uid")},
		Spec: corev1.PodSpec{
			SchedulerName: "default-scheduler", Containers: []corev1.Container{{Name: "c", Image: "x"}},
		},
	}
}

// question is about pod web, nodes n1 and n2, and a victim on n1.
func question(call framework.Call) framework.Question {
	s := cluster.NewState()
	for _, o := range []cluster.Object{apiNode("n1"), apiNode("n2"), apiPod("web"), apiPod("low")} {
		s.Apply(cluster.Event{Action: cluster.Add, Object: o})
	}
	web, _ := s.Pod("default/web")
	low, _ := s.Pod("default/low")
	q := framework.Question{Call: call, Cycle: 1, Pod: web}
	switch call {
	case framework.CallFilter, framework.CallPrioritize:
		q.Nodes = s.Snapshot().Nodes
	case framework.CallPreempt:
		q.Victims = []framework.NodeVictims{{Node: "n1", Pods: []*cluster.Pod{low}, Violations: 1}}
	case framework.CallBind:
		q.Node = "n2"
	}
	return q
}

const everyVerb = "filterVerb: f, prioritizeVerb: p, weight: 1, preemptVerb: e, bindVerb: b"

func TestQuestionsAreKubeSchedulers(t *testing.T) {
	for name, c := range map[string]struct {
		call           framework.Call
		settings, want string // path and body, without what the objects hold
	}{
		"filter by object": {framework.CallFilter, "", `/x/f Nodes=n1,n2 NodeNames=null Pod=web`},
		"filter by name": {
			framework.CallFilter, ", nodeCacheCapable: true", `/x/f Nodes=null NodeNames=["n1","n2"] Pod=web`,
		},
		"prioritize": {
			framework.CallPrioritize, ", nodeCacheCapable: true", `/x/p Nodes=null NodeNames=["n1","n2"] Pod=web`,
		},
		"preempt by object": {
			framework.CallPreempt, "",
			`/x/e NodeNameToMetaVictims=null NodeNameToVictims={"n1":{"NumPDBViolations":1,"Pods":[low]}} Pod=web`,
		},
		"preempt by name": {
			framework.CallPreempt, ", nodeCacheCapable: true",
			`/x/e NodeNameToMetaVictims={"n1":{"Pods":[{"UID":"low-uid"}],"NumPDBViolations":1}} NodeNameToVictims=null Pod=web`,
		},
		"bind": {
			framework.CallBind, "", `/x/b Node="n2" PodName="web" PodNamespace="default" PodUID="web-uid"`,
		},
		"a slash at the end": {
			framework.CallBind, "", `/x/b Node="n2" PodName="web" PodNamespace="default" PodUID="web-uid"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s with %q", r.Method, r.Header.Get("Content-Type"))
				}
				got = r.URL.Path + " " + inShort(t, r.Body)
				fmt.Fprint(w, map[bool]string{true: "[]", false: "{}"}[c.call == framework.CallPrioritize])
			}))
			defer server.Close()
			url := server.URL + "/x"
			if name == "a slash at the end" {
				url += "//"
			}
			a := connected(t, url, everyVerb+c.settings).Ask(question(c.call))
			if a.Failure != "" {
				t.Error(a.Failure)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// inShort is a JSON body with its fields in order of name, and objects of the API by their names.
func inShort(t *testing.T, body io.Reader) string {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&fields); err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, name := range []string{
		"Node", "Nodes", "NodeNames", "NodeNameToMetaVictims", "NodeNameToVictims", "Pod", "PodName", "PodNamespace",
		"PodUID",
	} {
		text, has := fields[name]
		if !has {
			continue
		}
		delete(fields, name)
		value := string(text)
		var nodes corev1.NodeList
		var pod corev1.Pod
		switch {
		case name == "Nodes" && json.Unmarshal(text, &nodes) == nil && len(nodes.Items) > 0:
			var names []string
			for i := range nodes.Items {
				names = append(names, nodes.Items[i].Name)
			}
			value = strings.Join(names, ",")
		case name == "Pod" && json.Unmarshal(text, &pod) == nil:
			value = pod.Name
		case name == "NodeNameToVictims" && value != "null":
			var victims map[string]struct {
				NumPDBViolations int64
				Pods             []corev1.Pod
			}
			if err := json.Unmarshal(text, &victims); err != nil {
				t.Fatal(err)
			}
			value = fmt.Sprintf(
				`{"n1":{"NumPDBViolations":%d,"Pods":[%s]}}`, victims["n1"].NumPDBViolations,
				victims["n1"].Pods[0].Name,
			)
		}
		parts = append(parts, name+"="+value)
	}
	if len(fields) > 0 {
		t.Errorf("fields nobody knows: %v", fields)
	}
	return strings.Join(parts, " ")
}

func reason(node, text string) []framework.NodeReason {
	return []framework.NodeReason{{Node: node, Reason: text}}
}

var answers = map[string]struct {
	call     framework.Call
	settings string
	status   int
	body     string
	want     framework.Answer
}{
	"names": {
		call: framework.CallFilter, settings: ", nodeCacheCapable: true",
		body: `{"NodeNames":["n2"],"FailedNodes":{"n1":"why"}}`,
		want: framework.Answer{Nodes: []string{"n2"}, Failed: reason("n1", "why")},
	},
	"names unasked for": {call: framework.CallFilter, body: `{"NodeNames":["n2"]}`},
	"unresolvable": {
		call: framework.CallFilter, settings: ", nodeCacheCapable: true",
		body: `{"NodeNames":[],"FailedAndUnresolvableNodes":{"n1":"never"}}`,
		want: framework.Answer{Nodes: []string{}, Unresolvable: reason("n1", "never")},
	},
	"other case": {
		call: framework.CallFilter, settings: ", nodeCacheCapable: true",
		body: `{"nodenames":["n2"],"failedNodes":{"n1":"why"}}`,
		want: framework.Answer{Nodes: []string{"n2"}, Failed: reason("n1", "why")},
	},
	"nothing at all": {call: framework.CallFilter, body: `{}`},
	"null":           {call: framework.CallFilter, body: `null`},
	"objects": {
		call: framework.CallFilter,
		body: `{"Nodes":{"items":[{"metadata":{"name":"n1","labels":{"kubernetes.io/hostname":"n1"}},"status":{"allocatable":{"cpu":"4000m","memory":"8Gi","pods":"110"}}}]}}`,
		want: framework.Answer{Nodes: []string{"n1"}, Described: true},
	},
	"changed objects": {
		call: framework.CallFilter,
		body: `{"Nodes":{"items":[{"metadata":{"name":"n1","labels":{"a":"b"},"annotations":{"private":"x"}}}]}}`,
		want: framework.Answer{
			Nodes: []string{"n1"}, Described: true,
			Changed: []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"a": "b"}}}},
		},
	},
	"an error": {
		call: framework.CallFilter, body: `{"Error":"out of order"}`,
		want: framework.Answer{Failure: "out of order"},
	},
	"no JSON": {
		call: framework.CallFilter, body: `<html>`,
		want: framework.Answer{Failure: "invalid character '<' looking for beginning of value"},
	},
	"nothing": {call: framework.CallFilter, want: framework.Answer{Failure: "EOF"}},
	"cut": {
		call: framework.CallFilter, body: `{"NodeNames":["n1"`, want: framework.Answer{Failure: "unexpected EOF"},
	},
	"another shape": {
		call: framework.CallFilter, body: `[]`,
		want: framework.Answer{Failure: "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"},
	},
	"status 500": {
		call: framework.CallFilter, status: 500, body: `{}`,
		want: framework.Answer{Failure: "failed filter with extender at URL URL/filter, code 500"},
	},
	"status 201": {
		call: framework.CallFilter, status: 201, body: `{}`,
		want: framework.Answer{Failure: "failed filter with extender at URL URL/filter, code 201"},
	},
	"scores": {
		call: framework.CallPrioritize, body: `[{"Host":"n2","Score":3},{"Host":"mars","Score":-4}]`,
		want: framework.Answer{Scores: []framework.NodeScore{{Node: "n2", Score: 3}, {Node: "mars", Score: -4}}},
	},
	"no scores": {call: framework.CallPrioritize, body: `null`},
	"scores as text": {call: framework.CallPrioritize, body: `[{"Host":"n2","Score":"3"}]`, want: framework.Answer{
		Failure: "json: cannot unmarshal string into Go struct field HostPriority.Score of type int64",
	}},
	"victims": {
		call: framework.CallPreempt,
		body: `{"NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"b"}],"NumPDBViolations":2},"n1":{"Pods":[]}}}`,
		want: framework.Answer{
			Victims: []framework.NodeUIDs{{Node: "n1"}, {Node: "n2", UIDs: []string{"b"}, Violations: 2}},
		},
	},
	"null victims": {
		call: framework.CallPreempt, body: `{"NodeNameToMetaVictims":{"n1":null,"n2":{"Pods":[null]}}}`,
		want: framework.Answer{Victims: []framework.NodeUIDs{{Node: "n1"}, {Node: "n2", UIDs: []string{""}}}},
	},
	"bound":           {call: framework.CallBind, body: `{}`},
	"not to be bound": {call: framework.CallBind, body: `{"Error":"taken"}`, want: framework.Answer{Failure: "taken"}},
}

func TestAnswersAreReadAsKubeSchedulerReadsThem(t *testing.T) {
	for name, c := range answers {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if c.status != 0 {
					w.WriteHeader(c.status)
				}
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()
			got := connected(t, server.URL, everyVerb+c.settings).Ask(question(c.call))
			got.Failure = strings.ReplaceAll(got.Failure, server.URL, "URL")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestASlowExtenderFailsAfterItsTimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	got := connected(t, server.URL, everyVerb+", httpTimeout: 30ms").Ask(question(framework.CallFilter)).Failure
	want := fmt.Sprintf(
		"Post %q: context deadline exceeded (Client.Timeout exceeded while awaiting headers)", server.URL+"/filter",
	)
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnExtenderThatIsNotThereRefusesTheConnection(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	got := connected(t, server.URL, everyVerb).Ask(question(framework.CallFilter)).Failure
	if !strings.HasPrefix(got, fmt.Sprintf("Post %q: dial tcp (address): ", server.URL+"/filter")) ||
		!strings.HasSuffix(got, "connect: connection refused") {
		t.Errorf("got %q", got)
	}
}

func TestHTTPSIsCheckedAsConfigured(t *testing.T) {
	server := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }),
	)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	authority, err := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ settings, want string }{
		"no settings": {"", "x509: certificate signed by unknown authority"},
		"enableHTTPS": {"enableHTTPS: true", ""},
		"insecure":    {"tlsConfig: {insecure: true}", ""},
		"authority":   {fmt.Sprintf("enableHTTPS: true, tlsConfig: {caData: %s}", authority), ""},
		"another server name": {
			fmt.Sprintf("tlsConfig: {caData: %s, serverName: mars.example.org}", authority), "x509: certificate is valid for another name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings := everyVerb
			if c.settings != "" {
				settings += ", " + c.settings
			}
			got := connected(t, server.URL, settings).Ask(question(framework.CallFilter)).Failure
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTLSSettingsThatCannotBeAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ settings, want string }{
		"no file": {"tlsConfig: {caFile: /nowhere/ca.pem}", "tlsConfig.caFile: no such file or directory"},
		"both": {
			"tlsConfig: {insecure: true, caData: QQ==}",
			"specifying a root certificates file with the insecure flag is not allowed",
		},
		"no authority": {
			"tlsConfig: {caData: QQ==}", "unable to load root certificates: unable to parse bytes as PEM block",
		},
		"a timeout below 0": {"httpTimeout: -3s", "httpTimeout -3s is negative (try 5s; 0 is 5s)"},
		"no certificate":    {"tlsConfig: {keyData: QQ==}", "tls: failed to find any PEM data in certificate input"},
		"certificate only":  {"tlsConfig: {certFile: /nowhere/cert.pem}", "tlsConfig.certFile: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := configured(t, "https://gpu.example", everyVerb+", "+c.settings)
			j, _ := extender.NewJournal(nil)
			_, err := extender.Connect(t.Context(), cfg, j, extender.Ask)
			want := "couldn't build extenders: https://gpu.example: " + c.want
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if _, err := extender.Connect(t.Context(), cfg, j, extender.Recorded); err != nil {
				t.Errorf("where nobody is asked: %v", err)
			}
		})
	}
}

func TestABindingIsOnlySentWhenAskedFor(t *testing.T) {
	calls := 0
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { calls++; fmt.Fprint(w, `{"Error":"taken"}`) }),
	)
	defer server.Close()
	for policy, want := range map[extender.Policy]string{extender.Ask: "", extender.AskAndBind: "taken"} {
		c := configured(t, server.URL, everyVerb)
		j, _ := extender.NewJournal(nil)
		c, err := extender.Connect(t.Context(), c, j, policy)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Profiles[0].Extenders[0].Ask(question(framework.CallBind)).Failure; got != want {
			t.Errorf("%s: %q, want %q", policy, got, want)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

// A question is not carried to a server that the user has not named; within the server, redirects are followed.
func TestAnExtenderIsFollowedToNoOtherServer(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(w, "{}")
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/f":
			http.Redirect(w, r, other.URL+"/f", http.StatusTemporaryRedirect)
		case "/p":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/there":
			fmt.Fprint(w, "[]")
		}
	}))
	defer server.Close()
	line := connected(t, server.URL, everyVerb)
	want := fmt.Sprintf(
		"Post %q: it redirects to another server, to which the pod is not sent (kube-scheduler sends it)",
		server.URL+"/filter",
	)
	if got := line.Ask(question(framework.CallFilter)).Failure; got != want || asked != 0 {
		t.Errorf("failure %q and %d questions elsewhere, want %q and none", got, asked, want)
	}
	if got := line.Ask(question(framework.CallPrioritize)).Failure; got != "" {
		t.Errorf("within the server: %s", got)
	}
}
