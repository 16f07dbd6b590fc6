// Package bisect plays one input under several settings in a row, such as every release of kube-scheduler from the
// oldest to the newest, and finds between which neighbours the course of the input changes. It does not know what the
// settings are, and it does not judge which side of a change is right.
package bisect

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/play"
)

// Candidate is one setting of the row.
type Candidate struct {
	diff.Side
	// Refused is why the input cannot be played under this setting; nil: it can.
	Refused error
}

// Change is a pair of neighbours between which the input takes another course.
type Change struct {
	From, To string
	// Refused is why one of the two cannot play the input, where the other can. Nothing else is known then.
	Refused error
	// Course is the first step in which the two courses part.
	Course Parting
	// Ends are the pods that end otherwise. It is empty where both courses lead to the same end.
	Ends *diff.Report
}

// Parting is the first step of two courses in which they differ.
type Parting struct {
	Step int        // from 1 on
	At   time.Time  // virtual time of the step under the first setting; of the second where the first has ended
	A, B trace.Fact // the first facts that differ; nil: the course has ended, or the step has no further fact
}

// course is what an input does under one setting: a sum of the facts of each step, in order.
type course []uint64

// Run plays every candidate once, compares each with the next, and plays only those pairs again that differ. played
// (may be nil) receives the number of candidates that are done.
func Run(ctx context.Context, row []Candidate, played func(done int)) ([]Change, error) {
	courses := make([]course, len(row))
	for i := range row {
		if row[i].Refused == nil {
			c, err := courseOf(ctx, row[i].Side)
			if err != nil {
				return nil, err
			}
			courses[i] = c
		}
		if played != nil {
			played(i + 1)
		}
	}
	var changes []Change
	for i := 1; i < len(row); i++ {
		a, b := &row[i-1], &row[i]
		change := Change{From: a.Name.String(), To: b.Name.String()}
		switch {
		case a.Refused != nil && b.Refused != nil:
			continue
		case a.Refused != nil:
			change.Refused = a.Refused
		case b.Refused != nil:
			change.Refused = b.Refused
		default:
			n := parted(courses[i-1], courses[i])
			if n < 0 {
				continue
			}
			if err := change.look(ctx, a.Side, b.Side, n); err != nil {
				return nil, err
			}
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// parted returns the index of the first step in which two courses differ; -1: they are the same.
func parted(a, b course) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return n
}

// look plays both sides again: up to the step where they part, for its facts, and to the end, for the pods.
func (c *Change) look(ctx context.Context, a, b diff.Side, n int) error {
	inA, err := stepAt(ctx, a, n)
	if err != nil {
		return err
	}
	inB, err := stepAt(ctx, b, n)
	if err != nil {
		return err
	}
	c.Course = Parting{Step: n + 1, At: inA.At}
	if inA.At.IsZero() {
		c.Course.At = inB.At
	}
	c.Course.A, c.Course.B = FirstDifference(felt(inA.Facts), felt(inB.Facts))
	c.Ends, err = diff.Run(ctx, a, b)
	return err
}

// FirstDifference returns the first facts in which two lists differ; nil: that list has no further fact. Both are nil
// where the lists are the same.
func FirstDifference(a, b []trace.Fact) (x, y trace.Fact) {
	for i := range max(len(a), len(b)) {
		x, y = nil, nil
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x == nil || y == nil || Text(x) != Text(y) {
			return x, y
		}
	}
	return nil, nil
}

// stepAt plays a side up to its n-th step, from 0 on. The step is empty where the course ends before.
func stepAt(ctx context.Context, side diff.Side, n int) (found play.Step, err error) {
	over := side.Over
	side.Over = func(i int, step *play.Step) bool { return i > n || over != nil && over(i, step) }
	at := 0
	err = diff.Steps(ctx, side, side.Play(trace.Reported), func(step play.Step) {
		if at == n {
			found = step
		}
		at++
	})
	return found, err
}

// courseOf plays a side to its end.
func courseOf(ctx context.Context, side diff.Side) (course, error) {
	var c course
	err := diff.Steps(ctx, side, side.Play(trace.Reported), func(step play.Step) {
		sum := fnv.New64a()
		for _, f := range felt(step.Facts) {
			sum.Write([]byte(Text(f)))
			sum.Write([]byte{'\n'})
		}
		c = append(c, sum.Sum64())
	})
	return c, err
}

// felt are the facts that a pod or the cluster can feel: verdicts and scores, moves between queues, nominations,
// effects and ends. It leaves out what kube-scheduler keeps for itself, such as the plugins that PreFilter skips: that
// changes in nearly every release and moves no pod.
func felt(facts []trace.Fact) []trace.Fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f trace.Fact) bool {
		switch f.(type) {
		case trace.PreFiltered, trace.PreScored, trace.Hinted, trace.Observed:
			return true
		}
		return false
	})
}

// Text is a fact in one line, with what its own line leaves out and a release can change: every total, and the
// plugins whose events wake the pod.
func Text(f trace.Fact) string {
	switch f := f.(type) {
	case trace.Scored:
		line := f.String()
		for k, i := range f.Scores.Index {
			line += fmt.Sprintf(" %s=%d", f.Scores.Nodes[i], f.Scores.Totals[k])
		}
		return line
	case trace.Ended:
		if len(f.Plugins)+len(f.Pending) == 0 {
			return f.String()
		}
		return fmt.Sprintf("%s (rejected by %s)", f.Phrase(), strings.Join(slices.Concat(f.Plugins, f.Pending), ", "))
	}
	return f.String()
}
