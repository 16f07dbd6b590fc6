package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Drain is how nodes are drained. The zero value evicts pod by pod and loses nothing.
type Drain struct {
	Nodes      []string // in the order in which they are drained
	AtOnce     bool     // all pods of a node at once, as kubectl drain does it
	Force      bool     // pods without a controller too, which are lost
	EmptyDir   bool     // pods with an emptyDir too, whose data is lost
	before     []request.Request
	unlocksOff bool
}

// retryEviction is how long kubectl drain waits before it sends an eviction again (kubectl 1.37, pkg/drain).
const retryEviction = 5 * time.Second

// meantNode is a question for the node that was meant by a name.
func (f *Fleet) meantNode(name string) phrase.Phrase {
	return spelling.HintName(name, f.Player.Scheduler().State().Snapshot().Names)
}

// Drain runs a drain: first with every part of it certain, then with pods that take no time and four times as long, and
// with other draws of the scheduler, so that what chance or time decides is named. progress (may be nil) is called with
// the number of runs.
func (f *Fleet) Drain(ctx context.Context, d Drain, progress func(runs int)) (Plan, error) {
	for _, n := range d.Nodes {
		if _, is := f.Player.Scheduler().State().Node(n); !is {
			return Plan{}, phrase.Errorf("there is no node %q here%s", n, f.meantNode(n))
		}
	}
	count := func(p *Plan) {
		if p.Runs++; progress != nil {
			progress(p.Runs)
		}
	}
	first := f.drainOnce(ctx, d, 1, 0)
	if ctx.Err() != nil {
		return Plan{}, ctx.Err() // a run that was stopped shows nothing
	}
	count(&first)
	otherRuns(trialsOf(len(first.Steps)), first.hasTie, func(times int, seed uint64, because Sure) (isNew, goOn bool) {
		other := f.drainOnce(ctx, d, times, seed)
		if ctx.Err() != nil {
			return false, false
		}
		count(&first)
		return first.weaken(&other, because), true
	})
	if ctx.Err() != nil {
		return first, ctx.Err()
	}
	if first.Verdict != Done && !d.unlocksOff {
		f.unlock(ctx, d, &first, func(d Drain) Plan { return f.drainOnce(ctx, d, 1, 0) }, count)
	}
	return first, ctx.Err()
}

// listed are names with spaces between them: all of them where they are few, else the first ones and how many there
// are.
func listed(names []string) string {
	const most, shown = 8, 3
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s ... (%d)", strings.Join(names[:shown], " "), len(names))
}

// drainOnce is one run.
func (f *Fleet) drainOnce(ctx context.Context, d Drain, times int, seed uint64) Plan {
	r := f.begin(ctx, times, seed)
	out := Plan{Goal: "drain " + listed(d.Nodes), Verdict: Done, Assumed: r.manager.Assumed()}
	out.Before = r.without()
	for _, q := range d.before {
		if err := r.send(q); err != nil {
			out.step(r, q).Refused = blockOf(q.On.Key(), err)
			out.Verdict = Blocked
			return out
		}
		r.settle()
	}
	r.slack = map[string]int{}
	out.cordon(r, d.Nodes...)
	for _, n := range d.Nodes {
		out.drainNode(r, d, n)
	}
	out.finish(r)
	return out
}

// finish works out what is left at the end of a run.
func (p *Plan) finish(r *run) {
	r.settle()
	if p.Steps == nil {
		p.Steps = []Step{}
	}
	p.end(r)
	p.Pending = minus(r.without(), p.Before)
	p.Denied = r.denied()
	p.Budgets, p.Preempts, p.Seconds = r.budgets(), r.gone, r.seconds()
	p.raced, p.course = r.raced, r.taken()
	for i := range p.Steps {
		s := &p.Steps[i]
		p.Moves.Found += len(s.Moves)
		if s.Refused != nil {
			p.Verdict = Blocked
		}
	}
	if p.Verdict == Done && (len(p.Pending) > 0 || Unmade(p.Denied) > 0) {
		p.Verdict = Pending
	}
}

// step adds a step.
func (p *Plan) step(r *run, q request.Request) *Step {
	p.Steps = append(p.Steps, Step{
		N: len(p.Steps) + 1, Kubectl: q.Kubectl(), At: r.seconds(), Tries: 1, command: course.CommandOf(&q),
	})
	r.course.Step(len(p.Steps), q)
	return &p.Steps[len(p.Steps)-1]
}

// blockOf is the refusal of a request about an object.
func blockOf(object string, err error) *Block {
	b := &Block{Code: "refused", Object: object, Message: phrase.OfError(err)}
	var refused *request.Refused
	if errors.As(err, &refused) {
		if refused.Again() {
			b.Code = "budget"
		} else if strings.Contains(refused.Message, "more than one PodDisruptionBudget") {
			b.Code = "two-budgets"
		}
		if refused.Cause != "" {
			b.Message = phrase.Verbatim(refused.Cause)
		}
	}
	return b
}

