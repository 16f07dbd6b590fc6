package session_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// busy is an input of ten nodes and many pods, of which forty are there at a time. Every hundredth fits nowhere for as
// long as it is there.
func busy(pods int, change func(*corev1.Node)) *input.Input {
	in := &input.Input{Replay: input.Replay{World: input.Simulated, Start: start}}
	add := func(at time.Duration, action cluster.Action, o cluster.Object) {
		in.Script = append(in.Script, source.Timed{At: start.Add(at), Event: cluster.Event{Action: action, Object: o}})
	}
	for i := range 10 {
		n := node(fmt.Sprintf("n%d", i), "4")
		change(n)
		add(0, cluster.Add, n)
	}
	all := make([]*corev1.Pod, pods)
	for i := range all {
		size := "100m"
		if i%100 == 7 {
			size = "64"
		}
		all[i] = pod(fmt.Sprintf("p%05d", i), size)
		at := time.Second + time.Duration(i)*50*time.Millisecond
		add(at, cluster.Add, all[i])
		if i >= 40 {
			add(at, cluster.Delete, all[i-40])
		}
	}
	return in
}

// file is what Save wrote.
type file struct{ saved, keyframe []byte }

// opening is a session of an input that writes into a file, and that begins at the keyframe of another.
func opening(in *input.Input, from []byte, into *file) *session.Session {
	c := config.Default()
	return session.New(in.Play(c, 3, trace.Reported), session.About{
		Title: "busy", Version: "1.37",
		Write: func(_ io.Writer, saved, keyframe []byte) error {
			*into = file{saved, keyframe}
			return nil
		},
		Keyframes: &session.Keyframes{
			Saved: from, Basis: "this build", Redact: recording.NewRedactor().Redact,
			Resume: func(k *play.Keyframe) (*play.Player, error) { return in.PlayFrom(k, c, 3, trace.Reported) },
		},
	})
}

func unchanged(*corev1.Node) {}

// standing is a session in the middle of cycle 1500 of 2000, and the file it was saved in.
func standing(t *testing.T, in *input.Input) (*session.Session, file) {
	t.Helper()
	var f file
	s := opening(in, nil, &f)
	s.GotoCycle(t.Context(), 1500, nil)
	s.Move(t.Context(), session.Over, session.Backward, nil)
	s.Move(t.Context(), session.Over, session.Backward, nil)
	if err := s.Save(io.Discard); err != nil {
		t.Fatal(err)
	}
	if f.keyframe == nil {
		t.Fatal("no keyframe was written")
	}
	return s, f
}

// shown is all of a frame about the cluster and the position.
func shown(s *session.Session) string {
	f := s.Frame()
	about := ""
	if c := f.About(); c != nil {
		about = fmt.Sprintln(c.Number, c.Entity, c.Ended)
	}
	return fmt.Sprintln(made(s), f.Number, f.Now, f.Queue, about, f.Begin, f.At.Usage())
}

// TestASessionWithAKeyframeOpensWithoutBeingPlayed opens a saved session, and does everything with it that can be done
// with the one it was saved of: both show the same wherever they go.
func TestASessionWithAKeyframeOpensWithoutBeingPlayed(t *testing.T) {
	in := busy(2000, unchanged)
	was, f := standing(t, in)
	played := 0
	is := opening(in, f.keyframe, &file{})
	if err := is.Restore(t.Context(), f.saved, func(steps int) { played = max(played, steps) }); err != nil {
		t.Fatal(err)
	}
	if n := len(is.Frame().Timeline); n > 100 || played > 200 {
		t.Errorf("%d marks, %d steps: the past was played", n, played)
	}
	for _, move := range []struct {
		name string
		do   func(s *session.Session)
	}{
		{"open", func(*session.Session) {}},
		{"forward", func(s *session.Session) { s.Move(t.Context(), session.Next, session.Forward, nil) }},
		{"a little back", func(s *session.Session) { s.Move(t.Context(), session.Into, session.Backward, nil) }},
		{"back over the keyframe", func(s *session.Session) {
			for range 5 {
				s.Move(t.Context(), session.Next, session.Backward, nil)
			}
		}},
		{"an early step", func(s *session.Session) { s.Goto(t.Context(), session.Position{Step: 77}, nil) }},
		{"an early cycle", func(s *session.Session) { s.GotoCycle(t.Context(), 300, nil) }},
		{"a pod", func(s *session.Session) { s.GotoPod(t.Context(), "p00107", nil) }},
		{"the end", func(s *session.Session) { s.Move(t.Context(), session.Continue, session.Forward, nil) }},
	} {
		move.do(was)
		move.do(is)
		if a, b := shown(was), shown(is); a != b {
			t.Fatalf("%s: it was\n%.2000s\nand is\n%.2000s", move.name, a, b)
		}
	}
	a, b := fmt.Sprint(was.At().History("default/p01907")), fmt.Sprint(is.At().History("default/p01907"))
	if a != b || len(was.Frame().Timeline) != len(is.Frame().Timeline) {
		t.Errorf("the history was\n%s\nand is\n%s", a, b)
	}
}

