package host

import (
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
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
	_ framework.GuestGatherer    = adapter{}

	_ framework.PlacementGeneratePlugin  = adapter{}
	_ framework.PlacementScorePlugin     = adapter{}
	_ framework.PodGroupPostFilterPlugin = adapter{}
	_ queue.Sorter                       = adapter{}
	_ framework.Reader                   = adapter{}
	_ hosted                             = adapter{}
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

// asked returns the plugin of an instance, and notes that it is about to be called for a pod.
func asked[T fwk.Plugin](i *instance, g *guest, pod *cluster.Pod) T {
	i.asked, i.pod, i.waiting = g, pod, nil
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
		state := i.state(uid, c.derived)
		status := asked[fwk.FilterPlugin](i, c.guest, c.pod).Filter(i.ctx, state, api, info)
		return i.rejected(c.guest, status, state, api, info)
	}, brokenVerdict)
}

// Aside calls the plugin of a fork. Where there is none, it has a state of its own, in which the plugin studies the pod
// once more: a copy may share what Filter writes.
func (c hostedCheck) Aside() framework.Check { return c.aside() }

func (c hostedCheck) aside() hostedCheck {
	if !c.failed.OK() {
		return c
	}
	if fork, is := c.home.apart(); is {
		c.home = fork
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

// Aside is that of the check.
func (d disturbable) Aside() framework.Check { return disturbable{d.aside()} }

// With informs a copy of the state of a pod more.
func (d disturbable) With(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return d.disturbed("AddPod", pod, node, func(
		e fwk.PreFilterExtensions, i *instance, s fwk.CycleState, to *corev1.Pod, p fwk.PodInfo, n fwk.NodeInfo,
	) *fwk.Status {
		return e.AddPod(i.ctx, s, to, p, n)
	})
}

// Without informs a copy of the state of a pod less.
func (d disturbable) Without(pod *cluster.Pod, node *cluster.Node) framework.Check {
	return d.disturbed("RemovePod", pod, node, func(
		e fwk.PreFilterExtensions, i *instance, s fwk.CycleState, to *corev1.Pod, p fwk.PodInfo, n fwk.NodeInfo,
	) *fwk.Status {
		return e.RemovePod(i.ctx, s, to, p, n)
	})
}

func (d disturbable) disturbed(
	method string, pod *cluster.Pod, node *cluster.Node,
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
	next.failed = askMethod(h, d.guest, framework.PreFilter, method, func(i *instance) trace.Verdict {
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
	j := &judging{snapshot: question.Snapshot, checks: question.Judge.Checks}
	got := ask(h, a.guest, framework.PostFilter, func(i *instance) answer {
		p, before := asked[fwk.PostFilterPlugin](i, a.guest, question.Pod), i.deletions()
		if _, live := i.source.(recorder); live {
			i.judging = j
			defer func() { i.judging = nil }()
		}
		absent := fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
		result, status := p.PostFilter(
			i.ctx, i.state(uid, 0), api, schedulerframework.NewNodeToStatus(statuses, absent))
		bubbleWait() // evictions that kube-scheduler would make beside the cycle
		answered := answer{Verdict: verdictOf(status), Victims: i.takeVictims(before)}
		if result != nil && result.Mode() == fwk.ModeOverride {
			answered.Change, answered.Node = true, result.NominatedNodeName
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	out := framework.PostFilterAnswer{
		Verdict: got.Verdict, Nomination: framework.Nomination{Change: got.Change, Node: got.Node},
		Victims: h.podsOf(got.Victims),
	}
	h.ownEvents(got.Victims)
	return out
}

// ownEvents drops the events about victims, which are the scheduler's.
func (h *home) ownEvents(victims []string) {
	h.acts = slices.DeleteFunc(h.acts, func(act framework.Act) bool {
		r, is := act.(framework.RecordEvent)
		return is && r.Reason == "Preempted" && slices.Contains(victims, r.Pod.Key)
	})
}

// deletions is how many pods were deleted that no answer has.
func (i *instance) deletions() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.victims)
}

// takeVictims takes the pods that were deleted after so many, by key.
func (i *instance) takeVictims(after int) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var keys []string
	for _, v := range i.victims[after:] {
		keys = append(keys, v.key)
	}
	i.victims = i.victims[:after]
	return keys
}

// PreScore calls the plugin, if the profile lists it there.
func (a adapter) PreScore(
	pod *cluster.Pod, snapshot *cluster.Snapshot, feasible []*cluster.Node,
) framework.Scoring {
	h := homeOf(snapshot.Companion())
	asks := &scorer{home: h, guest: a.guest, pod: pod}
	var s framework.Scorer = asks
	if a.reasons {
		s = reasoner{asks}
	}
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
	why   map[string][]trace.Evidence // by node, of a plugin that returns it
}

// Score calls the plugin about each node, until it fails.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	type answer struct {
		Verdict trace.Verdict
		Scores  []int64
		Why     map[string][]trace.Evidence
	}
	api, uid, list := s.home.infos.pod(s.pod), s.pod.UID(), s.home.infos.list(nodes)
	got := ask(s.home, s.guest, framework.Score, func(i *instance) answer {
		p := asked[fwk.ScorePlugin](i, s.guest, s.pod)
		answered := answer{Scores: make([]int64, len(list))}
		explains, explained := p.(scoreExplainer)
		if explained {
			answered.Why = map[string][]trace.Evidence{}
		}
		for k, info := range list {
			score, status := p.Score(i.ctx, i.state(uid, 0), api, info)
			if !status.IsSuccess() {
				answered.Verdict = verdictOf(status)
				break
			}
			answered.Scores[k] = score
			if explained {
				answered.Why[info.Node().Name] = evidenceOf(explains.ScoreEvidence(i.ctx, i.state(uid, 0), api, info))
			}
		}
		return answered
	}, func(said string) answer { return answer{Verdict: brokenVerdict(said)} })
	s.why = got.Why
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
	got := askMethod(s.home, s.guest, framework.Score, "NormalizeScore", func(i *instance) answer {
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
