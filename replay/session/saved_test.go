package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
)

// keeping is a session of a script of which Save writes the saved part alone.
func keeping(script source.Script) *session.Session {
	c := config.Default()
	s := core.New(
		core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start},
	)
	return session.New(play.NewPlayer(s, play.NewSimulated(), script.Log()), session.About{
		Title: "test", Version: "1.37", Write: func(to io.Writer, saved, _ []byte) error {
			_, err := to.Write(saved)
			return err
		},
		Regate: func(string, string) (*config.Config, error) { return config.Default(), nil },
	})
}

// saved is what a session writes of itself.
func saved(t interface{ Fatal(args ...any) }, s *session.Session) []byte {
	var text bytes.Buffer
	if err := s.Save(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// made is what a user has made of a session, in text.
func made(s *session.Session) string {
	f := s.Frame()
	return fmt.Sprintln(seen(s), f.Branch, f.Branches, f.Breaks, f.Bookmarks, f.Displays, f.Position)
}

// edits are one of each kind, of which some are possible in the rollout.
func someEdits() []session.Edit {
	return []session.Edit{
		session.Cordon("n2"), session.Uncordon("n2"), session.Taint("n1", "a=b:NoSchedule"), session.Label("n1", "x=y"),
		session.Label("default/web-1", "x=y"), session.AddNode("n9", "n1", map[string]string{"cpu": "16", "memory": "1Gi"}),
		session.DeleteNode("n1"), session.DeletePod("default/web-0"), session.Drain("n2"), session.Evict("default/web-0"),
		session.SetRequest("default/web-5", "cpu", "100m", ""), session.SetPriority("default/web-5", 1000),
		session.SetWeight("NodeResourcesFit", 7), session.Disable("NodeResourcesFit"), session.Bind("default/web-5", "n1"),
		session.Tolerate("default/web-5", "a=b:NoSchedule"), session.Wake("default/web-5"),
		session.Relax("default/web-5", session.WishSelector, "disk"), session.SetPriorityClass("default/web-5", "high"),
		session.SetClass("default/data", "fast"), session.AddVolume("default/data"), session.SetGates("GenericWorkload=true"),
		session.Together("change", session.Cordon("n2"), session.Evict("default/web-1")),
	}
}

// wander does something with a session, as chance has it; what cannot be done is not done.
func wander(t *rapid.T, s *session.Session, steps int) {
	ctx := context.Background()
	edits := someEdits()
	for range steps {
		switch rapid.IntRange(0, 7).Draw(t, "what") {
		case 0, 1, 2, 3:
			stride := session.Stride(rapid.IntRange(0, int(session.Continue)).Draw(t, "stride"))
			s.Move(ctx, stride, session.Direction(rapid.IntRange(0, 1).Draw(t, "direction")), nil)
		case 4:
			if e := rapid.IntRange(0, len(edits)-1).Draw(t, "edit"); s.Position().Step > 3 {
				_, _, _ = s.Edit(edits[e])
			}
		case 5:
			words := rapid.SampledFrom([]string{
				"outcome Scheduled if hits > 1", "pod web-3", "label app=x", "queue unschedulable",
			}).Draw(t, "break")
			b, err := session.ParseBreakpoint(strings.Fields(words))
			if err != nil {
				t.Fatal(err)
			}
			s.Break(b)
			if _, _, err := s.Watch("node.n1.requested.cpu"); err != nil {
				t.Fatal(err)
			}
		case 6:
			s.Bookmark("here")
			if _, err := s.Display("node.n1.free.cpu"); err != nil {
				t.Fatal(err)
			}
		case 7:
			names := s.Frame().Branches
			if err := s.Switch(rapid.SampledFrom(names).Draw(t, "branch")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestASavedSessionOpensWhereItWasAndGoesOnAsIt(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		s := keeping(rollout())
		wander(t, s, 12)
		text := saved(t, s)
		again := keeping(rollout())
		if err := again.Restore(context.Background(), text, nil); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(made(s), made(again)); d != "" {
			t.Fatalf("%s\n%s", text, d)
		}
		if d := cmp.Diff(string(text), string(saved(t, again))); d != "" {
			t.Fatal(d)
		}
		for _, stride := range []session.Stride{session.Over, session.Next, session.Continue, session.Continue} {
			s.Move(context.Background(), stride, session.Forward, nil)
			again.Move(context.Background(), stride, session.Forward, nil)
			if d := cmp.Diff(made(s), made(again)); d != "" {
				t.Fatal(d)
			}
		}
	})
}

// worked is a session in which a user has done a bit of everything.
func worked(t testing.TB) *session.Session {
	s := keeping(rollout())
	s.GotoCycle(context.Background(), 3, nil)
	b, err := session.ParseBreakpoint([]string{"pod", "web-4", "if", "hits > 0"})
	if err != nil {
		t.Fatal(err)
	}
	s.Break(b)
	s.Bookmark("before the drain")
	if _, _, err := s.Edit(session.Drain("n2")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Display("node.n1.free.cpu"); err != nil {
		t.Fatal(err)
	}
	s.Move(context.Background(), session.Next, session.Forward, nil)
	return s
}

func TestADamagedSavedSessionOpensAtTheStartAndSaysWhy(t *testing.T) {
	text := string(saved(t, worked(t)))
	for _, test := range []struct{ name, from, to, want string }{
		{"cut", "}", "", "cannot be read: invalid character"},
		{"from the future", `"version":1`, `"version":9`, "of version 9, and this build reads version 1"},
		{"an unknown member", `"version":1`, `"version":1,"colour":"red"`, `unknown field "colour"`},
		{"no main line", `"name":"main"`, `"name":"other"`, `its first branch is not "main"`},
		{"a step that is not there", `"step":`, `"step":9`, "is not there"},
		{"an edit of nobody", `"do":"drain"`, `"do":"paint"`, `an edit "paint" is unknown to this build`},
		{"an edit without words", `"with":["n2"]`, `"with":[]`, "edit drain with 0 words"},
		{"an edit of what is not there", `"with":["n2"]`, `"with":["n7"]`, `there is no node "n7" here`},
		{"a branch of nobody", `"parent":"main"`, `"parent":"none"`, `there is no branch "none"`},
		{"a broken condition", `hits \u003e 0`, `hits +`, "breakpoint 1: "},
		{"a number twice", `"id":2`, `"id":1`, "the number 1 is out of range, or there twice"},
		{"a bookmark nowhere", `"branch":"main","position"`, `"branch":"x","position"`, `on the branch "x"`},
		{"an unknown value", "node.n1.free.cpu", "moon.n1.free.cpu", "display 4: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			damaged := strings.Replace(text, test.from, test.to, 1)
			if damaged == text {
				t.Fatalf("%q is not in %s", test.from, text)
			}
			s := keeping(rollout())
			err := s.Restore(context.Background(), []byte(damaged), nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if d := cmp.Diff(made(keeping(rollout())), made(s)); d != "" {
				t.Errorf("what is left differs from a new session:\n%s", d)
			}
			if notes := s.Frame().Notes; len(notes) != 1 || notes[0].String() != err.Error() {
				t.Errorf("notes %q do not tell of it", notes)
			}
		})
	}
}

func TestAnotherConfigurationIsToldOfASavedSession(t *testing.T) {
	s := keeping(rollout())
	s.GotoCycle(context.Background(), 3, nil)
	text := saved(t, s)
	other := keeping(append(source.Script{added(0, node("n0", "4"))}, rollout()...))
	err := other.Restore(context.Background(), text, nil)
	if err == nil || !strings.Contains(err.Error(), "comes to something else") {
		t.Errorf("error %v", err)
	}
}

// FuzzRestore shows that no saved part makes a session panic, and that one that is refused leaves nothing behind.
func FuzzRestore(f *testing.F) {
	f.Add(saved(f, worked(f)))
	for _, edit := range someEdits() {
		s := keeping(rollout())
		s.GotoCycle(context.Background(), 5, nil)
		if _, _, err := s.Edit(edit); err == nil {
			f.Add(saved(f, s))
		}
	}
	fresh := made(keeping(rollout()))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := keeping(rollout())
		if err := s.Restore(context.Background(), text, nil); err != nil {
			if !strings.Contains(err.Error(), "comes to something else") && made(s) != fresh {
				t.Errorf("refused (%v), and left behind:\n%s", err, made(s))
			}
			return
		}
		for _, b := range s.Frame().Bookmarks {
			if _, err := s.Restart(context.Background(), b.ID, nil); err != nil {
				t.Error(err)
			}
			s.Frame()
		}
		if !json.Valid(saved(t, s)) {
			t.Error("what was opened cannot be saved")
		}
	})
}

func TestAnEditedObjectIsSavedWithoutWhatMayBePrivate(t *testing.T) {
	s := keeping(rollout())
	s.GotoCycle(context.Background(), 5, nil)
	o, err := s.At().Object("web-5")
	if err != nil {
		t.Fatal(err)
	}
	edited := o.(*corev1.Pod)
	edited.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "PASSWORD", Value: "hunter2"}}
	edited.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("100m")
	try(t, s, session.Replace(edited))
	text := saved(t, s)
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("a value is in the file:\n%s", text)
	}
	again := keeping(rollout())
	if err := again.Restore(context.Background(), text, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(hosts(t, s), hosts(t, again)); d != "" {
		t.Error(d)
	}
}

// TestWhoStopsOpeningIsAtTheStart stops a way of several hundred steps where it first reports its progress.
func TestWhoStopsOpeningIsAtTheStart(t *testing.T) {
	traffic := newTraffic(4)
	traffic.more(300)
	there := traffic.session(t, "pod", "p000200")
	there.Move(t.Context(), session.Continue, session.Forward, nil)
	saved, err := there.Standing()
	if err != nil {
		t.Fatal(err)
	}
	s := traffic.session(t)
	ctx, stop := context.WithCancel(t.Context())
	told := 0
	err = s.Restore(ctx, saved, func(steps int) { told = steps; stop() })
	f := s.Frame()
	if !errors.Is(err, context.Canceled) || told == 0 || s.Position() != (session.Position{}) || len(f.Notes) != 0 ||
		len(f.Breaks) != 0 {
		t.Errorf("%v after %d steps, at %v, notes %q, breakpoints %v", err, told, s.Position(), f.Notes, f.Breaks)
	}
	if err := s.Restore(t.Context(), saved, nil); err != nil || s.Position() != there.Position() {
		t.Errorf("again: %v, at %v and not %v", err, s.Position(), there.Position())
	}
}
