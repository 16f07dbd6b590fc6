package session_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// crowded is a cluster in which pods stand to n1 in every way there is: a later event of the log may show where
// "assumed" went.
func crowded(t *testing.T) *session.Session {
	t.Helper()
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	going, kept := apiserver.Pod("going", "n1"), apiserver.Pod("kept", "")
	deleted, grace := metav1.NewTime(began.Add(30*time.Second)), int64(30)
	going.DeletionTimestamp, going.DeletionGracePeriodSeconds = &deleted, &grace
	kept.Status.NominatedNodeName = "n1"
	kept.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "later"}}
	roomy := apiserver.Node("n1")
	roomy.Status.Allocatable["cpu"] = resource.MustParse("4")
	log := source.NewLog()
	for _, o := range []cluster.Object{
		roomy, apiserver.Pod("there", "n1"), going, kept, apiserver.Pod("stray", "n0"),
		apiserver.Pod("assumed", ""),
	} {
		log.Append(source.Timed{At: began, Event: cluster.Event{Action: cluster.Add, Object: o}})
	}
	log.Reach(began.Add(time.Second))
	c := config.Default()
	s := session.New(play.NewPlayer(core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began,
	}), play.NewRecorded(log), log), session.About{})
	move(t, s, session.Continue, session.Forward)
	return s
}

func TestWhatIsCountedOnANodeIsToldBesideWhatTheAPIServerSays(t *testing.T) {
	s := crowded(t)
	b, err := s.At().Believes("n1")
	if err != nil {
		t.Fatal(err)
	}
	type pod struct {
		name string
		as   session.Standing
		api  string
	}
	var got []pod
	for _, h := range b.Held {
		got = append(got, pod{h.Pod, h.As, h.API})
		if h.As == session.Terminating && !h.Since.Equal(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)) {
			t.Errorf("it was asked to go at %s", h.Since)
		}
	}
	if want := []pod{
		{"shop/assumed", session.Assumed, ""},
		{"shop/going", session.Terminating, "n1"},
		{"shop/kept", session.Nominated, "n1"},

		{"shop/there", session.Confirmed, "n1"},
	}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	pods := b.Sums[slices.IndexFunc(b.Sums, func(s session.Sum) bool { return s.Resource == "pods" })]
	if pods.Counted.String() != "3" || pods.Assumed.String() != "1" || pods.Going.String() != "1" ||
		pods.Confirmed.String() != "1" || pods.Reserved.String() != "1" {
		t.Errorf("%+v", pods)
	}
	for _, r := range b.Sums {
		counted, _ := r.Counted.Number()
		var parts int64
		for _, part := range []interface{ Number() (int64, bool) }{r.Confirmed, r.Assumed, r.Going} {
			n, _ := part.Number()
			parts += n
		}
		if parts != counted {
			t.Errorf("of %s %d are counted, and the parts come to %d", r.Resource, counted, parts)
		}
	}
}

func TestPodsOnANodeThatIsNotThereAreCountedNowhere(t *testing.T) {
	s := crowded(t)
	b, err := s.At().Believes("n0")
	if err != nil || !b.Gone || len(b.Held) != 1 || b.Held[0].As != session.Lost {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := s.At().Believes("n9"); err == nil {
		t.Error("a node that nobody knows is believed in")
	}
}
