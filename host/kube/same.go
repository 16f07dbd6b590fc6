package kube

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/host"
)

// Counts is how much was compared beside the answers of cycles.
type Counts struct{ permits, waits, allowed, refused, timedOut, written, evicted, bound int }

// Both is plugins in kube-scheduler and in schedstep, one pair of them after the other.
type Both struct {
	Counts  Counts
	plugins []Plugin
	hosted  []config.Plugin // in the place of them on our side

	theirs  *Scheduler
	ours    *core.Scheduler
	waiting []string // of ours, after the step before
	unmet   []unmet
	going   map[string]bool
}

// NewBoth is the same plugins on both sides.
func NewBoth(plugins ...Plugin) *Both { return Between(plugins, plugins) }

// Between is plugins that may differ, as a test needs them.
func Between(theirs, ours []Plugin) *Both {
	b := &Both{plugins: theirs}
	for _, p := range ours {
		b.hosted = append(b.hosted, host.Plugin(p.Name, p.New))
	}
	return b
}

// Plugins are those on our side.
func (b *Both) Plugins() []config.Plugin { return b.hosted }

// Begin is an empty cluster with a kube-scheduler beside ours.
func (b *Both) Begin(configuration []byte, ours *core.Scheduler) (compare.KubeScheduler, error) {
	theirs, err := New(configuration, b.plugins, ours)
	if err != nil {
		return nil, err
	}
	b.theirs, b.ours, b.waiting, b.going, b.unmet = theirs, ours, nil, map[string]bool{}, nil
	return theirs, nil
}

// Counted is the counts in words; "" where the plugins did none of it.
func (b *Both) Counted() string {
	c := b.Counts
	var parts []string
	if c.permits > 0 {
		parts = append(parts, fmt.Sprintf("answers of Permit %d: waits %d, of which %d were let go and %d ended against the "+
			"pod (%d by timeout)", c.permits, c.waits, c.allowed, c.refused, c.timedOut))
	}
	for _, of := range []struct {
		what string
		n    int
	}{
		{"objects written by plugins", c.written},
		{"pods deleted by plugins", c.evicted},
		{"pods bound by plugins", c.bound},
	} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", of.what, of.n))
		}
	}
	if len(b.unmet) > 0 {
		parts = append(parts, fmt.Sprintf("objects that one side alone had written at the end %d", len(b.unmet)))
	}
	return strings.Join(parts, "; ")
}

// same notes a difference.
type same func(what, pod, theirs, ours string)

// Stepped compares the way of pods from Permit on, and what plugins did through their clients.
func (b *Both) Stepped(effects []core.Effect, facts []trace.Fact) []compare.Difference {
	t := b.theirs
	t.do(func() {}) // what is due by now
	var differences []compare.Difference
	same := func(what, pod, theirs, ours string) {
		if theirs != ours {
			differences = append(differences, compare.Difference{What: what, Pod: pod, Theirs: theirs, Ours: ours})
		}
	}
	cycle, _ := trace.Fold(facts)
	for _, try := range cycle.Tries {
		b.permitted(try, same)
	}
	var evicted, bound []string
	var written []write
	for _, effect := range effects {
		switch effect := effect.(type) {
		case core.Evict:
			evicted = append(evicted, effect.Pod.Key)
		case core.Write:
			if b.has(effect.Plugin) || effect.Plugin == host.AnyGuest {
				written = append(written, write{effect.Action, fieldsOf(effect.Object)})
			}
		case core.Bind:
			if b.has(effect.Plugin) {
				bound = append(bound, effect.Pod.Key+" "+effect.Node)
			}
			b.worked(effect, same)
		case core.Report:
			b.refused(effect, same)
		}
	}
	b.Counts.written += len(written)
	b.Counts.bound += len(bound)
	b.match(t.api.takeWrites(), written, same)
	same("bound by plugins", "", strings.Join(t.api.takeBinds(), ", "), strings.Join(bound, ", "))
	b.deleted(cycle, evicted, same)
	for _, effect := range effects {
		if e, is := effect.(core.Evict); is {
			b.going[e.Pod.UID()] = true
		}
	}
	b.waits(same)
	return differences
}

// has reports whether a plugin is one of those that are on both sides.
func (b *Both) has(plugin string) bool {
	return slices.ContainsFunc(b.hosted, func(p config.Plugin) bool { return p.Name() == plugin })
}

// deleted compares the pods that plugins had deleted.
func (b *Both) deleted(cycle *trace.Cycle, ours []string, same same) {
	theirs := b.theirs.api.takeEvicted()
	if cycle.Ended == nil || !b.evicts(cycle.Latest(), theirs) {
		return
	}
	b.Counts.evicted += len(ours)
	same("deleted by plugins", "", strings.Join(slices.DeleteFunc(theirs, b.goes), " "), strings.Join(ours, " "))
}

// goes reports that a pod was deleted before, and is still there. To delete it again changes nothing, and schedstep has
// no effect for it; kube-scheduler sends the request.
func (b *Both) goes(key string) bool {
	pod, known := b.ours.State().Pod(key)
	return known && (pod.Terminating() || b.going[pod.UID()])
}

// evicts reports that a PostFilter plugin other than DefaultPreemption made room.
func (b *Both) evicts(try *trace.Try, theirs []string) bool {
	for _, f := range try.PostFilter {
		if f.Plugin != "DefaultPreemption" && f.Verdict.OK() {
			return true
		}
	}
	return len(theirs) > 0
}

