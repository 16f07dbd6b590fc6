package classroom_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/learn/class"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/serve"
	"github.com/schedstep/schedstep/tui/classroom"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/prompt"
)

// memoryOfAStudent is the most that one student may take.
const memoryOfAStudent = 30 << 20

// aDemo is one that a student opens.
func aDemo(t *testing.T) *session.Session {
	t.Helper()
	d, err := demo.Open("rollout")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	in, err := input.ReadRecording("rollout", d)
	if err != nil {
		t.Fatal(err)
	}
	return session.New(in.Play(config.Default(), in.Seed, trace.Reported), session.About{Title: in.Title})
}

// aThousandNodes is the largest scene of the course.
func aThousandNodes(t *testing.T) *session.Session {
	t.Helper()
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	l, err := course.Find("scores")
	if err != nil {
		t.Fatal(err)
	}
	play := func(ctx context.Context, s *session.Session, line string) error {
		return prompt.CarryOut(ctx, s, line, 0, io.Discard)
	}
	for page := 1; ; page++ {
		walk, err := l.At(t.Context(), play, lesson.English, page)
		if err != nil {
			t.Fatal(err)
		}
		if s := walk.Session(); len(s.At().Names().Nodes) >= 1000 {
			return s
		}
	}
}

// flood is one kind of thing that a student makes without end.
type flood struct {
	name string
	line func(i int) string // the i-th line that is typed
}

// floods are those of each kind, with the longest lines there can be.
func floods(node string) []flood {
	long := strings.Repeat("x", 4000)
	all := []flood{
		{"branches", func(i int) string { return fmt.Sprintf("add-node flood-%d cpu=%d", i, i+1) }},
		{"large nodes", func(i int) string { return fmt.Sprintf("add-node %s%d like %s", long[:240], i, node) }},
		{"labels", func(i int) string { return fmt.Sprintf("label %s flood-%d=x", node, i) }},
		{"breakpoints", func(i int) string { return fmt.Sprintf("break pod %s%d", long, i) }},
		{"conditions", func(i int) string {
			return "break if feasible == 0" + strings.Repeat(" || feasible == 1", 200)
		}},
		{"bookmarks", func(i int) string { return fmt.Sprintf("bookmark %s%d", long, i) }},
		{"displays", func(i int) string { return "display node." + node + ".free.cpu" }},
	}
	return append(
		all,
		flood{"one of each in turn", func(i int) string { return all[i%len(all)].line(i / len(all)) }},
		flood{"moves and all", func(i int) string { return []string{"rewind", "bookmark here"}[i%2] }},
	)
}

// atTheEnd is a session that has been played to its end.
func atTheEnd(t *testing.T, begin func(*testing.T) *session.Session) *session.Session {
	t.Helper()
	s := begin(t)
	s.Goto(t.Context(), session.Position{Step: 1 << 30}, nil)
	return s
}

// pour types the lines of a flood, as a student of a class may, and counts those that are refused.
func pour(t *testing.T, s *session.Session, f flood) (refused, of int) {
	t.Helper()
	const times = 140
	for i := range times {
		v, args, err := command.Parse(f.line(i))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		_, err = v.Run(command.Call{Context: t.Context(), Session: s, Args: args, Most: classroom.Usual().Made})
		switch {
		case err != nil && strings.Contains(err.Error(), "the most there may be here"):
			refused++
		case err != nil:
			t.Fatalf("%s, %d: %v", f.name, i, err)
		}
	}
	return refused, times
}

// TestAFloodStaysWithinTheMemoryOfAStudent has one student make as much as can be made, of each kind, and measures what
// is kept of it.
func TestAFloodStaysWithinTheMemoryOfAStudent(t *testing.T) {
	for name, begin := range map[string]func(*testing.T) *session.Session{
		"a demo": aDemo, "a thousand nodes": aThousandNodes,
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range floods(atTheEnd(t, begin).At().Names().Nodes[0]) {
				s := atTheEnd(t, begin)
				before := int64(inUse())
				refused, of := pour(t, s, f)
				grown := int64(inUse()) - before
				t.Logf("%-20s %6.2f MiB, refused %d of %d", f.name, float64(grown)/(1<<20), refused, of)
				if grown > memoryOfAStudent {
					t.Errorf("%s: %d MiB more than before", f.name, grown>>20)
				}
				if refused == 0 {
					t.Errorf("%s: nothing was refused", f.name)
				}
				runtime.KeepAlive(s)
			}
		})
	}
}

// TestNoAmountKeepsAStudentsMachine: of such amounts Kubernetes makes numbers of millions of digits, and nothing stops
// that before its end.
func TestNoAmountKeepsAStudentsMachine(t *testing.T) {
	s := aDemo(t)
	s.Move(t.Context(), session.Next, session.Forward, nil)
	pod, node := "default/web-v2-5", s.At().Names().Nodes[0]
	for _, amount := range []string{"1e-2147483648", "9999999999999999999999e100000000"} {
		for _, line := range []string{
			"set request " + pod + " cpu=" + amount, "add-node more like " + node + " memory=" + amount,
		} {
			err := prompt.CarryOut(t.Context(), s, line, 0, io.Discard)
			if err == nil || !strings.Contains(err.Error(), "is not a quantity") {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

func TestNobodyElseIsLetInWhenMemoryIsUsedUp(t *testing.T) {
	course, err := lesson.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	room, err := class.New(course, lesson.WordsIn(lesson.English), class.Store(t.TempDir()), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	used := uint64(100)
	c := &classroom.Class{Room: room, Memory: classroom.Memory{Most: 100, Used: func() uint64 { return used }}}
	for language, want := range map[string]string{"en": "no memory left", "zh": "没有内存"} {
		c.Language = language
		if last := c.Host(context.Background(), serve.Guest{Name: "anna"}, nil); !strings.Contains(last, want) {
			t.Errorf("%s: the last words are %q", language, last)
		}
	}
	if classroom.InUse() == 0 {
		t.Error("nothing is in use")
	}
}
