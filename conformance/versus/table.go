package versus

import (
	"fmt"
	"strings"
	"time"
)

const (
	tableHead = "| nodes | workload | sampling | cycles/s: kube-scheduler, 1 / 16 workers | schedstep | times | by CPU | with the matrix | times | by CPU |" +
		" allocations a cycle: theirs / ours / matrix | bytes a cycle | memory |"
	tableRule = "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)

// Head is the first two lines of the table of results, as markdown.
func Head() string { return tableHead + "\n" + tableRule + "\n" }

// Line is the row of the table for a result. Allocations and memory of kube-scheduler are those with 1 worker.
func (r Result) Line() string {
	three := func(say func(Figures) string) string {
		return say(r.Lanes[TheirsOne]) + " / " + say(r.Lanes[Untraced]) + " / " + say(r.Lanes[Matrix])
	}
	cells := []string{
		fmt.Sprint(r.Row.Nodes), r.Row.Workload.Name, r.Row.sampling(),
		rate(r.Lanes[TheirsOne]) + " / " + rate(r.Lanes[TheirsAll]),
		rate(r.Lanes[Untraced]), times(r.Ratios[Untraced]), times(r.cpuRatios[Untraced]),
		rate(r.Lanes[Matrix]), times(r.Ratios[Matrix]), times(r.cpuRatios[Matrix]),
		three(func(f Figures) string { return amount(f.Allocs) }),
		three(func(f Figures) string { return size(f.Bytes) }),
		three(func(f Figures) string { return size(f.Memory) }),
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// Short names the lanes in which a result falls short of what we hold ourselves to: twice as many cycles a second
// untraced, and no fewer with the full matrix.
func (r Result) Short() []string {
	var short []string
	for lane, least := range map[Lane]float64{Untraced: 2, Matrix: 1} {
		if r.Ratios[lane] < least {
			short = append(short, fmt.Sprintf("%d nodes, %s, %s: %s is %s times as fast, %v is wanted",
				r.Row.Nodes, r.Row.Workload.Name, r.Row.sampling(), lane, times(r.Ratios[lane]), least))
		}
	}
	return short
}

func rate(f Figures) string { return amount(float64(time.Second) / float64(f.Wall)) }

func times(ratio float64) string {
	if ratio >= 10 {
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

func amount(n float64) string {
	if n >= 10_000 {
		return fmt.Sprintf("%.0fk", n/1000)
	}
	return fmt.Sprintf("%.0f", n)
}

func size(bytes float64) string {
	if bytes >= 10<<20 {
		return fmt.Sprintf("%.0f MiB", bytes/(1<<20))
	}
	if bytes >= 1<<20 {
		return fmt.Sprintf("%.1f MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.0f KiB", bytes/(1<<10))
}
