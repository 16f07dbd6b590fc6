package trend

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Trend is a series up to the cursor, with the waiting times.
type Trend struct {
	Axis   Axis    `json:"axis"`
	Points []Point `json:"points"`
}

// Axis is what a trend is drawn over.
type Axis string

// The axes. A run whose cycles fall into few moments, as that of a dump, is drawn cycle by cycle.
const (
	OverTime   Axis = "time"
	OverCycles Axis = "cycles"
)

// fewMoments is in how many stretches of time cycles have to begin for a trend over time.
const fewMoments = 8

// Here is the place of the cursor: after a step of the replay, at a moment of virtual time.
type Here struct {
	Step    int
	Cycle   int64 // the last that has begun
	Now     time.Time
	Waiting trace.QueueCounts
	State   *cluster.State
}

// Of is the trend of a series up to the cursor, of a run that began at a moment. Waits are those of the pods that were
// bound until there, in order of steps.
func (s *Series) Of(here Here, began time.Time, waits []Wait) Trend {
	t := Trend{Axis: OverCycles, Points: append([]Point{}, s.points...)}
	if n := len(t.Points); n > 0 && t.Points[n-1].step < here.Step {
		t.Points = append(t.Points, Point{
			Time: here.Now.UTC(), Cycle: here.Cycle, step: here.Step, Attempts: s.attempts, Preemptions: s.preemptions,
			Queued: queued(here.Waiting), Resources: usesOf(here.State),
		})
	}
	if _, moments := kinds(t.Points); moments >= fewMoments {
		t.Axis = OverTime
	}
	for i := range t.Points {
		t.Points[i].Seconds = t.Points[i].Time.Sub(began).Seconds()
	}
	waited(t.Points, waits)
	return t
}

// Figure is what a curve is about.
type Figure uint8

// The figures, in the order they are shown.
const (
	Packing Figure = iota
	Spread
	ZoneSpread
	Fragmentation
	Stranded
	WaitingMedian
	WaitingP99
	Attempts
	Preemptions
)

// Curve is one figure over the run: a value for each column.
type Curve struct {
	Figure   Figure
	Resource string // "" for a figure that is about none
	Values   []float64
	Now      float64 // at the cursor; of what is counted the sum
	Top      float64 // what fills a column; more than 0
}

// Lowest is the least value of a column.
func (c *Curve) Lowest() float64 { return slices.Min(c.Values) }

// Highest is the greatest value of a column.
func (c *Curve) Highest() float64 { return slices.Max(c.Values) }

// Level is how much of its column a value fills, from 0 to 8 eighths: none only of what is 0.
func (c *Curve) Level(v float64) int {
	if v <= 0 {
		return 0
	}
	return min(max(int(8*v/c.Top), 1), 8)
}

// isCounted reports whether a column is what happened in it: else it is how things stood at its end.
func (c *Curve) isCounted() bool { return c.Figure == Attempts || c.Figure == Preemptions }

// Columns is how many columns there are when so many can be drawn: no more than cycles, and none before the first.
func (t Trend) Columns(most int) int {
	if len(t.Points) == 0 {
		return 0
	}
	if t.Axis == OverCycles {
		first, last := t.ends()
		most = int(min(int64(most), last.Cycle-first.Cycle+1))
	}
	return max(most, 1)
}

// columnTook is how much virtual time a column is, and how many cycles, of a trend with so many columns.
func (t Trend) columnTook(columns int) (time.Duration, int64) {
	first, last := t.ends()
	cycles := last.Cycle - first.Cycle + 1
	return last.Time.Sub(first.Time) / time.Duration(columns), (cycles + int64(columns) - 1) / int64(columns)
}

// ends are the first and the last point of a trend that has any.
func (t Trend) ends() (first, last *Point) { return &t.Points[0], &t.Points[len(t.Points)-1] }

// column is the column of a point.
func (t Trend) column(p *Point, columns int) int {
	first, last := t.ends()
	at, whole := p.Cycle-first.Cycle, last.Cycle-first.Cycle+1
	if t.Axis == OverTime {
		at, whole = p.Time.Sub(first.Time).Milliseconds(), last.Time.Sub(first.Time).Milliseconds()+1
	}
	return min(int(float64(at)*float64(columns)/float64(whole)), columns-1)
}

