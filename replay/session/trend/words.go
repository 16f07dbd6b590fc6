package trend

import (
	"fmt"
	"time"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session/room"
)

// figureWords are what each figure is called, and what it counts, in what.
var figureWords = [...]struct{ name, meaning string }{
	Packing: {"packing, %s", "what is requested of what all nodes can give, in percent"},
	Spread: {
		"spread over nodes, %s",
		"between the nodes with the highest and the lowest share requested, in percentage points",
	},
	ZoneSpread: {
		"spread over zones, %s",
		"between the zones with the highest and the lowest share requested, in percentage points",
	},
	Fragmentation: {
		"fragmentation, %s", "what of the free amount is not on the node with the most of it, in percent",
	},
	Stranded: {
		"stranded, %s",
		"what is free on nodes where less than a twentieth of cpu, memory or pods is left, as an amount",
	},
	WaitingMedian: {
		"waiting time, median",
		"half of the pods bound until then waited no longer from the queue to the binding, in seconds",
	},
	WaitingP99: {
		"waiting time, 99th percentile",
		"99 of 100 pods bound until then waited no longer from the queue to the binding, in seconds",
	},
	Attempts:    {"attempts", "pods that were tried, counted once a cycle"},
	Preemptions: {"preemptions", "cycles that nominated a node"},
}

// Name is what the curve is about, in a few words.
func (c *Curve) Name(l words.Language) string {
	name := l.Of(figureWords[c.Figure].name)
	if c.Resource == "" {
		return name
	}
	return fmt.Sprintf(name, c.Resource)
}

// Meaning is what a figure counts, and in what.
func (c *Curve) Meaning(l words.Language) string { return l.Of(figureWords[c.Figure].meaning) }

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

// Says describes the curve in one line, without its name.
func (c *Curve) Says(l words.Language) string {
	if c.isCounted() {
		return l.Say("%s in all, at most %s in a column", c.Text(c.Now), c.Text(c.Highest()))
	}
	return l.Say("now %s, %s to %s", c.Text(c.Now), c.Text(c.Lowest()), c.Text(c.Highest()))
}

// About names what a trend with so many columns is drawn over.
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