// permitted compares the verdict of Permit.
func (b *Both) permitted(try *trace.Try, same same) {
	verdict, asked := "Success", false
	pod := try.Entity.Key()
	for _, ran := range try.Ran {
		text := strings.TrimSuffix(fmt.Sprintf("%s: %s", ran.Verdict.Code, ran.Verdict.Message()), ": ")
		switch {
		case ran.Point == trace.PhasePermit:
			asked = true
			if !ran.Verdict.OK() {
				verdict = text
			}
		case ran.Point == trace.PhasePreBind && b.has(ran.Plugin) && ran.Verdict.Code.Rejects():
			// A pod that loses its node in the cycle itself is not on its way in kube-scheduler.
			if w := b.theirs.bound[pod]; w != nil && w.done && w.plugin != "" {
				same("PreBind", pod, said(w.status), text)
			}
		}
	}
	if !asked || verdict != "Success" && !strings.HasPrefix(verdict, "Wait") {
		return // a pod that is refused loses its node in the cycle itself
	}
	b.Counts.permits++
	same("Permit", pod, b.theirs.permits[pod], verdict)
	if strings.HasPrefix(verdict, "Wait") {
		b.Counts.waits++
	}
}

// worked compares that PreBind is over when the pod is bound.
func (b *Both) worked(e core.Bind, same same) {
	switch w := b.theirs.bound[e.Pod.Key]; {
	case w == nil:
		same("PreBind", e.Pod.Key, "not reached", "over")
	case !w.done:
		same("PreBind", e.Pod.Key, "goes on", "over")
	case w.plugin != "":
		same("PreBind", e.Pod.Key, w.plugin+": "+said(w.status), "over")
	}
}

// refused compares why a wait ended against a pod.
func (b *Both) refused(r core.Report, same same) {
	if !slices.Contains(b.waiting, r.Pod.Key) {
		return
	}
	s := b.theirs.waits[r.Pod.Key]
	if s == nil || r.Reason != "FailedScheduling" || strings.HasSuffix(r.Message, ": preempted") {
		return // the oracle evicts no pod, so that none of its waits ends like this
	}
	if w := b.theirs.bound[r.Pod.Key]; s.over && s.message == "" && w != nil && w.plugin != "" {
		return // it was let go, and PreBind failed
	}
	b.Counts.refused++
	if strings.Contains(s.message, "timeout") {
		b.Counts.timedOut++
	}
	same("end of the wait", r.Pod.Key, fmt.Sprintf("0/1 nodes are available: 1 %s.", s.message), r.Message)
}

// waits compares which pods wait now.
func (b *Both) waits(same same) {
	before := b.waiting
	b.waiting = nil
	for _, pod := range b.ours.Waiting() {
		b.waiting = append(b.waiting, pod.Key)
	}
	slices.Sort(b.waiting)
	for _, key := range before {
		if s := b.theirs.waits[key]; s != nil && s.message == "" && !slices.Contains(b.waiting, key) {
			b.Counts.allowed++
		}
	}
	same("waiting at Permit", "", b.theirs.waiting(), strings.Join(b.waiting, " "))
}

// unmet is a write that one side has made and the other has not yet: a plugin that works for a while is looked after
// every tenth of a second on our side.
type unmet struct {
	ours bool
	text string
	at   time.Time
}

// patience is how much later the other side may write the same.
const patience = 2 * time.Second

// match finds the writes that both sides have made.
func (b *Both) match(theirs, ours []write, same same) {
	now := b.ours.Now()
	add := func(w write, mine bool) {
		text := line(w)
		other := func(u unmet) bool { return u.ours != mine && u.text == text }
		if k := slices.IndexFunc(b.unmet, other); k >= 0 {
			b.unmet = slices.Delete(b.unmet, k, k+1)
			return
		}
		b.unmet = append(b.unmet, unmet{mine, text, now})
	}
	for _, w := range theirs {
		add(w, false)
	}
	for _, w := range ours {
		add(w, true)
	}
	b.unmet = slices.DeleteFunc(b.unmet, func(u unmet) bool {
		if now.Sub(u.at) < patience {
			return false
		}
		if u.ours {
			same("written by plugins", "", "nothing", u.text)
		} else {
			same("written by plugins", "", u.text, "nothing")
		}
		return true
	})
}

// takeWrites are the writes since the last call.
func (a *api) takeWrites() []write {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.writes
	a.writes = nil
	return taken
}

func (a *api) takeBinds() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.binds
	a.binds = nil
	return taken
}

func (a *api) takeEvicted() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.evicted
	a.evicted = nil
	return taken
}

// line is a write in words. Left out is what the server decides, and of a pod what the scheduler itself does to it.
func line(w write) string {
	object := (&unstructured.Unstructured{Object: w.object}).DeepCopy().Object
	if meta, is := object["metadata"].(map[string]any); is {
		for _, of := range []string{"resourceVersion", "uid", "creationTimestamp", "managedFields", "generation"} {
			delete(meta, of)
		}
	}
	if w.action == cluster.Delete {
		object = map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": object["metadata"]}
	}
	if isPod(object) {
		delete(object, "status")
		if spec, is := object["spec"].(map[string]any); is {
			delete(spec, "nodeName")
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		text = []byte(err.Error())
	}
	return fmt.Sprintf("%s %s", w.action, text)
}
