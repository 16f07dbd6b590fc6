package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

var configVersion = configv1.SchemeGroupVersion

// adapter is a hosted plugin at every extension point. A profile lists it at those that the plugin implements.
type adapter struct{ *guest }

var (
	_ framework.PreEnqueuePlugin = adapter{}
	_ framework.FilterPlugin     = adapter{}
	_ framework.PostFilterPlugin = adapter{}
	_ framework.ScorePlugin      = adapter{}
	_ framework.ReservePlugin    = adapter{}
	_ framework.PermitPlugin     = adapter{}
	_ framework.PreBindPlugin    = adapter{}
	_ framework.GuestBinder      = adapter{}
	_ framework.GuestFollower    = adapter{}
	_ queue.Sorter               = adapter{}
	_ hosted                     = adapter{}
)

func (a adapter) blueprint() *guest { return a.guest }

// Name is the plugin's.
func (a adapter) Name() string { return a.name }

// Found makes the home of all hosted plugins of the profiles.
func (a adapter) Found(profiles []*framework.Profile, around framework.Around) framework.Home {
	return found(profiles, around)
}

// homeOf is the home beside a State or a Snapshot.
func homeOf(c cluster.Companion) *home { return c.(*home) }

// asked is the plugin of an instance, which is about to be called for a pod.
func asked[T fwk.Plugin](i *instance, g *guest, pod *cluster.Pod) T {
	i.asked, i.pod, i.victims, i.waiting = g, pod, nil, nil
	return i.plugins[g].Plugin.(T)
}

// verdictOf is a status as a verdict.
func verdictOf(s *fwk.Status) trace.Verdict {
	v := trace.Verdict{Code: trace.Code(s.Code())}
	if s != nil && len(s.Reasons()) > 0 {
		v.Reasons = slices.Clone(s.Reasons())
	}
	return v
}

// statusOf is a verdict as a status; nil is success.
func statusOf(v trace.Verdict) *fwk.Status {
	switch v.Code {
	case trace.Success:
		return nil
	case trace.Error:
		return fwk.AsStatus(errors.New(v.Message()))
	}
	return fwk.NewStatus(fwk.Code(v.Code), slices.Clone(v.Reasons)...)
}

// PreEnqueue calls the plugin.
func (a adapter) PreEnqueue(pod *cluster.Pod, known *cluster.State) trace.Verdict {
	h := homeOf(known.Companion())
	api := h.infos.pod(pod)
	return ask(h, a.guest, framework.PreEnqueue, func(i *instance) trace.Verdict {
		return verdictOf(asked[fwk.PreEnqueuePlugin](i, a.guest, pod).PreEnqueue(i.ctx, api))
	}, brokenVerdict)
}

// Less is the plugin's order.
func (a adapter) Less(x, y *queue.Item) bool { return a.less(x, y) }

// queued is an item of the queue as plugins know it.
func queued(item *queue.Item) fwk.QueuedEntityInfo {
	params := schedulerframework.QueueingParams{
		Timestamp: item.Since, Attempts: item.Attempts, BackoffExpiration: item.BackoffUntil,
		UnschedulableCount: item.UnschedulableCount, ConsecutiveErrorsCount: item.ErrorCount,
		UnschedulablePlugins: sets.New(item.Rejectors...), PendingPlugins: sets.New(item.Pending...),
		GatingPlugin: item.Gate,
	}
	if first := item.FirstAttempt; !first.IsZero() {
		params.InitialAttemptTimestamp = &first
	}
	pod := &corev1.Pod{}
	if item.Pod != nil {
		pod = identified(item.Pod.API)
	}
	return &schedulerframework.QueuedPodInfo{PodInfo: podInfo(pod), QueueingParams: params}
}