// drainNode evicts what is on a node.
func (p *Plan) drainNode(r *run, d Drain, name string) {
	pods, whole := p.gather(r, d, name)
	if !whole {
		return
	}
	r.order(pods)
	if d.AtOnce {
		p.evictAtOnce(r, pods, d.commands(name))
		return
	}
	p.evictOneByOne(r, pods)
}

// gather are the pods of a node that a drain evicts. As kubectl drain does it, a node with a pod that must not be
// evicted keeps all: whole is false, and the step that is refused is in the plan.
func (p *Plan) gather(r *run, d Drain, name string) (pods []*corev1.Pod, whole bool) {
	node, is := r.state().Node(name)
	if !is {
		return nil, false
	}
	var kept *Block
	for _, on := range node.Pods {
		stays, block := filter(on.API, d)
		switch {
		case stays != "":
			p.Stays = append(p.Stays, Stay{on.Key, stays})
		case block != nil:
			kept = block
			p.Stays = append(p.Stays, Stay{on.Key, block.Message})
		default:
			pods = append(pods, on.API)
		}
	}
	p.Moves.AtLeast += len(pods)
	if kept != nil {
		s := p.step(r, request.Remark(phrase.Textf("drain %s", name)))
		s.Refused = kept
		r.course.Refuse(kept.Message)
		return nil, false
	}
	return pods, true
}

// filter is why a drain leaves a pod where it is, or refuses the node for it (kubectl 1.37, pkg/drain/filters.go).
func filter(pod *corev1.Pod, d Drain) (stays phrase.Text, refuses *Block) {
	key := cluster.Key(pod)
	if cluster.Finished(pod) {
		return "", nil
	}
	c := metav1.GetControllerOf(pod)
	switch _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; {
	case pod.DeletionTimestamp != nil:
		return "it is being deleted", nil
	case c != nil && c.Kind == "DaemonSet":
		return "DaemonSet", nil
	case mirror:
		return "static pod", nil
	case c == nil && !d.Force:
		return "", &Block{"unmanaged", key, "no controller makes it again (--force)"}
	}
	local := slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil })
	if local && !d.EmptyDir {
		return "", &Block{"local-storage", key, "the data of its emptyDir would be lost (--delete-emptydir-data)"}
	}
	return "", nil
}

// order sorts pods for evictions one by one: first those under no budget, then by the slack of their budget, the
// highest first; of a StatefulSet the highest ordinal first; those of Jobs last.
func (r *run) order(pods []*corev1.Pod) {
	slack := map[string]int32{}
	for _, p := range pods {
		least := int32(1 << 30)
		for _, b := range request.BudgetsOf(manager.ObjectsOf(r.p), p) {
			least = min(least, b.Status.DisruptionsAllowed)
		}
		slack[cluster.Key(p)] = least
	}
	rank := func(p *corev1.Pod) int {
		if c := metav1.GetControllerOf(p); c != nil && c.Kind == string(owner.KindJob) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)), cmp.Compare(slack[cluster.Key(b)], slack[cluster.Key(a)]),
			cmp.Compare(ordinal(b), ordinal(a)), cmp.Compare(cluster.Key(a), cluster.Key(b)),
		)
	})
}

// ordinal is the number of a pod of a StatefulSet; -1 of others.
func ordinal(p *corev1.Pod) int {
	c := metav1.GetControllerOf(p)
	if c == nil || c.Kind != string(cluster.KindStatefulSet) {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(p.Name, c.Name+"-"))
	if err != nil {
		return -1
	}
	return n
}

// evictOneByOne evicts a pod when the replacement of the one before is Ready. One that is refused comes again after the
// others; when a whole round is refused and nothing is left to happen, it is blocked.
func (p *Plan) evictOneByOne(r *run, pods []*corev1.Pod) {
	tries := map[string]int{}
	for len(pods) > 0 && r.ctx.Err() == nil {
		var refused []*corev1.Pod
		reasons := map[string]error{}
		for _, pod := range pods {
			key := cluster.Key(pod)
			if live, is := r.state().Pod(key); !is || live.API.UID != pod.UID || live.API.DeletionTimestamp != nil {
				continue // it went by itself
			}
			tries[key]++
			q, at := request.Evict(pod.Namespace, pod.Name), r.now()
			if err := r.send(q); err != nil {
				refused, reasons[key] = append(refused, pod), err
				continue
			}
			s := p.step(r, q)
			s.Pod, s.Tries = key, tries[key]
			r.settle()
			p.moved(r, len(p.Steps)-1, pod, at)
		}
		if len(refused) == len(pods) {
			for _, pod := range refused {
				key := cluster.Key(pod)
				s := p.step(r, request.Evict(pod.Namespace, pod.Name))
				s.Pod, s.Tries, s.Refused = key, tries[key], blockOf(key, reasons[key])
			}
			return
		}
		pods = refused
	}
}

