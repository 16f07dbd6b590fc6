package trend

import (
	"fmt"
	"time"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/room"
)

// Name is what the curve is about, in a few words.
func (c *Curve) Name(l words.Language) string {
	switch c.Figure {
	case Packing:
		return l.Say("packing, %s", c.Resource)
	case Spread:
		return l.Say("spread over nodes, %s", c.Resource)
	case ZoneSpread:
		return l.Say("spread over zones, %s", c.Resource)
	case Fragmentation:
		return l.Say("fragmentation, %s", c.Resource)
	case Stranded:
		return l.Say("stranded, %s", c.Resource)
	case WaitingMedian:
		return l.Of("waiting time, median")
	case WaitingP99:
		return l.Of("waiting time, 99th percentile")
	case Attempts:
		return l.Of("attempts")
	case Preemptions:
	}
	return l.Of("preemptions")
}

// Meaning is what a figure counts, and in what.
func (c *Curve) Meaning(l words.Language) string {
	switch c.Figure {
	case Packing:
		return l.Of("what is requested of what all nodes can give, in percent")
	case Spread:
		return l.Of("between the nodes with the highest and the lowest share requested, in percentage points")
	case ZoneSpread:
		return l.Of("between the zones with the highest and the lowest share requested, in percentage points")
	case Fragmentation:
		return l.Of("what of the free amount is not on the node with the most of it, in percent")
	case Stranded:
		return l.Of("what is free on nodes where less than a twentieth of cpu, memory or pods is left, as an amount")
	case WaitingMedian:
		return l.Of("half of the pods bound until then waited no longer from the queue to the binding, in seconds")
	case WaitingP99:
		return l.Of("99 of 100 pods bound until then waited no longer from the queue to the binding, in seconds")
	case Attempts:
		return l.Of("pods that were tried, counted once a cycle")
	case Preemptions:
	}
	return l.Of("cycles that nominated a node")
}

// Text is a value of the curve with its unit.
func (c *Curve) Text(v float64) string {
	switch c.Figure {
	case Packing, Spread, ZoneSpread, Fragmentation:
		return fmt.Sprintf("%.1f %%", v)
	case Stranded:
		return room.Written(c.Resource, int64(v))
	case WaitingMedian, WaitingP99:
		return (time.Duration(v*1e6+0.5) * time.Microsecond).Round(time.Millisecond).String()
	case Attempts, Preemptions:
	}
	return fmt.Sprintf("%.0f", v)
}

// Says is the curve in one line, without its name.
func (c *Curve) Says(l words.Language) string {
	if c.isCounted() {
		return l.Say("%s in all, at most %s in a column", c.Text(c.Now), c.Text(c.Highest()))
	}
	return l.Say("now %s, %s to %s", c.Text(c.Now), c.Text(c.Lowest()), c.Text(c.Highest()))
}

// About says what a trend with so many columns is drawn over.
func (t Trend) About(l words.Language, columns int) string {
	first, last := t.ends()
	took, cycles := t.columnTook(columns)
	from, to := words.Clock(first.Time), words.Clock(last.Time)
	if t.Axis == OverTime {
		return l.Say("virtual time %s to %s, a column is %s", from, to, took.Round(time.Millisecond))
	}
	if cycles > 1 {
		return l.Say("cycles %d to %d, %s to %s, a column is %d cycles", first.Cycle, last.Cycle, from, to, cycles)
	}
	return l.Say("cycles %d to %d, %s to %s, a column is a cycle", first.Cycle, last.Cycle, from, to)
}
