package live_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/live"
)

func flagsOf(t *testing.T, args ...string) *live.Flags {
	t.Helper()
	f := live.NewFlags()
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	f.Add(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

func connect(t *testing.T, s *apiserver.Server) *live.Cluster {
	t.Helper()
	c, err := flagsOf(t, "--kubeconfig", apiserver.Kubeconfig(t, s.URL())).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func named(objects []cluster.Object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.GetObjectKind().GroupVersionKind().Kind+" "+cluster.Key(o))
	}
	return names
}

func TestAClusterIsListedInTheOrderOfADump(t *testing.T) {
	s := apiserver.New(t)
	early, late := apiserver.Pod("late-name", ""), apiserver.Pod("early-name", "")
	early.CreationTimestamp = metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	late.CreationTimestamp = metav1.Time{Time: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	for _, o := range []cluster.Object{
		late, early, apiserver.Pod("placed", "n1"), apiserver.Node("n2"), apiserver.Node("n1"),
	} {
		s.Put(o)
	}
	contents, err := connect(t, s).List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Node n1", "Node n2", "Pod shop/placed", "Pod shop/late-name", "Pod shop/early-name"}
	if diff := cmp.Diff(want, named(contents.Objects)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(contents.Missing) > 0 {
		t.Errorf("missing: %v", contents.Missing)
	}
}

func TestWhatNoPluginReadsIsLeftOut(t *testing.T) {
	s := apiserver.New(t)
	p := apiserver.Pod("web", "")
	p.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "keep": "me"}
	p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	p.Spec.Containers = []corev1.Container{{
		Name: "c", Args: []string{"--password=x"}, Env: []corev1.EnvVar{{Name: "PASSWORD", Value: "x"}},
	}}
	s.Put(p)
	contents, err := connect(t, s).List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := contents.Objects[0].(*corev1.Pod)
	if got.ManagedFields != nil || got.Spec.Containers[0].Args != nil || got.Spec.Containers[0].Env[0].Value != "" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(map[string]string{"keep": "me"}, got.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

func TestAKindTheUserMayNotListIsMissing(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Refuse(apiserver.PathOf(cluster.KindVolume), http.StatusForbidden)
	s.Refuse(apiserver.PathOf(cluster.KindDisruptionBudget), http.StatusForbidden)
	contents, err := connect(t, s).List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []live.Missing{{
		Kinds: []cluster.Kind{cluster.KindVolume, cluster.KindDisruptionBudget},
		Why:   phrase.Textf("you may not %s them in all namespaces", phrase.Text("list")),
	}}
	if diff := cmp.Diff(want, contents.Missing); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Node n1"}, named(contents.Objects)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAKindTheServerLacksIsNotMissing(t *testing.T) {
	s := apiserver.New(t)
	s.Lack("/apis/resource.k8s.io/", "/apis/scheduling.k8s.io/v1beta1")
	contents, err := connect(t, s).List(t.Context(), nil)
	if err != nil || len(contents.Missing) > 0 {
		t.Errorf("%v, missing: %v", err, contents)
	}
	for _, r := range s.Requests() {
		if strings.HasSuffix(r, "/resourceclaims") {
			t.Errorf("asked for what discovery does not name: %s", r)
		}
	}
}

func TestAListIsOnlyAskedFor(t *testing.T) {
	s := apiserver.New(t)
	if _, err := connect(t, s).List(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests() {
		if !strings.HasPrefix(r, "GET ") {
			t.Errorf("the server was sent %s", r)
		}
	}
	if len(s.Requests()) < len(cluster.Kinds()) {
		t.Errorf("only %d requests", len(s.Requests()))
	}
}

func TestProgressTellsOfEveryKind(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	var last live.Loaded
	if _, err := connect(t, s).List(t.Context(), func(l live.Loaded) { last = l }); err != nil {
		t.Fatal(err)
	}
	want := live.Loaded{Kinds: len(cluster.Kinds()), Of: len(cluster.Kinds()), Objects: 1}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAServerThatRefusesIsOneSentence(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(*apiserver.Server)
		want  string
	}{
		{"401", func(s *apiserver.Server) {
			s.Refuse("/version", 401)
		}, "does not accept these credentials (401 Unauthorized)"},
		{"429", func(s *apiserver.Server) { s.Refuse("/version", 429) }, "it answers 429 Too Many Requests"},
		{"500", func(s *apiserver.Server) { s.Refuse("/version", 500) }, "it answers 500 Internal Server Error"},
		{"no API server", func(s *apiserver.Server) { s.Lack("/") }, "not as a Kubernetes API server"},
		{
			"no pods", func(s *apiserver.Server) { s.Refuse(apiserver.PathOf(cluster.KindPod), 403) },
			"you may not list pods in all namespaces (403 Forbidden)",
		},
		{
			"401 later", func(s *apiserver.Server) { s.Refuse(apiserver.PathOf(cluster.KindNode), 401) },
			"does not accept these credentials (401 Unauthorized)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := apiserver.New(t)
			c.serve(s)
			at, err := flagsOf(t, "--kubeconfig", apiserver.Kubeconfig(t, s.URL())).Connect(t.Context())
			if err == nil {
				_, err = at.List(t.Context(), nil)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestWhatIsNoServerIsOneSentence(t *testing.T) {
	silent := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(func() {
		close(silent)
		hang.Close()
	})
	garbage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>hello</html>"))
	}))
	t.Cleanup(garbage.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, c := range []struct{ name, url, patience, want string }{
		{"garbage", garbage.URL, "0", "not as a Kubernetes API server"},
		{"nobody", gone.URL, "0", "cannot be reached"},
		{"silence", hang.URL, "50ms", "no answer came within 50ms"},
	} {
		f := flagsOf(t, "--kubeconfig", apiserver.Kubeconfig(t, c.url), "--request-timeout", c.patience)
		_, err := f.Connect(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestNoKubeconfigNamesTheDemo(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nonexistent/kubeconfig")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	_, err := flagsOf(t).Connect(t.Context())
	if !errors.Is(err, live.ErrNoCluster) || !strings.Contains(err.Error(), "schedstep demo") {
		t.Errorf("%v", err)
	}
}

func TestNamesAreInTheNamespaceOfTheContext(t *testing.T) {
	c := connect(t, apiserver.New(t))
	if c.Namespace() != "shop" || c.Context() != "here" || c.Version() != "1.37" {
		t.Errorf("%q %q %q", c.Namespace(), c.Context(), c.Version())
	}
}
