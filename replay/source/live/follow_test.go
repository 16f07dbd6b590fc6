package live_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func follow(t *testing.T, s *apiserver.Server) *live.Feed {
	t.Helper()
	f, err := connect(t, s).Follow(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return f
}

// events are the entries of a log in words, once there are so many.
func events(t *testing.T, f *live.Feed, n int) []string {
	t.Helper()
	for changed := f.Log().Changed(); f.Log().Len() < n; changed = f.Log().Changed() {
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("the test is over")
		}
	}
	var all []string
	for _, e := range f.Log().From(0) {
		all = append(all, e.Event.String())
	}
	return all
}

func TestALogOpensWithTheListsAndGoesOnWithTheWatch(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Pod("first", ""))
	s.Put(apiserver.Node("n1"))
	f := follow(t, s)
	s.Put(apiserver.Pod("second", ""))
	events(t, f, 3)
	s.Put(apiserver.Pod("second", "n1"))
	events(t, f, 4)
	s.Remove(apiserver.Pod("first", ""))
	want := []string{
		"Node Add n1", "Pod Add shop/first", "Pod Add shop/second", "Pod Update shop/second", "Pod Delete shop/first",
	}
	if diff := cmp.Diff(want, events(t, f, 5)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(f.Opening()) != 2 {
		t.Errorf("the opening has %d events", len(f.Opening()))
	}
}

func TestWhatASchedulerSaysIsFollowedAndWhatItSaidBeforeIsNot(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Pod("a", ""))
	event := func(name string) *eventsv1.Event {
		return &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"}, Reason: "FailedScheduling", Note: "no",
			ReportingInstance: "a machine",
		}
	}
	s.Put(event("before"))
	f := follow(t, s)
	s.Put(event("after"))
	if diff := cmp.Diff([]string{"Pod Add shop/a", "Event Add shop/after"}, events(t, f, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := f.Log().From(1)[0].Event.Object.(*eventsv1.Event); e.Note != "no" || e.ReportingInstance != "" {
		t.Errorf("%+v", e)
	}
}

func TestALostConnectionLosesAndDoublesNothing(t *testing.T) {
	s := apiserver.New(t)
	for _, o := range []cluster.Object{apiserver.Node("n1"), apiserver.Pod("a", ""), apiserver.Pod("b", "")} {
		s.Put(o)
	}
	f := follow(t, s)
	events(t, f, 3)
	s.Vanish()
	s.Put(apiserver.Pod("a", "n1"))  // changed meanwhile
	s.Remove(apiserver.Pod("b", "")) // gone meanwhile
	s.Put(apiserver.Pod("c", ""))    // came meanwhile
	replaced := apiserver.Node("n1") // went and came meanwhile
	replaced.UID = "another"
	s.Put(replaced)
	s.Return()
	got := events(t, f, 8)[3:]
	for _, want := range []string{
		"Pod Update shop/a", "Pod Delete shop/b", "Pod Add shop/c", "Node Delete n1", "Node Add n1",
	} {
		n := 0
		for _, e := range got {
			if e == want {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d times in %v", want, n, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d events: %v", len(got), got)
	}
	if !f.State().IsZero() {
		t.Errorf("it is back, and the state is %q", f.State())
	}
}

func TestAWatchThatEndsGoesOnWhereItWas(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Pod("a", ""))
	f := follow(t, s)
	s.HangUp()
	s.Put(apiserver.Pod("b", ""))
	s.Put(apiserver.Pod("c", ""))
	want := []string{"Pod Add shop/a", "Pod Add shop/b", "Pod Add shop/c"}
	if diff := cmp.Diff(want, events(t, f, 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAKindThatMayNotBeFollowedIsMissing(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Refuse(apiserver.PathOf(cluster.KindVolume), http.StatusForbidden)
	f := follow(t, s)
	want := []live.Missing{{
		Kinds: []cluster.Kind{cluster.KindVolume},
		Why:   phrase.Textf("you may not %s them in all namespaces", phrase.Text("list and watch")),
	}}
	if diff := cmp.Diff(want, f.Missing()); diff != "" || !f.State().IsZero() {
		t.Errorf("(-want +got):\n%s state %q", diff, f.State())
	}
}

func TestProgressEndsWithTheOpening(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	var told []live.Loaded
	f, err := connect(t, s).Follow(t.Context(), func(l live.Loaded) { told = append(told, l) })
	if err != nil {
		t.Fatal(err)
	}
	before := len(told)
	s.Put(apiserver.Pod("later", ""))
	events(t, f, 2)
	f.Stop()
	if before == 0 || len(told) != before {
		t.Errorf("%d times before the opening, %d times in all", before, len(told))
	}
}

func TestAServerThatFailsBeforeTheOpeningIsAnError(t *testing.T) {
	s := apiserver.New(t)
	c := connect(t, s)
	s.Refuse(apiserver.PathOf(cluster.KindNode), http.StatusInternalServerError)
	if _, err := c.Follow(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "it answers 500") {
		t.Errorf("%v", err)
	}
}

func TestStoppingClosesTheLog(t *testing.T) {
	s := apiserver.New(t)
	f := follow(t, s)
	f.Stop()
	if !f.Log().Closed() {
		t.Error("the log is open")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := connect(t, s).Follow(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
