package compare

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay"
)

// Pair is both schedulers in one cluster. Ours leads: its queue says whose turn
// it is, and where it places a pod the other is told to place it too. Call Close
// when done.
type Pair struct {
	theirs *oracle.Oracle
	ours   *core.Scheduler
	world  *replay.Simulated
	tamper Tamper
	tally  *Tally

	step        int
	differences []Difference
}

// Tamper changes our answers before they are compared, which a test of the
// comparison needs. The zero value changes nothing.
type Tamper struct {
	Cycle func(*trace.Cycle)
	Hint  func(plugin string, queue bool) bool
}

// New is a pair in an empty cluster, run by a configuration (nil: the default)
// whose every plugin core judges with; see Judged.
func New(configuration []byte, start time.Time, tally *Tally) (*Pair, error) {
	c, err := config.Load(orDefault(configuration), "configuration")
	if err != nil {
		return nil, err
	}
	theirs, err := oracle.New(nil, oracle.Options{Configuration: configuration})
	if err != nil {
		return nil, err
	}
	ours := core.New(core.Options{
		Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start, Detail: trace.Full,
	})
	return &Pair{theirs: theirs, ours: ours, world: replay.NewSimulated(), tally: tally}, nil
}

// Close ends kube-scheduler's background activity.
func (p *Pair) Close() { p.theirs.Close() }

// Differences are those found so far.
func (p *Pair) Differences() []Difference { return p.differences }

// Steps is how many events and cycles there have been.
func (p *Pair) Steps() int { return p.step }

func (p *Pair) found(d Difference, theirs, ours string) {
	if theirs == ours {
		return
	}
	d.Step, d.Theirs, d.Ours = p.step, theirs, ours
	p.differences = append(p.differences, d)
}

// Deliver gives an event to both sides and compares what the plugins make of it
// for every waiting pod. What the default profile does not read is passed over. It
// returns what ours asks the world for.
func (p *Pair) Deliver(e cluster.Event) (effects []core.Effect, err error) {
	switch kind, known := cluster.KindOf(e.Object); {
	case !known, kind == cluster.KindPriorityClass, kind == cluster.KindPodGroup:
		return nil, nil
	}
	p.step++
	p.tally.Events++
	after := p.ours.State().Fork()
	changes := after.Apply(e)
	effects, facts := p.ours.Apply(e)
	if e.Action == cluster.Delete {
		err = p.theirs.Remove(e.Object)
	} else {
		err = p.theirs.Put(e.Object)
	}
	if err != nil {
		return nil, fmt.Errorf("step %d, %s: %w", p.step, e, err)
	}
	for i := range changes {
		if changes[i].Ignored == "" {
			p.labels(&changes[i], facts)
			p.hints(&changes[i], after)
		}
	}
	return effects, nil
}

// Cycle runs one cycle on both sides, if a pod of ours is ready. It returns what
// ours asks the world for.
func (p *Pair) Cycle() (effects []core.Effect, ok bool, err error) {
	effects, facts, ok := p.ours.Schedule()
	if !ok {
		return nil, false, nil
	}
	p.step++
	cycle, _ := trace.Fold(facts)
	if cycle.Ended != nil && cycle.Ended.Outcome == trace.SkippedScheduling {
		return effects, true, nil
	}
	pod, known := p.ours.State().Pod(cycle.Entity.Key())
	if !known {
		return nil, true, fmt.Errorf("step %d: pod %s: popped and not there", p.step, cycle.Entity.Key())
	}
	answer, err := p.theirs.Schedule(pod.API)
	if err != nil {
		return nil, true, fmt.Errorf("step %d: %w", p.step, err)
	}
	if p.tamper.Cycle != nil {
		p.tamper.Cycle(cycle)
	}
	c := Cycle{
		Theirs: answer, Ours: cycle, Filters: p.theirs.Plugins(cycle.Profile, "Filter"), Message: message(effects),
	}
	for _, d := range c.Compare(p.tally) {
		d.Step = p.step
		p.differences = append(p.differences, d)
	}
	if err := p.place(pod.API, facts); err != nil {
		return nil, true, err
	}
	return effects, true, p.nominate(pod.API, effects)
}

// gates is what our PreEnqueue plugins say of a pod.
func (p *Pair) gates(pod *cluster.Pod) map[string]trace.Verdict {
	gates := map[string]trace.Verdict{}
	if profile, ok := p.ours.Profile(pod.API.Spec.SchedulerName); ok {
		for _, plugin := range profile.PreEnqueue {
			gates[plugin.Name()] = plugin.PreEnqueue(pod, p.ours.State())
		}
	}
	return gates
}

// message is what the cycle reports about a pod it could not place.
func message(effects []core.Effect) string {
	for _, e := range effects {
		if r, ok := e.(core.Report); ok && r.Type == "Warning" {
			return r.Message
		}
	}
	return ""
}

// place has kube-scheduler assume the pod where ours did, unless the cycle took
// it back.
func (p *Pair) place(pod *corev1.Pod, facts []trace.Fact) error {
	node := ""
	for _, fact := range facts {
		switch f := fact.(type) {
		case trace.Assumed:
			node = f.Node
		case trace.Forgotten:
			node = ""
		}
	}
	if node == "" {
		return nil
	}
	if err := p.theirs.Assume(pod, node); err != nil {
		return fmt.Errorf("step %d: %w", p.step, err)
	}
	return nil
}

// nominate has kube-scheduler set nodes aside as ours does after a cycle.
func (p *Pair) nominate(pod *corev1.Pod, effects []core.Effect) error {
	for _, effect := range effects {
		e, ok := effect.(core.Nominate)
		if !ok || e.Pod.Key != cluster.Key(pod) {
			continue
		}
		nominated := pod.DeepCopy()
		nominated.Status.NominatedNodeName = e.Node
		if err := p.theirs.Put(nominated); err != nil {
			return fmt.Errorf("step %d: %w", p.step, err)
		}
	}
	return nil
}
