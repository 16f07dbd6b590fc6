package compare_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/compare"
)

// triedAgain has their scheduler try pods again in vain, of which nothing was woken.
func (h *history) triedAgain(text string, names ...string) {
	for _, name := range names {
		at := h.at.Unix()
		h.happens(cluster.Add, fails(large(name, ""), fmt.Sprintf("%s-%d", name, at), text))
	}
}

// The fourth pod is tried in silence: its message is the one that it has. What changes after that is no sign against a
// start, and what changed before it is one.
func TestWhatPodsShowThatAreTriedInSilenceIsAskedOfTheMomentOfTheStart(t *testing.T) {
	const unreachable = "0/1 nodes are available: 1 node(s) had untolerated taint(s). " +
		"preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	for text, want := range map[string]compare.Tally{
		crowded: {Explained: 3}, unreachable: {Different: 3},
	} {
		h := crowd()
		h.starved("b", "c", "d")
		h.others(30)
		if text == unreachable {
			h.happens(cluster.Update, tainted("n1"))
		}
		// The message of a condition is shown by an event as well: the second event is of the second try.
		if text == crowded {
			h.triedAgain(text, "a", "b", "c")
		}
		h.triedAgain(text, "a", "b", "c")
		if text == crowded {
			h.happens(cluster.Update, tainted("n1"))
		}
		h.others(120)
		if r := h.hindsight.Report(); r.Retries != want {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

// A log of their scheduler shows when it was started. That is the reason for one retry of a pod that waited then.
func TestAStartThatALogShowsIsTheReasonForOneRetry(t *testing.T) {
	for _, story := range []struct {
		name    string
		after   time.Duration // of the start, after the pod was set aside
		others  int           // seconds that pass before it is tried again
		retries int
		want    compare.Tally
	}{
		{"one", 30 * time.Second, 35, 1, compare.Tally{Explained: 1}},
		{"two", 30 * time.Second, 35, 2, compare.Tally{Explained: 1, Different: 1}},
		{"the start came later", 3 * time.Minute, 35, 1, compare.Tally{Different: 1}},
		{"the start was before it waited", -time.Second, 35, 1, compare.Tally{Different: 1}},
		{"the start is over a minute ago", 5 * time.Second, 80, 1, compare.Tally{Different: 1}},
	} {
		h := newHistory()
		h.hindsight.Know(compare.Limits{Began: []time.Time{began.Add(4*time.Second + story.after)}})
		h.crowd()
		h.others(story.others)
		h.triedAgain(crowded, "a")
		for range story.retries {
			h.triedAgain(crowded, "a")
		}
		h.others(120)
		r := h.hindsight.Report()
		if r.Retries != story.want || story.want.Explained > 0 &&
			!strings.HasSuffix(r.Decisions[0].Why.String(), "by its log: then every pod that waits is tried") {
			t.Errorf("%s: %+v", story.name, r)
		}
	}
}

// An event that is counted once more keeps its first text. When the condition has another text by then, both are signs
// of one try, unless their scheduler counted it after the condition was seen.
func TestAnEventThatIsCountedForANewMessageIsTheSameTry(t *testing.T) {
	const also = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). preemption: 0/2 nodes " +
		"are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
	for after, want := range map[time.Duration]compare.Tally{
		-time.Millisecond: {Agreed: 1}, time.Millisecond: {Agreed: 1, Different: 1},
	} {
		h := crowd()
		first := fails(large("a", ""), "first", crowded)
		h.happens(cluster.Add, first)
		h.others(30)
		h.happens(cluster.Add, tainted("n2"))
		h.others(100) // so that the node was not added while the pod was in flight
		h.happens(cluster.Update, waiting(large("a", ""), also))
		counted := first.DeepCopy()
		counted.Series = &eventsv1.EventSeries{Count: 2, LastObservedTime: metav1.NewMicroTime(h.at.Add(after))}
		h.happens(cluster.Update, counted)
		h.others(120)
		if r := h.hindsight.Report(); r.Retries != want || r.Messages.Agreed != 2 {
			t.Errorf("counted %v after the condition was seen: %+v", after, r)
		}
	}
}
