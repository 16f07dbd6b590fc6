// Package versus measures the real kube-scheduler 1.37.1 and schedstep's core beside each other: the same objects, the
// same pods in the same order, in one process, in turns. Measured is a cycle: one decision with the bookkeeping that
// belongs to it, from taking the pod out of the queue to its binding or parking. Neither side talks to an API server,
// logs or writes events, and what happens between cycles (arrivals, confirmed bindings, victims that leave) is not
// counted. It compares speed; whether both decide alike is the business of conformance/compare.
package versus

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/trace"
)

// Row is one measurement.
type Row struct {
	Workload   Workload
	Nodes      int
	Percentage int32 // percentageOfNodesToScore; 0: chosen by cluster size
}

// sampling names the row's percentageOfNodesToScore.
func (r Row) sampling() string {
	if r.Percentage == 0 {
		return "default"
	}
	return fmt.Sprintf("%d%%", r.Percentage)
}

// Lane is one of the contestants.
type Lane int

// The lanes.
const (
	TheirsOne Lane = iota // kube-scheduler with parallelism 1
	TheirsAll             // kube-scheduler with its default parallelism, 16
	Untraced              // schedstep, detail Summary
	Matrix                // schedstep, detail Full: every filter's verdict on every node
	lanes
)

// Figures are what one contestant did in one round, or the medians of several rounds.
type Figures struct {
	Wall   time.Duration // a cycle
	CPU    time.Duration // of the process during a cycle, collecting garbage included
	Allocs float64       // objects allocated in a cycle
	Bytes  float64       // allocated in a cycle
	Memory float64       // bytes in use at the end, beyond the API objects that both read
}

// Result is a row's outcome.
type Result struct {
	Row    Row
	Cycles int // in each heat
	Lanes  [lanes]Figures
	// Ratios are how many times as many cycles a second schedstep ran as the faster of the two kube-schedulers: the median
	// of the rounds' ratios. cpuRatios are the same for CPU time.
	Ratios, cpuRatios [lanes]float64
}

// Options set how long a row is measured.
type Options struct {
	Rounds int           // each runs every contestant once
	Least  time.Duration // of measured time in a round; a short heat is repeated until it is reached
	Cycles int           // at most, in a heat; 0: as many as suit the number of nodes
}

// outcome is what a contestant did, to see that all did the same work.
type outcome struct {
	placed  map[string]string // by pod: its node
	victims int
}

type contestant interface {
	arrive([]*corev1.Pod) error // not measured
	run(cycles int)             // measured
	settle() error              // not measured
	outcome() outcome
	close()
}

// Run measures one row.
func Run(row Row, o Options) (Result, error) {
	p := row.Workload.prepare(row.Nodes, row.cycles(o))
	result := Result{Row: row}
	for _, wave := range p.waves {
		result.Cycles += len(wave) * row.Workload.cycles
	}
	var rounds [lanes][]Figures
	for round := range o.Rounds {
		var outcomes [lanes]outcome
		for k := range lanes {
			lane := (k + Lane(round)) % lanes
			f, done, err := measure(row, p, lane, o.Least)
			if err != nil {
				return result, err
			}
			rounds[lane], outcomes[lane] = append(rounds[lane], f), done
		}
		if err := sameWork(outcomes); err != nil {
			return result, fmt.Errorf("%s, %d nodes, %s: %w", row.Workload.Name, row.Nodes, row.sampling(), err)
		}
	}
	for lane := range lanes {
		result.Lanes[lane] = medians(rounds[lane])
		result.Ratios[lane] = ratio(rounds, lane, func(f Figures) time.Duration { return f.Wall })
		result.cpuRatios[lane] = ratio(rounds, lane, func(f Figures) time.Duration { return f.CPU })
	}
	return result, nil
}

// Alone runs one contestant once, for a program that counts its instructions, and returns how many cycles it ran.
func Alone(row Row, o Options, lane Lane) (cycles int, err error) {
	p := row.Workload.prepare(row.Nodes, row.cycles(o))
	c, err := row.enter(p, lane)
	if err != nil {
		return 0, err
	}
	defer c.close()
	var m meter
	err = heat(c, p, &m)
	return m.cycles, err
}

// looksAt is about how many nodes a cycle looks at.
func (r Row) looksAt() int {
	if r.Percentage != 0 || r.Nodes <= 100 || r.Workload.nowhere {
		return r.Nodes
	}
	return max(100, r.Nodes*max(5, 50-r.Nodes/125)/100)
}

// cycles suit the row: a second or less of kube-scheduler's time on a quiet machine.
func (r Row) cycles(o Options) int {
	cycles := min(1000, max(40, 300_000/r.looksAt()))
	if o.Cycles > 0 {
		cycles = min(cycles, o.Cycles)
	}
	return max(cycles, r.Workload.cycles)
}