// patience is how long a drain goes on when every eviction is refused though something still happens: other pods may
// wait for ever, and each try of theirs is an event. kubectl drain goes on for ever.
const patience = 15 * time.Minute

// evictAtOnce evicts all pods of a node, and those that are refused again each 5 s as long as something happens, and no
// longer than patience.
func (p *Plan) evictAtOnce(r *run, pods []*corev1.Pod, commands []string) {
	from := len(p.Steps)
	tries, began := map[string]int{}, map[int]time.Time{}
	of := map[int]*corev1.Pod{}
	reasons, accepted := map[string]error{}, r.now()
	for len(pods) > 0 && r.ctx.Err() == nil {
		var refused []*corev1.Pod
		for _, pod := range pods {
			key := cluster.Key(pod)
			tries[key]++
			q := request.Evict(pod.Namespace, pod.Name)
			if live, is := r.state().Pod(key); !is || live.API.UID != pod.UID || live.API.DeletionTimestamp != nil {
				continue
			}
			if err := r.send(q); err != nil {
				refused, reasons[key] = append(refused, pod), err
				continue
			}
			s := p.step(r, q)
			s.Pod, s.Tries = key, tries[key]
			began[len(p.Steps)-1], of[len(p.Steps)-1] = r.now(), pod
		}
		if len(refused) < len(pods) {
			accepted = r.now()
		}
		_, goesOn := r.p.NextSent()
		if len(refused) == len(pods) && (!goesOn || r.now().Sub(accepted) >= patience) {
			for _, pod := range refused {
				key := cluster.Key(pod)
				s := p.step(r, request.Evict(pod.Namespace, pod.Name))
				s.Pod, s.Tries, s.Refused = key, tries[key], blockOf(key, reasons[key])
			}
			break
		}
		if pods = refused; len(pods) > 0 {
			r.wait(r.now().Add(retryEviction))
		}
	}
	r.settle()
	for i := range p.Steps {
		if pod := of[i]; pod != nil {
			p.moved(r, i, pod, began[i])
		}
		if i >= from {
			p.Steps[i].With = commands
		}
	}
}

// commands are those of kubectl that drain nodes at the same time.
func (d *Drain) commands(nodes ...string) []string {
	flags := " --ignore-daemonsets"
	if d.Force {
		flags += " --force"
	}
	if d.EmptyDir {
		flags += " --delete-emptydir-data"
	}
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = "kubectl drain " + n + flags
	}
	return all
}

// moved adds to a step where the successor of its pod is.
func (p *Plan) moved(r *run, step int, pod *corev1.Pod, at time.Time) {
	m := Move{Pod: cluster.Key(pod), Owner: ownerName(pod), From: pod.Spec.NodeName, Sure: certain, Away: -1}
	p.Steps[step].From = m.From
	b := r.successor(pod, at.UnixNano())
	if b == nil {
		if metav1.GetControllerOf(pod) == nil {
			p.Stays = append(p.Stays, Stay{m.Pod, "it is lost: no controller makes it again"})
			return
		}
		// its controller waits, as a StatefulSet does behind a pod that is not Ready, or has ended
		p.Steps[step].Moves = append(p.Steps[step].Moves, m)
		if p.Verdict == Done {
			p.Verdict = Pending
		}
		return
	}
	m.Pod, m.birth, m.at = b.key, b, at
	m.comes()
	p.Steps[step].Moves = append(p.Steps[step].Moves, m)
}

// comes takes over where the pod has come to by now.
func (m *Move) comes() {
	b := m.birth
	m.To, m.Among, m.ends = b.node, b.mayComeTo(b.node), b.node
	if b.tied {
		m.Sure = tie
	}
	if !b.ready.IsZero() {
		m.Away = b.ready.Sub(m.at).Seconds()
	}
}

// end takes over where the pods are at the end: one that waited may have a node since, and one may have had to go.
func (p *Plan) end(r *run) {
	for i := range p.Steps {
		for k := range p.Steps[i].Moves {
			m := &p.Steps[i].Moves[k]
			if m.birth != nil && m.To == "" && m.birth.node != "" {
				m.comes()
				m.Late = true
			}
			if now, live := r.state().Pod(m.Pod); live {
				m.ends = now.NodeName
			} else {
				m.ends = ""
			}
		}
	}
}
