package play_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source"
)

// TestALogThatGrowsIsPlayedAsAClosedOne appends a story entry by entry while a player follows it as far as it can, with
// promises about the time in between; now and then it forgets what lies behind it. The steps are those of a player that
// has the whole story at once.
func TestALogThatGrowsIsPlayedAsAClosedOne(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		text, _ := drawTale(t)
		script, end := tellAgain(t, text)
		log := source.NewLog()
		growing := again(script, log)
		var b strings.Builder
		follow := func() {
			for {
				step, ok := growing.Step()
				if !ok {
					break
				}
				fmt.Fprintln(&b, step.Kind, step.At, step.Facts)
			}
			if rapid.Bool().Draw(t, "forgets") {
				growing.Forget()
			}
		}
		for i, e := range script {
			log.Append(e)
			if rapid.Bool().Draw(t, "follows") {
				follow()
			}
			if i+1 < len(script) && rapid.Bool().Draw(t, "promises") {
				log.Reach(e.At.Add(script[i+1].At.Sub(e.At) / 2))
				follow()
			}
		}
		log.Reach(end)
		follow()
		if !growing.Pending() {
			t.Fatalf("the log may still grow, and the player says it is over:\n%s", text)
		}
		log.Close()
		follow()
		closed := again(script, script.Log())
		closed.RunOn(end)
		var want strings.Builder
		for {
			step, ok := closed.Step()
			if !ok {
				break
			}
			fmt.Fprintln(&want, step.Kind, step.At, step.Facts)
		}
		if growing.Pending() || b.String() != want.String() {
			t.Fatalf("while it grew:\n%s\nclosed:\n%s\n%s", b.String(), want.String(), text)
		}
	})
}

// tellAgain is the script of a story, and when virtual time ends.
func tellAgain(t *rapid.T, text string) (source.Script, time.Time) {
	s, err := scenario.Parse("random", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Replay()
	if err != nil {
		t.Fatal(err)
	}
	return r.Script, r.Until
}

// again is a scheduler before the first entry of a log.
func again(script source.Script, log *source.Log) *play.Player {
	c := config.Default()
	return play.NewPlayer(core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: script[0].At,
		Detail: trace.Reported,
	}), play.NewSimulated(), log)
}

// A pod is created, and another scheduler binds it later. A player that begins then must not place it again.
func TestWhatWasGatheredIsKnownBeforeTheFirstCycle(t *testing.T) {
	in, err := input.ReadScenario("test", strings.NewReader(
		"# Two pods.\n\nnode n1 cpu=2\nnode n2 cpu=2\npod a cpu=1\nadvance 5s\npod b cpu=1\n",
	))
	if err != nil {
		t.Fatal(err)
	}
	script := in.Script
	bound := script[2].Event.Object.(*corev1.Pod).DeepCopy()
	bound.Spec.NodeName = "n2"
	script = append(script, source.Timed{
		At: script[len(script)-1].At.Add(time.Second), Event: cluster.Event{Action: cluster.Update, Object: bound},
	})
	for _, gathered := range []bool{false, true} {
		log := script.Log()
		if gathered {
			log.Gather()
		}
		player, popped := again(script, log), []string{}
		for step, more := player.Step(); more; step, more = player.Step() {
			for _, f := range step.Facts {
				if p, is := f.(trace.Popped); is {
					popped = append(popped, p.Entity.Key())
				}
			}
		}
		want := map[bool]string{false: "[default/a default/b]", true: "[default/b]"}[gathered]
		if fmt.Sprint(popped) != want {
			t.Errorf("gathered: %v: %v are popped, want %s", gathered, popped, want)
		}
	}
}
