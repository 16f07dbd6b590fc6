package host

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Reserve calls the plugin.
func (a adapter) Reserve(question framework.ReserveAsk) framework.Reservation {
	h := homeOf(question.Known.Companion())
	return framework.Reservation{Verdict: a.onNode(h, framework.Reserve, "Reserve", question.Pod, question.Node.Name,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			return asked[fwk.ReservePlugin](i, a.guest, question.Pod).Reserve(i.ctx, state, api, node)
		})}
}

// Unreserve calls the plugin.
func (a adapter) Unreserve(question framework.BindAsk) []framework.Write {
	h := homeOf(question.Known.Companion())
	a.onNode(h, framework.Reserve, "Unreserve", question.Pod, question.Node,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			asked[fwk.ReservePlugin](i, a.guest, question.Pod).Unreserve(i.ctx, state, api, node)
			return nil
		})
	return nil
}

// onNode calls the plugin about a pod on its node.
func (a adapter) onNode(
	h *home, point framework.Point, method string, pod *cluster.Pod, node string,
	call func(*instance, fwk.CycleState, *corev1.Pod, string) *fwk.Status,
) trace.Verdict {
	api, uid := h.infos.pod(pod), pod.UID()
	return askMethod(h, a.guest, point, method, func(i *instance) trace.Verdict {
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
	return a.onNode(h, framework.PreBind, "PreBindPreFlight", question.Pod, question.Node,
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
	return a.onNode(h, framework.Bind, "Bind", question.Pod, question.Node,
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
	a.onNode(h, framework.PostBind, "PostBind", question.Pod, question.Node,
		func(i *instance, state fwk.CycleState, api *corev1.Pod, node string) *fwk.Status {
			asked[fwk.PostBindPlugin](i, a.guest, question.Pod).PostBind(i.ctx, state, api, node)
			return nil
		})
}
