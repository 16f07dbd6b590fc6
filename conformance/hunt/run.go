package hunt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// longest is the longest backoff of kube-scheduler's default configuration.
const longest = 10 * time.Second

// Options change how a history is played.
type Options struct {
	// Log gets what happens, a line each. nil: nothing is told.
	Log func(string)
}

// Report is what came out of a history.
type Report struct {
	Findings []Finding // in the order of time; of one kind about one object the first alone
	attempts int
	judged   int // moments at which all was quiet
	parked   int // pods that slept at these moments, and did not fit
	virtual  time.Duration
}

// run is a history under way.
type run struct {
	*agenda
	Options
	history History
	new     New
	server  *server
	lead    *process
	standby *process
	err     error

	drawnMu sync.Mutex
	drawn   map[uint64]uint64

	attempts map[string]int // of each pod; guarded by the agenda's lock
	refuses  time.Duration  // until when calls fail
	ends     int            // processes that ended by themselves
	left     int            // acts that are to come
	rooms    []room
	roomsMu  sync.Mutex
	tried    []attempt // the recent ones
	report   Report
	leapt    bool // in this chapter
}

// play plays a history to the end. It is called in a bubble of testing/synctest.
func play(h History, start New, o Options) (Report, error) {
	defer func() {
		<-time.After(5 * time.Second) // for goroutines that look now and then whether they are to end
		synctest.Wait()
	}()
	a := newAgenda()
	r := &run{
		agenda: a, Options: o, history: h, new: start, server: newServer(a), drawn: map[uint64]uint64{},
		attempts: map[string]int{},
	}
	r.server.watch = r.tell
	if _, r.err = r.begin(); r.err != nil {
		return r.report, r.err
	}
	defer func() { r.lead.kill() }()
	r.lead.Lead()
	if h.Standby {
		if r.standby, r.err = r.begin(); r.err != nil {
			return r.report, r.err
		}
		defer func() { r.standby.kill() }()
	}
	for n, chapter := range h.Chapters {
		r.say(fmt.Sprintf("chapter %d", n+1))
		r.leapt = false
		r.left = len(chapter)
		for _, act := range chapter {
			r.after(act.After, func() {
				r.left--
				r.act(act)
			})
		}
		r.rest()
		if r.err != nil {
			return r.report, r.err
		}
	}
	for _, n := range r.attempts {
		r.report.attempts += n
	}
	r.report.virtual = r.since()
	return r.report, nil
}

func (r *run) say(text string) {
	if r.Log != nil {
		r.Log(fmt.Sprintf("%12s %s", r.since().Round(time.Microsecond), text))
	}
}

// tell passes on what happened on the server.
func (r *run) tell(kind string, before, after Object) {
	c := change{key: keyOf(either(after, before)), after: after}
	if after == nil {
		c.before = before
	}
	if r.Log != nil {
		r.say(line(kind, c))
	}
	for _, p := range []*process{r.lead, r.standby} {
		if p != nil {
			p.send(kind, c)
		}
	}
}

func line(kind string, c change) string {
	text := strings.ToLower(kind) + " " + c.key
	if c.after == nil {
		return text + " is gone"
	}
	if pod, is := c.after.(*corev1.Pod); is {
		text += fmt.Sprintf(" node=%q nominated=%q", pod.Spec.NodeName, pod.Status.NominatedNodeName)
		if pod.DeletionTimestamp != nil {
			text += " terminating"
		}
	}
	return text
}

func (r *run) act(a Act) {
	r.say(a.String())
	if r.err != nil {
		return
	}
	switch {
	case a.Node != nil:
		r.server.moved = r.since()
		r.server.put(a.Node)
	case a.Pod != nil:
		r.server.add(a.Pod)
	case a.Budget != nil:
		r.server.moved = r.since()
		r.server.put(a.Budget)
	case a.Edit != nil:
		r.server.edit(a.Edit)
	case a.Mishap != nil:
		r.suffer(*a.Mishap)
	default:
		kind, key, _ := strings.Cut(a.Drop, " ")
		r.server.drop(kind, key)
	}
}

func (r *run) suffer(m Mishap) {
	switch m.What {
	case Late:
		r.lead.delay(m.Kind, m.For)
	case lost:
		r.lead.lose(m.Kind, m.For)
	case restart:
		r.replace(nil)
	case handover:
		r.replace(r.standby)
	case hold:
		r.server.held = max(r.server.held, r.since()+m.For)
	case refuse:
		r.refuses = max(r.refuses, r.since()+m.For)
	case leap:
		r.leapt = true
		r.lead.Leap(m.For)
	}
}

// replace ends the leader. Its heir stood by, or is begun.
func (r *run) replace(heir *process) {
	r.lead.kill()
	synctest.Wait()
	if heir.gone() {
		heir = nil
	}
	r.lead = heir
	began, err := r.begin() // the leader, if there is no heir
	if r.err = err; err != nil {
		return
	}
	if heir != nil {
		r.standby = began
	}
	if !r.lead.gone() {
		r.lead.Lead()
	}
}

// rest waits until nothing happens any more, and judges.
func (r *run) rest() {
	const period = longest + 2500*time.Millisecond
	r.idle(period, func() bool {
		return r.left == 0 && r.since() > max(r.server.moved, r.server.held, r.refuses)+10*period
	})
	if len(r.server.objects[nodes]) == 0 {
		return // kube-scheduler tries pods again for ever where there are no nodes
	}
	var before map[string]int // attempts
	var waited []string       // in backoffQ a period ago
	calm := 0
	for range 24 {
		if r.err != nil || r.lead.gone() {
			return
		}
		v := r.view()
		attempts := r.counts()
		if r.server.moved+period < r.since() {
			calm++
		} else {
			calm, before = 0, nil
		}
		for _, pod := range v.Backoff {
			if slices.Contains(waited, pod) && before != nil && before[pod] == attempts[pod] {
				r.found(Finding{Invariant: Bounded, About: pod, Text: fmt.Sprintf("in backoffQ for more than %s", period)})
			}
		}
		if len(v.Active)+len(v.Backoff) == 0 && r.refuses < r.since() {
			break
		}
		if calm > 10 {
			r.restless(attempts)
			return
		}
		if before == nil || calm <= 1 {
			before = attempts
		}
		waited = v.Backoff
		until := r.since() + 2*period
		r.idle(period, func() bool { return r.since() > until })
	}
	r.judge()
}

// restless is a scheduler that goes on trying the same pods.
func (r *run) restless(attempts map[string]int) {
	v := r.view()
	for _, pod := range slices.Sorted(slices.Values(append(v.Active, v.Backoff...))) {
		r.found(Finding{
			Invariant: Settled, About: pod,
			Text: fmt.Sprintf("%d attempts, and %s after the last change it is in activeQ or backoffQ still",
				attempts[pod], (r.since() - r.server.moved).Round(time.Second)),
		})
	}
}

func (r *run) counts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.attempts)
}

func (r *run) view() View { return r.lead.View(sortedKeys(r.server.known)) }

// found notes a finding, unless there was one of its kind about the same.
func (r *run) found(f Finding) {
	f.At = r.since()
	same := func(o Finding) bool { return o.Invariant == f.Invariant && o.About == f.About }
	if slices.ContainsFunc(r.report.Findings, same) {
		return
	}
	r.say(f.String())
	r.report.Findings = append(r.report.Findings, f)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
