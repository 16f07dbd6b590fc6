// Package compare puts the decisions of a cluster's own scheduler beside those that this one would have made. It reads
// a log and decides nothing itself: it runs cycles on a copy of the scheduler. It does not compare the verdicts of
// single plugins; that is conformance/compare.
package compare

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Verdict is the result of one comparison.
type Verdict string

// The verdicts.
const (
	Agreed    Verdict = "agreed"    // the same host, or the same text
	Tied      Verdict = "tied"      // their host is among the best; chance decided
	Explained Verdict = "explained" // it follows from what their scheduler could not see as we do
	Different Verdict = "different"
)

// What of a decision was compared.
const (
	Host    = "host"
	Message = "message" // the text of the condition PodScheduled
	Event   = "event"   // the text of the event FailedScheduling
	Retry   = "retry"   // that a pod was tried again, or that it was not
)

// Decision is one decision of the cluster's own scheduler with the result of the comparison.
type Decision struct {
	Pod     string      `json:"pod"`
	At      time.Time   `json:"time"`
	What    string      `json:"what"`
	Theirs  string      `json:"theirs"`
	Ours    phrase.Text `json:"ours"`
	Verdict Verdict     `json:"verdict"`
	Why     phrase.Text `json:"why,omitempty"` // what explains it, or which plugin decided otherwise

	chance   bool      // the reasons are the same, and where pods are evicted is chance
	observed time.Time // when their scheduler counted an event once more, by its own clock; zero: not known
}

// Said is the decision of their scheduler: its own words, or for a Retry a phrase of ours.
func (d *Decision) Said() phrase.Text {
	if d.What == Retry {
		return phrase.Text(d.Theirs)
	}
	return phrase.Verbatim(d.Theirs)
}

// Tally counts decisions by verdict.
type Tally struct {
	Agreed    int `json:"agreed"`
	Tied      int `json:"tied"`
	Explained int `json:"explained"`
	Different int `json:"different"`
}

// Total is how many decisions were compared.
func (t Tally) Total() int { return t.Agreed + t.Tied + t.Explained + t.Different }

// Percent is the share of those agreed or tied, as text.
func (t Tally) Percent() string { return Percent(t.Agreed+t.Tied, t.Total()) }

// Percent is a share as text; "-" of none. It is 100 only of all.
func Percent(same, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", math.Floor(1000*float64(same)/float64(of))/10)
}

// plus is both together.
func (t Tally) plus(o Tally) Tally {
	return Tally{t.Agreed + o.Agreed, t.Tied + o.Tied, t.Explained + o.Explained, t.Different + o.Different}
}

// count adds a verdict.
func (t *Tally) count(v Verdict) {
	switch v {
	case Agreed:
		t.Agreed++
	case Tied:
		t.Tied++
	case Explained:
		t.Explained++
	case Different:
		t.Different++
	}
}

// Report has the results of all comparisons so far.
type Report struct {
	Hosts    Tally `json:"hosts"`
	Messages Tally `json:"messages"`
	Events   Tally `json:"events"`
	// Retries counts the pods that were tried again after an event that helps here too.
	Retries Tally `json:"retries"`
	// Reordered is how many of those agreed or tied are so once the binds around them are in the order of decision.
	Reordered int `json:"reordered"`
	// OnTime is how many pods this scheduler had put on the same node before theirs did, of how many that it had placed.
	OnTime Share `json:"onTime"`
	// Decisions are those that were not simply agreed on, in the order they were made.
	Decisions []Decision `json:"decisions,omitempty"`
	// Forgotten is how many decisions are counted and no longer listed: the oldest of each verdict go, so that memory has
	// a bound however long a comparison takes.
	Forgotten int `json:"forgotten,omitempty"`

	byVerdict map[Verdict][]Decision // that are listed, the oldest first
}

// mostListed is how many decisions of one verdict are listed.
const mostListed = 1000

// Share is a part of a whole.
type Share struct {
	Same int `json:"same"`
	Of   int `json:"of"`
}

// All counts whatever was compared.
func (r *Report) All() Tally { return r.Hosts.plus(r.Messages).plus(r.Events).plus(r.Retries) }

// Differs is whether any decision is different without an explanation.
func (r *Report) Differs() bool { return r.All().Different > 0 }

// Add counts a decision, and keeps it unless both simply agree.
func (r *Report) Add(d Decision) {
	switch d.What {
	case Host:
		r.Hosts.count(d.Verdict)
	case Event:
		r.Events.count(d.Verdict)
	case Retry:
		r.Retries.count(d.Verdict)
	default:
		r.Messages.count(d.Verdict)
	}
	if d.Verdict != Agreed || d.Why != "" {
		r.list(d)
	}
}

// list keeps a decision, and forgets the oldest of its verdict when there are too many.
func (r *Report) list(d Decision) {
	if r.byVerdict == nil {
		r.byVerdict = map[Verdict][]Decision{}
	}
	listed := append(r.byVerdict[d.Verdict], d)
	if len(listed) > mostListed {
		listed = slices.Delete(listed, 0, 1)
		r.Forgotten++
	}
	r.byVerdict[d.Verdict] = listed
}

// Complete lists the decisions in the order they were made.
func (r *Report) Complete() {
	r.Decisions = slices.Concat(r.byVerdict[Agreed], r.byVerdict[Tied], r.byVerdict[Explained], r.byVerdict[Different])
	slices.SortStableFunc(r.Decisions, func(a, b Decision) int { return a.At.Compare(b.At) })
}