// PreFilter calls the plugin, if the profile lists it there.
func (a adapter) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	h := homeOf(snapshot.Companion())
	c := a.check(h, pod)
	if !a.preFilter || !h.lists(a.guest, framework.PreFilter) {
		return framework.Study{Check: c}
	}
	type answer struct {
		Verdict trace.Verdict
		Nodes   []string
	}
	api, uid := h.infos.pod(pod), pod.UID()
	got := ask(h, a.guest, framework.PreFilter, func(i *instance) answer {
		p := asked[fwk.PreFilterPlugin](i, a.guest, pod)
		result, status := p.PreFilter(i.ctx, i.state(uid, 0), api, i.lister.nodes)
		answered := answer{Verdict: verdictOf(status)}
		if !result.AllNodes() {
			answered.Nodes = sets.List(result.NodeNames)
			if answered.Nodes == nil {
				answered.Nodes = []string{}
			}
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	study := framework.Study{Verdict: got.Verdict}
	if got.Verdict.OK() {
		study.Nodes = got.Nodes
	}
	if got.Verdict.OK() || got.Verdict.Code.Rejects() {
		study.Check = c
	}
	return study
}

// check judges nodes for a pod.
func (a adapter) check(h *home, pod *cluster.Pod) framework.Check {
	if !slices.Contains(a.points, framework.Filter) {
		return nil
	}
	c := hostedCheck{home: h, guest: a.guest, pod: pod}
	if a.extended {
		return disturbable{c}
	}
	return c
}

// hostedCheck is a Check that calls a plugin's Filter with the state of the attempt, or one derived from it.
type hostedCheck struct {
	home    *home
	guest   *guest
	pod     *cluster.Pod
	derived int // 0: the state of the attempt
	failed  trace.Verdict
}

// Filter calls the plugin.
func (c hostedCheck) Filter(node *cluster.Node) trace.Verdict {
	if !c.failed.OK() {
		return c.failed
	}
	api, info, uid := c.home.infos.pod(c.pod), c.home.infos.find(node), c.pod.UID()
	return ask(c.home, c.guest, framework.Filter, func(i *instance) trace.Verdict {
		return verdictOf(asked[fwk.FilterPlugin](i, c.guest, c.pod).Filter(i.ctx, i.state(uid, c.derived), api, info))
	}, brokenVerdict)
}

// Aside has a state of its own, in which the plugin studies the pod once more: a copy may share what Filter writes.
func (c hostedCheck) Aside() framework.Check { return c.aside() }

func (c hostedCheck) aside() hostedCheck {
	if !c.failed.OK() {
		return c
	}
	next, uid, api := c, c.pod.UID(), c.home.infos.pod(c.pod)
	studies := c.guest.preFilter && c.home.lists(c.guest, framework.PreFilter)
	c.home.states++
	next.derived = c.home.states
	next.failed = ask(c.home, c.guest, framework.PreFilter, func(i *instance) trace.Verdict {
		i.state(uid, 0)
		state := schedulerframework.NewCycleState()
		i.states[uid].derived[next.derived] = state
		if !studies {
			return trace.Verdict{}
		}
		_, status := asked[fwk.PreFilterPlugin](i, c.guest, c.pod).PreFilter(i.ctx, state, api, i.lister.nodes)
		if status.IsRejected() { // its Filter is asked all the same, as preemption asks it
			return trace.Verdict{}
		}
		return verdictOf(status)
	}, brokenVerdict)
	return next
}

// disturbable is a hostedCheck of a plugin with PreFilterExtensions.
type disturbable struct{ hostedCheck }

// Aside has a state of its own.
func (d disturbable) Aside() framework.Check { return disturbable{d.aside()} }

// With informs a copy of the state of a pod more.
func (d disturbable) With(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return d.disturbed(pod, node, func(
		e fwk.PreFilterExtensions, i *instance, s fwk.CycleState, to *corev1.Pod, p fwk.PodInfo, n fwk.NodeInfo,
	) *fwk.Status {
		return e.AddPod(i.ctx, s, to, p, n)
	})
}

// Without informs a copy of the state of a pod less.
func (d disturbable) Without(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return d.disturbed(pod, node, func(
		e fwk.PreFilterExtensions, i *instance, s fwk.CycleState, to *corev1.Pod, p fwk.PodInfo, n fwk.NodeInfo,
	) *fwk.Status {
		return e.RemovePod(i.ctx, s, to, p, n)
	})
}

func (d disturbable) disturbed(
	pod *cluster.Pod, node *cluster.Node,
	call func(fwk.PreFilterExtensions, *instance, fwk.CycleState, *corev1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status,
) framework.Check {
	if !d.failed.OK() {
		return d
	}
	h := d.home
	h.states++
	next := d
	next.derived = h.states
	to, other := h.infos.pod(d.pod), podInfo(h.infos.pod(pod))
	info, uid := h.infos.find(node), d.pod.UID()
	next.failed = ask(h, d.guest, framework.PreFilter, func(i *instance) trace.Verdict {
		p := asked[fwk.PreFilterPlugin](i, d.guest, d.pod)
		state := i.state(uid, d.derived).Clone()
		i.states[uid].derived[next.derived] = state
		return verdictOf(call(p.PreFilterExtensions(), i, state, to, other, info))
	}, brokenVerdict)
	return next
}

// PostFilter calls the plugin. The pods that it deletes are its victims.
func (a adapter) PostFilter(question framework.PostFilterAsk) framework.PostFilterAnswer {
	h := homeOf(question.Snapshot.Companion())
	statuses := map[string]*fwk.Status{}
	for k, node := range question.Snapshot.Nodes {
		if v := question.Statuses(k); !v.OK() {
			s := statusOf(v)
			s.SetPlugin(question.RejectedBy(k))
			statuses[node.Name] = s
		}
	}
	type answer struct {
		Verdict trace.Verdict
		Change  bool
		Node    string
		Victims []string
	}
	api, uid := h.infos.pod(question.Pod), question.Pod.UID()
	j := &judging{question}
	got := ask(h, a.guest, framework.PostFilter, func(i *instance) answer {
		p := asked[fwk.PostFilterPlugin](i, a.guest, question.Pod)
		if _, live := i.source.(recorder); live {
			i.judging = j
			defer func() { i.judging = nil }()
		}
		absent := fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
		result, status := p.PostFilter(
			i.ctx, i.state(uid, 0), api, schedulerframework.NewNodeToStatus(statuses, absent))
		bubbleWait() // evictions that kube-scheduler would make beside the cycle
		answered := answer{Verdict: verdictOf(status), Victims: i.takeVictims()}
		if result != nil && result.Mode() == fwk.ModeOverride {
			answered.Change, answered.Node = true, result.NominatedNodeName
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	out := framework.PostFilterAnswer{
		Verdict: got.Verdict, Nomination: framework.Nomination{Change: got.Change, Node: got.Node},
	}
	state := h.around.State()
	for _, key := range got.Victims {
		if p, assumed := state.Assumed(key); assumed {
			out.Victims = append(out.Victims, p)
		} else if p, there := state.Pod(key); there {
			out.Victims = append(out.Victims, p)
		}
	}
	if len(out.Victims) > 0 { // the events about them are the scheduler's
		h.acts = slices.DeleteFunc(h.acts, func(act framework.Act) bool {
			r, is := act.(framework.RecordEvent)
			return is && r.Reason == "Preempted" && slices.Contains(got.Victims, r.Pod.Key)
		})
	}
	return out
}

// takeVictims takes the pods that were deleted in the call.
func (i *instance) takeVictims() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	victims := i.victims
	i.victims = nil
	return victims
}

// PreScore calls the plugin, if the profile lists it there.
func (a adapter) PreScore(
	pod *cluster.Pod, snapshot *cluster.Snapshot, feasible []*cluster.Node,
) framework.Scoring {
	h := homeOf(snapshot.Companion())
	s := &scorer{home: h, guest: a.guest, pod: pod}
	if !a.preScore || !h.lists(a.guest, framework.PreScore) {
		return framework.Scoring{Scorer: s}
	}
	api, uid, nodes := h.infos.pod(pod), pod.UID(), h.infos.list(feasible)
	verdict := ask(h, a.guest, framework.PreScore, func(i *instance) trace.Verdict {
		return verdictOf(asked[fwk.PreScorePlugin](i, a.guest, pod).PreScore(i.ctx, i.state(uid, 0), api, nodes))
	}, brokenVerdict)
	if !verdict.OK() {
		return framework.Scoring{Verdict: verdict}
	}
	return framework.Scoring{Verdict: verdict, Scorer: s}
}

// scorer calls a plugin's Score.
type scorer struct {
	home  *home
	guest *guest
	pod   *cluster.Pod
}

// Score calls the plugin about each node, until it fails.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	type answer struct {
		Verdict trace.Verdict
		Scores  []int64
	}
	api, uid, list := s.home.infos.pod(s.pod), s.pod.UID(), s.home.infos.list(nodes)
	got := ask(s.home, s.guest, framework.Score, func(i *instance) answer {
		p := asked[fwk.ScorePlugin](i, s.guest, s.pod)
		answered := answer{Scores: make([]int64, len(list))}
		for k, info := range list {
			score, status := p.Score(i.ctx, i.state(uid, 0), api, info)
			if !status.IsSuccess() {
				answered.Verdict = verdictOf(status)
				break
			}
			answered.Scores[k] = score
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	copy(raw, got.Scores)
	return got.Verdict
}

// Normalize calls the plugin, if it normalises.
func (s *scorer) Normalize(nodes []*cluster.Node, scores []int64) trace.Verdict {
	if !s.guest.normal {
		return trace.Verdict{}
	}
	type answer struct {
		Verdict trace.Verdict
		Scores  []int64
	}
	api, uid := s.home.infos.pod(s.pod), s.pod.UID()
	names, before := make([]string, len(nodes)), slices.Clone(scores)
	for k, node := range nodes {
		names[k] = node.Name
	}
	got := ask(s.home, s.guest, framework.Score, func(i *instance) answer {
		list := make(fwk.NodeScoreList, len(names))
		for k := range list {
			list[k] = fwk.NodeScore{Name: names[k], Score: before[k]}
		}
		e := asked[fwk.ScorePlugin](i, s.guest, s.pod).ScoreExtensions()
		answered := answer{Verdict: verdictOf(e.NormalizeScore(i.ctx, i.state(uid, 0), api, list))}
		for _, n := range list {
			answered.Scores = append(answered.Scores, n.Score)
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	copy(scores, got.Scores)
	return got.Verdict
}

// Reserve calls the plugin.
func (a adapter) Reserve(question framework.ReserveAsk) framework.Reservation {
	h := homeOf(question.Known.Companion())
	return framework.Reservation{Verdict: a.onNode(h, framework.Reserve, question.Pod, question.Node.Name,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			return asked[fwk.ReservePlugin](i, a.guest, question.Pod).Reserve(i.ctx, state, api, node)
		})}
}

// Unreserve calls the plugin.
func (a adapter) Unreserve(question framework.BindAsk) []framework.Write {
	h := homeOf(question.Known.Companion())
	a.onNode(h, framework.Reserve, question.Pod, question.Node,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			asked[fwk.ReservePlugin](i, a.guest, question.Pod).Unreserve(i.ctx, state, api, node)
			return nil
		})
	return nil
}

// onNode calls the plugin about a pod on its node.
func (a adapter) onNode(
	h *home, point framework.Point, pod *cluster.Pod, node string,
	call func(*instance, fwk.CycleState, *corev1.Pod, string) *fwk.Status,
) trace.Verdict {
	api, uid := h.infos.pod(pod), pod.UID()
	return ask(h, a.guest, point, func(i *instance) trace.Verdict {
		return verdictOf(call(i, i.state(uid, 0), api, node))
	}, brokenVerdict)
}

// Permit calls the plugin.
func (a adapter) Permit(question framework.PermitAsk) framework.PermitAnswer {
	h := homeOf(question.Known.Companion())
	api, uid := h.infos.pod(question.Pod), question.Pod.UID()
	return ask(h, a.guest, framework.Permit, func(i *instance) framework.PermitAnswer {
		p := asked[fwk.PermitPlugin](i, a.guest, question.Pod)
		status, timeout := p.Permit(i.ctx, i.state(uid, 0), api, question.Node)
		return framework.PermitAnswer{Verdict: verdictOf(status), Timeout: timeout}
	}, func(said string) framework.PermitAnswer { return framework.PermitAnswer{Verdict: brokenVerdict(said)} })
}

// PreFlight calls the plugin.
func (a adapter) PreFlight(question framework.BindAsk) trace.Verdict {
	h := homeOf(question.Known.Companion())
	return a.onNode(h, framework.PreBind, question.Pod, question.Node,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			_, status := asked[fwk.PreBindPlugin](i, a.guest, question.Pod).PreBindPreFlight(i.ctx, state, api, node)
			return status
		})
}

// workKey is a plugin's PreBind of one pod.
type workKey struct {
	guest *guest
	uid   string
}

// work is a PreBind under way.
type work struct {
	status *fwk.Status
	done   bool
	cancel context.CancelFunc
}

// PreBind begins the plugin's work, and looks after it until it is done: every tenth of a second for two seconds, then
// every second.
func (a adapter) PreBind(question framework.BindAsk) framework.PreBound {
	h := homeOf(question.Known.Companion())
	api, uid := h.infos.pod(question.Pod), question.Pod.UID()
	type answer struct {
		Verdict trace.Verdict
		Done    bool
	}
	got := ask(h, a.guest, framework.PreBind, func(i *instance) answer {
		p := asked[fwk.PreBindPlugin](i, a.guest, question.Pod)
		w := i.works[workKey{a.guest, uid}]
		if question.Round == 0 {
			if w != nil {
				w.cancel()
			}
			w = i.work(p, i.state(uid, 0), api, question.Node)
			i.works[workKey{a.guest, uid}] = w
		}
		bubbleWait()
		if !w.done {
			return answer{}
		}
		delete(i.works, workKey{a.guest, uid})
		return answer{verdictOf(w.status), true}
	}, func(said string) answer { return answer{brokenVerdict(said), true} })
	if got.Done {
		return framework.PreBound{Verdict: got.Verdict}
	}
	again := question.Now.Add(time.Second)
	if question.Now.Sub(question.Since) < 2*time.Second {
		again = question.Now.Add(100 * time.Millisecond)
	}
	return framework.PreBound{Verdict: trace.Verdict{Code: trace.Wait}, Again: again}
}

// work runs a PreBind beside the calls.
func (i *instance) work(p fwk.PreBindPlugin, state fwk.CycleState, api *corev1.Pod, node string) *work {
	ctx, cancel := context.WithCancel(i.ctx)
	w := &work{cancel: cancel}
	go func() {
		defer func() {
			if r := recover(); r != nil {
				w.status = fwk.NewStatus(fwk.Error, fmt.Sprintf("it panicked: %v", r))
			}
			w.done = true
			cancel()
		}()
		w.status = p.PreBind(ctx, state, api, node)
	}()
	return w
}

// Bind is BindGuest for a caller without the scheduler.
func (a adapter) Bind(*cluster.Pod, string) trace.Verdict {
	return brokenVerdict("it is asked through BindGuest")
}

// BindGuest calls the plugin, which makes a Binding through its client.
func (a adapter) BindGuest(question framework.BindAsk) trace.Verdict {
	h := homeOf(question.Known.Companion())
	return a.onNode(h, framework.Bind, question.Pod, question.Node,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			p := asked[fwk.BindPlugin](i, a.guest, question.Pod)
			delete(i.binds, question.Pod.Key)
			status := p.Bind(i.ctx, state, api, node)
			on, bound := i.binds[question.Pod.Key]
			switch {
			case !status.IsSuccess():
				return status
			case !bound:
				return fwk.NewStatus(fwk.Error, "it succeeded and made no Binding")
			case on != node:
				return fwk.NewStatus(fwk.Error, "it bound the pod to "+on+", which was to be on "+node)
			}
			return nil
		})
}

// PostBind is PostBindGuest for a caller without the scheduler.
func (a adapter) PostBind(*cluster.Pod, string) {}

// PostBindGuest calls the plugin.
func (a adapter) PostBindGuest(question framework.BindAsk) {
	h := homeOf(question.Known.Companion())
	a.onNode(h, framework.PostBind, question.Pod, question.Node,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			asked[fwk.PostBindPlugin](i, a.guest, question.Pod).PostBind(i.ctx, state, api, node)
			return nil
		})
}

// waking is an adapter of a plugin that lists its events.
type waking struct{ adapter }

// Hints are the plugin's.
func (w waking) Hints() []queue.Hint {
	hints := make([]queue.Hint, len(w.events))
	for k, e := range w.events {
		hints[k] = queue.Hint{
			Event: cluster.ClusterEvent{
				Resource: cluster.Resource(e.Resource), Action: cluster.ActionType(e.ActionType),
			},
			Helps: w.helps(k),
		}
	}
	return hints
}

// helps calls the hint of one event.
func (w waking) helps(event int) func(*cluster.Pod, *cluster.Change, *cluster.State) (bool, error) {
	type answer struct {
		Helps bool
		Err   string
	}
	return func(pod *cluster.Pod, change *cluster.Change, known *cluster.State) (bool, error) {
		h := homeOf(known.Companion())
		api := h.infos.pod(pod)
		before, after := sides(change)
		got := ask(h, w.guest, "QueueingHint", func(i *instance) answer {
			asked[fwk.EnqueueExtensions](i, w.guest, pod)
			e := i.plugins[w.guest].events[event]
			helps, err := helped(i, e, api, before, after)
			if err != nil {
				return answer{true, err.Error()}
			}
			return answer{Helps: helps}
		}, func(said string) answer { return answer{true, said} })
		if got.Err != "" {
			return true, errors.New(got.Err)
		}
		return got.Helps, nil
	}
}

// sides are the objects of a change, as hints get them: nil where there is none.
func sides(change *cluster.Change) (before, after any) {
	if change.Old != nil {
		before = shown(change.Old)
	}
	if change.New != nil && change.Action != cluster.Delete {
		after = shown(change.New)
	}
	return before, after
}

func shown(o cluster.Object) any {
	if pod, is := o.(*corev1.Pod); is {
		return identified(pod)
	}
	return o
}

func helped(i *instance, e fwk.ClusterEventWithHint, pod *corev1.Pod, before, after any) (bool, error) {
	if e.PreQueueingHintFn != nil && (before != nil || after != nil) {
		some, err := e.PreQueueingHintFn(i.logger, before, after)
		name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
		if err == nil && !some.AllPods && !slices.Contains(some.Pods, name) {
			return false, nil
		}
	}
	if e.QueueingHintFn == nil {
		return true, nil
	}
	hint, err := e.QueueingHintFn(i.logger, pod, before, after)
	return hint == fwk.Queue, err
}

// signing is an adapter of a plugin that signs pods.
type signing struct{ adapter }

// Sign calls the plugin.
func (s signing) Sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	return sign(s.guest, pod, known)
}

type wakingSigner struct{ waking }

// Sign calls the plugin.
func (s wakingSigner) Sign(pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	return sign(s.guest, pod, known)
}

func sign(g *guest, pod *cluster.Pod, known *cluster.State) ([]framework.Part, trace.Verdict) {
	type answer struct {
		Parts   []framework.Part
		Verdict trace.Verdict
	}
	h := homeOf(known.Companion())
	api := h.infos.pod(pod)
	got := ask(h, g, "SignPod", func(i *instance) answer {
		fragments, status := asked[fwk.SignPlugin](i, g, pod).SignPod(i.ctx, api)
		answered := answer{Verdict: verdictOf(status)}
		for _, f := range fragments {
			text, err := json.Marshal(f.Value)
			if err != nil {
				return answer{Verdict: brokenVerdict(err.Error())}
			}
			answered.Parts = append(answered.Parts, framework.Part{Name: f.Key, Value: string(text)})
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	return got.Parts, got.Verdict
}
