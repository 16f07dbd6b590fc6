package classroom_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/classroom"
)

// What the benchmark has the class do.
const (
	students   = 50
	keysOfEach = 300
	pace       = 100 * time.Millisecond // from one key of a student to the next, at least
	patience   = 5 * time.Second        // a key that shows nothing for so long fails the benchmark
)

// pressed are keys of which each changes the picture: another panel, a point back, another panel, a point further.
var pressed = []string{"2", "b", "3", "s"}

// pupil is a student over OpenSSH; the screen is not read, only the arrival of bytes is counted.
type pupil struct {
	keys io.Writer
	came chan time.Time
}

// press presses a key and returns the time until the first byte of the answer arrived.
func (p *pupil) press(b *testing.B, key string) time.Duration {
	for len(p.came) > 0 {
		<-p.came
	}
	began := time.Now()
	if _, err := io.WriteString(p.keys, key); err != nil {
		b.Error(err)
		return 0
	}
	select {
	case at := <-p.came:
		return at.Sub(began)
	case <-time.After(patience):
		b.Errorf("%q showed nothing", key)
		return patience
	}
}

// come brings a student in.
func come(b *testing.B, s *school, name string) *pupil {
	run := s.ssh(name, "-tt", "127.0.0.1")
	keys, err := run.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := run.Start(); err != nil {
		b.Fatal(err)
	}
	p := &pupil{keys: keys, came: make(chan time.Time, 1<<12)}
	go func() {
		piece := make([]byte, 32<<10)
		for {
			if _, err := out.Read(piece); err != nil {
				return
			}
			p.came <- time.Now()
		}
	}()
	b.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	return p
}

// inUse is the memory of the process after what is garbage was thrown away.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// BenchmarkAClassOfFifty has fifty students press 300 keys each over OpenSSH, ten in a second at most, while the
// teacher's desk is drawn. It reports the memory of one student, and the time from a key to the first byte of its
// frame.
func BenchmarkAClassOfFifty(b *testing.B) {
	for range b.N {
		names := make([]string, students)
		for i := range names {
			names[i] = fmt.Sprintf("student%d", i)
		}
		s := opened(b, b.TempDir(), names...)
		desk := &classroom.Teacher{Class: s.class, Program: []tea.ProgramOption{
			tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(120, 60),
		}}
		ctx, closed := context.WithCancel(b.Context())
		sat := make(chan struct{})
		go func() { _ = desk.Sit(ctx); close(sat) }()
		before := inUse()
		class := make([]*pupil, students)
		for i := range class {
			class[i] = come(b, s, names[i])
			<-class[i].came
		}
		var mu sync.Mutex
		var took []time.Duration
		var all sync.WaitGroup
		for _, p := range class {
			all.Go(func() {
				p.press(b, "\r")
				p.press(b, "n")
				beat := time.NewTicker(pace)
				defer beat.Stop()
				for i := range keysOfEach {
					<-beat.C
					one := p.press(b, pressed[i%len(pressed)])
					mu.Lock()
					took = append(took, one)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		slices.Sort(took)
		b.ReportMetric(float64(inUse()-before)/students/(1<<20), "MB/student")
		b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
		closed()
		<-sat
		s.close()
	}
}