// TestEachMoveBehindAKeyframePlaysThePast takes one way back each, right after the file was opened.
func TestEachMoveBehindAKeyframePlaysThePast(t *testing.T) {
	in := busy(2000, unchanged)
	_, f := standing(t, in)
	for name, back := range map[string]func(s *session.Session){
		"reverse-continue": func(s *session.Session) { s.Move(t.Context(), session.Continue, session.Backward, nil) },
		"previous": func(s *session.Session) {
			s.Move(t.Context(), session.Next, session.Backward, nil)
			s.Move(t.Context(), session.Next, session.Backward, nil)
		},
		"goto a step":  func(s *session.Session) { s.Goto(t.Context(), session.Position{Step: 77}, nil) },
		"goto a cycle": func(s *session.Session) { s.GotoCycle(t.Context(), 300, nil) },
		"goto a pod":   func(s *session.Session) { s.GotoPod(t.Context(), "p00107", nil) },
		"switch to a branch of the past": func(s *session.Session) {
			if err := s.Past(t.Context(), nil); err != nil {
				t.Error(err)
			}
			s.Goto(t.Context(), session.Position{Step: 500}, nil)
			if _, _, err := s.Edit(session.Cordon("n1")); err != nil {
				t.Error(err)
			}
			s.Move(t.Context(), session.Next, session.Forward, nil)
		},
	} {
		was, is := opening(in, nil, &file{}), opening(in, f.keyframe, &file{})
		for _, s := range []*session.Session{was, is} {
			if err := s.Restore(t.Context(), f.saved, nil); err != nil {
				t.Fatal(err)
			}
			back(s)
		}
		if a, b := shown(was), shown(is); a != b {
			t.Errorf("%s: it was\n%.2000s\nand is\n%.2000s", name, a, b)
		}
	}
}

// TestThePastThatIsStoppedGoesOnLater has a user end the way back, and begin it again.
func TestThePastThatIsStoppedGoesOnLater(t *testing.T) {
	in := busy(2000, unchanged)
	_, f := standing(t, in)
	s := opening(in, f.keyframe, &file{})
	if err := s.Restore(t.Context(), f.saved, nil); err != nil {
		t.Fatal(err)
	}
	place := shown(s)
	ctx, stop := context.WithCancel(t.Context())
	told := 0
	end := s.GotoCycle(ctx, 10, func(steps int) {
		if told = steps; steps > 1000 {
			stop()
		}
	})
	if end.Reason != session.StoppedByUser || told < 1000 || shown(s) != place {
		t.Fatalf("stopped with %v after %d steps", end, told)
	}
	again := 0
	s.GotoCycle(t.Context(), 10, func(steps int) {
		if again == 0 {
			again = steps
		}
	})
	if s.Cycle() != 10 || again < 1000 {
		t.Errorf("at cycle %d; the second time it began with step %d", s.Cycle(), again)
	}
}

// TestAKeyframeThatDoesNotHoldIsNotUsed opens files whose keyframe was changed, or is of something else: the session
// plays to the place, or plays again when the past is needed, and a note reports that.
func TestAKeyframeThatDoesNotHoldIsNotUsed(t *testing.T) {
	in := busy(2000, unchanged)
	was, f := standing(t, in)
	_, other := standing(t, busy(2000, func(n *corev1.Node) { n.Labels["rack"] = "r1" }))
	_, less := standing(t, busy(2000, func(n *corev1.Node) { n.Spec.Unschedulable = n.Name == "n3" }))
	for _, c := range []struct {
		name, note string
		keyframe   []byte
		late       bool // it is noticed when the past is played
	}{
		{"a number is another", "was changed", bytes.Replace(f.keyframe, []byte(`"picks":`), []byte(`"picks":1`), 1), false},
		{"it is cut", "cannot be used", f.keyframe[:len(f.keyframe)/2], false},
		{"of another build", "another build", bytes.Replace(f.keyframe, []byte("this build"), []byte("that build"), 1), false},
		{"of a cluster that decides otherwise", "leads to something else", less.keyframe, false},
		{"of a cluster that decides the same there", "leads to something else", other.keyframe, true},
	} {
		s := opening(in, c.keyframe, &file{})
		if err := s.Restore(t.Context(), f.saved, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if notes := s.Frame().Notes; c.late && len(notes) > 0 {
			t.Errorf("%s: noticed at once: %v", c.name, notes)
		}
		if err := s.Past(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if notes := fmt.Sprint(s.Frame().Notes); !strings.Contains(notes, c.note) {
			t.Errorf("%s: the notes are %s", c.name, notes)
		}
		if a, b := shown(was), shown(s); a != b {
			t.Errorf("%s: it was\n%.2000s\nand is\n%.2000s", c.name, a, b)
		}
	}
}

// TestABranchHasTheKeyframeBeforeIt saves a session with a branch that left the main line early: its keyframe would lie
// before that, where it spares nothing.
func TestABranchHasTheKeyframeBeforeIt(t *testing.T) {
	var f file
	s := opening(busy(2000, unchanged), nil, &f)
	s.GotoCycle(t.Context(), 200, nil)
	if _, _, err := s.Edit(session.Cordon("n1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Switch("main"); err != nil {
		t.Fatal(err)
	}
	s.GotoCycle(t.Context(), 1500, nil)
	if err := s.Save(io.Discard); err != nil {
		t.Fatal(err)
	}
	if f.keyframe != nil {
		t.Error("there is a keyframe behind the place where the branch left")
	}
}