// Curves are the figures in at most so many columns. What is not there in the whole run has no curve: a resource of
// which nothing is requested, zones where there are less than two.
func (t Trend) Curves(most int) []Curve {
	columns := t.Columns(most)
	if columns == 0 {
		return nil
	}
	var curves []Curve
	for _, f := range []Figure{Packing, Spread, ZoneSpread, Fragmentation, Stranded} {
		for _, name := range t.resources() {
			of := func(p *Point) float64 { return p.use(name).figure(f) }
			c := Curve{Figure: f, Resource: name, Values: t.gauge(columns, of), Top: 100}
			c.Now = c.Values[columns-1]
			if f == Stranded {
				c.Top = max(c.Highest(), 1)
			}
			if f == Packing || f == Spread || c.Highest() > 0 {
				curves = append(curves, c)
			}
		}
	}
	median := t.gauge(columns, func(p *Point) float64 { return p.Waiting.Median })
	p99 := t.gauge(columns, func(p *Point) float64 { return p.Waiting.P99 })
	top := max(slices.Max(p99), 0.001)
	_, last := t.ends()
	attempts, preemptions := t.counted(columns)
	return append(curves,
		Curve{Figure: WaitingMedian, Values: median, Now: median[columns-1], Top: top},
		Curve{Figure: WaitingP99, Values: p99, Now: p99[columns-1], Top: top},
		Curve{Figure: Attempts, Values: attempts, Now: float64(last.Attempts), Top: max(slices.Max(attempts), 1)},
		Curve{
			Figure: Preemptions, Values: preemptions, Now: float64(last.Preemptions), Top: max(slices.Max(preemptions), 1),
		},
	)
}

// resources are cpu and memory, and what else is ever requested, except for the number of pods.
func (t Trend) resources() []string {
	names := []string{"cpu", "memory"}
	for i := range t.Points {
		for _, u := range t.Points[i].Resources {
			if u.Packing > 0 && u.Name != "pods" && !slices.Contains(names, u.Name) {
				names = append(names, u.Name)
			}
		}
	}
	slices.Sort(names[2:])
	return names
}

func (p *Point) use(name string) Use {
	i := slices.IndexFunc(p.Resources, func(u Use) bool { return u.Name == name })
	if i < 0 {
		return Use{}
	}
	return p.Resources[i]
}

func (u Use) figure(f Figure) float64 {
	switch f {
	case Packing:
		return u.Packing
	case Spread:
		return u.Spread
	case ZoneSpread:
		return u.ZoneSpread
	case Fragmentation:
		return u.Fragmentation
	case Stranded:
		return float64(u.Stranded)
	case WaitingMedian, WaitingP99, Attempts, Preemptions:
	}
	return 0
}

// gauge is how things stood at the end of each column.
func (t Trend) gauge(columns int, of func(p *Point) float64) []float64 {
	values := make([]float64, columns)
	at := 0
	for i := range t.Points {
		p := &t.Points[i]
		for to := t.column(p, columns); at < to; at++ {
			values[at+1] = values[at]
		}
		values[at] = of(p)
	}
	return values
}

// counted is what happened in each column. What came between two points is counted where the first of them is: the
// second, if it lies in another stretch of time, is the first cycle there.
func (t Trend) counted(columns int) (attempts, preemptions []float64) {
	attempts, preemptions = make([]float64, columns), make([]float64, columns)
	before := t.Points[0]
	before.Attempts, before.Preemptions = before.Attempts-before.tried, before.Preemptions-before.preempted
	for i := range t.Points {
		p := &t.Points[i]
		then, now := t.column(&before, columns), t.column(p, columns)
		attempts[then] += float64(p.Attempts - p.tried - before.Attempts)
		preemptions[then] += float64(p.Preemptions - p.preempted - before.Preemptions)
		attempts[now] += float64(p.tried)
		preemptions[now] += float64(p.preempted)
		before = *p
	}
	return attempts, preemptions
}