// sameWork is an error unless every contestant placed as many pods and evicted as many.
func sameWork(outcomes [lanes]outcome) error {
	for lane := range lanes {
		a, b := outcomes[0], outcomes[lane]
		if len(a.placed) != len(b.placed) || a.victims != b.victims {
			return fmt.Errorf(
				"kube-scheduler placed %d pods and evicted %d, %s %d and %d", len(a.placed), a.victims, lane,
				len(b.placed), b.victims,
			)
		}
	}
	return nil
}

// String names the contestant.
func (l Lane) String() string {
	return [...]string{"kube-scheduler, 1 worker", "kube-scheduler, 16 workers", "schedstep", "schedstep, full matrix"}[l]
}

func (r Row) enter(p *prepared, lane Lane) (contestant, error) {
	switch lane {
	case TheirsOne:
		return newTheirs(p, r.Percentage, 1)
	case TheirsAll:
		return newTheirs(p, r.Percentage, 16)
	case Untraced:
		return newOurs(p, r.Percentage, trace.Summary), nil
	}
	return newOurs(p, r.Percentage, trace.Full), nil
}

// measure runs heats until enough time was measured. A heat begins with a fresh cluster.
func measure(row Row, p *prepared, lane Lane, least time.Duration) (Figures, outcome, error) {
	var m meter
	var done outcome
	var memory float64
	for heats := 0; heats == 0 || m.wall < least && heats < 50; heats++ {
		before := inUse()
		c, err := row.enter(p, lane)
		if err != nil {
			return Figures{}, done, err
		}
		if err := heat(c, p, &m); err != nil {
			c.close()
			return Figures{}, done, err
		}
		memory = float64(inUse()) - float64(before)
		done = c.outcome()
		c.close()
	}
	return m.figures(memory), done, nil
}

func heat(c contestant, p *prepared, m *meter) error {
	for _, wave := range p.waves {
		if err := c.arrive(wave); err != nil {
			return err
		}
		for range p.workload.cycles {
			m.start()
			c.run(len(wave))
			m.stop(len(wave))
			if err := c.settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// inUse is the heap after two collections, so that what finalizers let go of is gone too.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// meter adds up measured sections.
type meter struct {
	cycles        int
	wall, cpu     time.Duration
	allocs, bytes uint64

	began    time.Time
	beganCPU time.Duration
	memory   runtime.MemStats
}

func (m *meter) start() {
	runtime.ReadMemStats(&m.memory)
	m.beganCPU = cpuTime()
	m.began = time.Now()
}

func (m *meter) stop(cycles int) {
	m.wall += time.Since(m.began)
	m.cpu += cpuTime() - m.beganCPU
	allocs, bytes := m.memory.Mallocs, m.memory.TotalAlloc
	runtime.ReadMemStats(&m.memory)
	m.allocs += m.memory.Mallocs - allocs
	m.bytes += m.memory.TotalAlloc - bytes
	m.cycles += cycles
}

func (m *meter) figures(memory float64) Figures {
	n := time.Duration(m.cycles)
	return Figures{
		Wall: m.wall / n, CPU: m.cpu / n, Memory: memory,
		Allocs: float64(m.allocs) / float64(m.cycles), Bytes: float64(m.bytes) / float64(m.cycles),
	}
}

// cpuTime is what the process has used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(fmt.Sprintf("the process's own CPU time cannot be read: %v", err))
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func medians(rounds []Figures) Figures {
	return Figures{
		Wall:   time.Duration(median(rounds, func(f Figures) float64 { return float64(f.Wall) })),
		CPU:    time.Duration(median(rounds, func(f Figures) float64 { return float64(f.CPU) })),
		Allocs: median(rounds, func(f Figures) float64 { return f.Allocs }),
		Bytes:  median(rounds, func(f Figures) float64 { return f.Bytes }),
		Memory: median(rounds, func(f Figures) float64 { return f.Memory }),
	}
}

// ratio compares a lane with the faster of the two kube-schedulers, round by round.
func ratio(rounds [lanes][]Figures, lane Lane, of func(Figures) time.Duration) float64 {
	ratios := make([]Figures, len(rounds[lane]))
	for i, f := range rounds[lane] {
		best := min(of(rounds[TheirsOne][i]), of(rounds[TheirsAll][i]))
		ratios[i].Allocs = float64(best) / float64(max(of(f), 1))
	}
	return median(ratios, func(f Figures) float64 { return f.Allocs })
}

func median(rounds []Figures, of func(Figures) float64) float64 {
	values := make([]float64, len(rounds))
	for i, f := range rounds {
		values[i] = of(f)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
