package tui_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/tui/layout"
	"github.com/schedstep/schedstep/tui/screen"
)

// hand is a cluster that carries out each request and records it.
type hand struct {
	mu                  sync.Mutex
	holding             bool
	held, sent, refused []string
}

func (h *hand) act(e core.Effect, _ *cluster.State, _ time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holding {
		h.held = append(h.held, e.String())
		return
	}
	h.sent = append(h.sent, e.String())
}

// locked calls a function while the lock is held.
func (h *hand) locked(do func()) func() {
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		do()
	}
}

func (h *hand) driver() *screen.Driver {
	return &screen.Driver{
		Hold: func(on bool) { h.locked(func() { h.holding = on })() },
		Held: func() (all []string) {
			h.locked(func() { all = slices.Clone(h.held) })()
			return all
		},
		Release: h.locked(func() { h.sent, h.held = append(h.sent, h.held...), nil }),
		Refuse:  func(string) { h.locked(func() { h.refused, h.held = append(h.refused, h.held...), nil })() },
		Prepare: func(_ context.Context, pod, node string) (string, func() error, error) {
			request := "create pods/binding " + pod + " to " + node
			return request, func() error { h.locked(func() { h.sent = append(h.sent, request) })(); return nil }, nil
		},
	}
}

// has reports whether something was sent that contains a text.
func (h *hand) has(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(h.sent, func(s string) bool { return strings.Contains(s, text) })
}

// session is at the end of a log, in a cluster to which the hand writes.
func (h *hand) session(t *testing.T, log *growing) *session.Session {
	t.Helper()
	c := config.Default()
	scheduler := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: began, Seed: 1,
	})
	s := session.New(play.NewPlayer(scheduler, play.NewDriven(h.act), log.Log), session.About{Title: "kind"})
	s.Move(t.Context(), session.Continue, session.Forward, nil)
	return s
}

func TestWhatIsWrittenIsShownBeforeItIsDone(t *testing.T) {
	log, h := &growing{Log: source.NewLog(), at: began}, &hand{holding: true}
	log.happens(node("n1", "4"), node("n2", "4"), pod("first", "1"))
	s := h.session(t, log)
	options := screen.Options{Live: &screen.Live{
		Changed: log.Changed, State: func() phrase.Phrase { return log.state }, Driver: h.driver(),
		Says: "configuration: kube-scheduler's default, because the cluster shows no kube-scheduler",
	}}
	journey(t, layout.Size{Width: 160, Height: 45}, s, options, func(r *robot) {
		r.sees("Not sent yet: 2 requests", "bind default/first to n", "■ paused", "y send", "shows no kube-scheduler")
		r.press("x").sees("x is no answer", "y send")
		if h.has("first") {
			t.Error("it was sent before anybody has seen it")
		}
		r.press("y").sees("sent")
		if !h.has("bind default/first") {
			t.Error("y does not send it")
		}
		r.press("F").sees("driving")
		log.happens(pod("second", "1"))
		r.settle()
		r.sees("default/second", "driving")
		if !h.has("bind default/second") {
			t.Error("what is followed is not sent by itself")
		}
		r.press(" ")
		log.happens(pod("third", "1"))
		r.settle()
		r.press("n").sees("Not sent yet", "bind default/third to n")
		r.press("n").sees("refused")
		if h.has("third") || len(h.refused) == 0 {
			t.Errorf("n sends it: %v", h.sent)
		}
	})
}

// Where both do not fit beside each other, the earlier note stands above the keys that answer.
func TestTheKeysThatAnswerAreSeenAtEverySize(t *testing.T) {
	for _, size := range []layout.Size{wide, medium, narrow} {
		log, h := &growing{Log: source.NewLog(), at: began}, &hand{holding: true}
		log.happens(node("n1", "4"), pod("first", "1"))
		options := screen.Options{Live: &screen.Live{
			Changed: log.Changed, State: func() phrase.Phrase { return log.state }, Driver: h.driver(),
			Says: "configuration: kube-scheduler's default, because the cluster shows no kube-scheduler",
		}}
		journey(t, size, h.session(t, log), options, func(r *robot) {
			r.sees("Not sent yet: 2 requests", "kube-scheduler's default", "y send", "n refuse", "esc later")
			r.press("x").sees("x is no answer", "y send", "n refuse", "esc later")
		})
	}
}

// A user that only looks is shown which command may bind in the cluster. A pod bound by hand is on a branch.
func TestBindingByHandInAShadowSaysHowToBindInTheCluster(t *testing.T) {
	log := &growing{Log: source.NewLog(), at: began}
	log.happens(node("n1", "1"), pod("large", "4"))
	options := screen.Options{Live: &screen.Live{
		Changed: log.Changed, State: func() phrase.Phrase { return phrase.Phrase{} },
	}}
	journey(t, layout.Size{Width: 160, Height: 45}, (&hand{}).session(t, log), options, func(r *robot) {
		r.press("m")
		r.press("\r")
		r.press("\r").sees("This goes against 1 filter", "In the cluster itself only attach --drive binds.")
		r.seesNot("bind in the cluster")
	})
}

func TestAPodIsBoundByHandInTheCluster(t *testing.T) {
	log, h := &growing{Log: source.NewLog(), at: began}, &hand{}
	log.happens(node("n1", "1"), pod("large", "4"))
	s := h.session(t, log)
	options := screen.Options{Live: &screen.Live{
		Changed: log.Changed, State: func() phrase.Phrase { return phrase.Phrase{} }, Driver: h.driver(),
	}}
	journey(t, layout.Size{Width: 160, Height: 45}, s, options, func(r *robot) {
		r.press("m")
		r.press("\r")
		r.press("\r")
		r.sees("This goes against 1 filter", "Insufficient cpu", "create pods/binding default/large to n1", "c bind in the")
		r.press("c")
		r.settle()
		if !h.has("create pods/binding default/large to n1") {
			t.Errorf("c does not send it: %v", h.sent)
		}
	})
}
