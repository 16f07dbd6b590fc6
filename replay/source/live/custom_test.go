package live_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/live"
)

const (
	quotas    = "quotas.v1.quota.example.com"
	quotaPath = "/apis/quota.example.com/v1/quotas"
)

// quota is a custom resource.
func quota(namespace, cpu string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "quota.example.com/v1", "kind": "Quota",
		"metadata": map[string]any{"name": "cpu", "namespace": namespace, "uid": "quota-" + namespace},
		"spec":     map[string]any{"cpu": cpu},
	}}
}

// quoted is a cluster with a CustomResourceDefinition and one object of it.
func quoted(t *testing.T) *apiserver.Server {
	t.Helper()
	s := apiserver.New(t)
	at, _ := live.ParseResource(quotas)
	s.Serve(cluster.NewCustomRow(at, "Quota", true))
	s.Put(apiserver.Node("n1"))
	s.Put(quota("a", "1"))
	return s
}

func TestCustomResourcesAreReadAndFollowed(t *testing.T) {
	s := quoted(t)
	c := connect(t, s)
	if notes, err := c.ReadCustom(t.Context(), []string{quotas, quotas}); err != nil || len(notes) > 0 {
		t.Fatalf("%v, %v", notes, err)
	}
	contents, err := c.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := named(contents.Objects); !slices.Equal(got, []string{"Node n1", "Quota a/cpu"}) {
		t.Errorf("listed are %v", got)
	}
	f, err := c.Follow(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	events(t, f, 2)
	s.Put(quota("a", "2"))
	events(t, f, 3)
	s.Remove(quota("a", "2"))
	events(t, f, 4)
	var got []string
	for _, e := range f.Log().From(0) {
		if o, is := e.Event.Object.(*unstructured.Unstructured); is {
			amount, _, _ := unstructured.NestedString(o.Object, "spec", "cpu")
			got = append(got, e.Event.Action.String()+" "+o.GetKind()+" "+amount)
		}
	}
	if want := []string{"Add Quota 1", "Update Quota 2", "Delete Quota 2"}; !slices.Equal(got, want) {
		t.Errorf("followed are %q, want %q", got, want)
	}
}

func TestCustomResourcesThatCannotBeReadAreASentence(t *testing.T) {
	s := quoted(t)
	c := connect(t, s)
	notes, err := c.ReadCustom(t.Context(), []string{"lists.v1.quota.example.com", "things.v1.other.example.com"})
	const none = "the cluster has no resource "
	if err != nil || len(notes) != 2 || !strings.Contains(notes[0].String(), none+"lists.v1.quota") ||
		!strings.Contains(notes[1].String(), none+"things.v1.other") {
		t.Errorf("%v, %v", phrase.Strings(notes), err)
	}
	if _, err := c.ReadCustom(t.Context(), []string{"quotas"}); err == nil ||
		!strings.Contains(err.Error(), `"quotas" is no resource of a CustomResourceDefinition`) {
		t.Errorf("quotas: %v", err)
	}
	if _, err := c.ReadCustom(t.Context(), []string{quotas}); err != nil {
		t.Fatal(err)
	}
	s.Refuse(quotaPath, http.StatusForbidden)
	f, err := c.Follow(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	if m := f.Missing(); len(m) != 1 || !slices.Equal(m[0].Kinds, []cluster.Kind{"Quota.quota.example.com"}) ||
		m[0].Why.String() != "you may not list and watch them in all namespaces" {
		t.Errorf("missing are %v", m)
	}
	rights, err := c.Rights(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := live.Right{Kind: "Quota.quota.example.com", Group: "quota.example.com", Resource: "quotas", Verb: "list"}
	if !slices.Contains(rights, want) {
		t.Errorf("no %+v in %+v", want, rights)
	}
}

// TestWritesToCustomResourcesReachTheCluster changes one, makes another and deletes the first.
func TestWritesToCustomResourcesReachTheCluster(t *testing.T) {
	s := quoted(t)
	c := connect(t, s)
	if _, err := c.ReadCustom(t.Context(), []string{quotas}); err != nil {
		t.Fatal(err)
	}
	f, err := c.Follow(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	told := make(chan live.Written, 8)
	d, err := c.Drive(live.DriveOptions{
		SchedulerName: "schedstep", Answer: f.Answer, Tell: func(w live.Written) { told <- w },
	})
	if err != nil {
		t.Fatal(err)
	}
	known := cluster.NewState()
	for _, e := range events(t, f, 2) {
		t.Log(e)
	}
	for _, e := range f.Log().From(0) {
		known.Apply(e.Event)
	}
	changed := quota("a", "1")
	changed.Object["spec"] = map[string]any{"cpu": "1", "used": "700m"}
	for _, w := range []framework.Write{
		{Action: cluster.Update, Object: changed},
		{Action: cluster.Add, Object: quota("b", "3")},
		{Action: cluster.Delete, Object: changed},
	} {
		d.Act(core.Write{Plugin: "TeamQuota", Write: w}, known, f.Opened())
		if got := <-told; got.Fault != "" {
			t.Errorf("%v: %s", got.Requests, got.Fault)
		} else {
			t.Log(got.Requests)
		}
		if w.Action == cluster.Update {
			o := s.Get("Quota.quota.example.com", "a/cpu").(*unstructured.Unstructured)
			if used, _, _ := unstructured.NestedString(o.Object, "spec", "used"); used != "700m" {
				t.Errorf("the server has %v", o.Object)
			}
		}
	}
	if o := s.Get("Quota.quota.example.com", "a/cpu"); o != nil {
		t.Errorf("it was deleted, and is there: %v", o)
	}
	if o := s.Get("Quota.quota.example.com", "b/cpu"); o == nil {
		t.Error("it was made, and is not there")
	}
	d.Close(t.Context())
	if rights := c.PluginRights(); len(rights) != 4 {
		t.Errorf("rights of plugins: %+v", rights)
	}
}

func TestAResourceIsNamedAsKubectlNamesIt(t *testing.T) {
	want := schema.GroupVersionResource{Group: "quota.example.com", Version: "v1", Resource: "quotas"}
	if at, is := live.ParseResource(quotas); !is || at != want {
		t.Errorf("%v", at)
	}
	for _, wrong := range []string{"", "pods", "pods.v1", "deployments.v1.apps", "a.v1.x.com/status"} {
		if at, is := live.ParseResource(wrong); is {
			t.Errorf("%q is %v", wrong, at)
		}
	}
}
