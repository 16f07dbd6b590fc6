package kube

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// Assume gives the pod its node, and goes on to Permit.
func (t *Scheduler) Assume(pod *corev1.Pod, node string) (err error) {
	t.do(func() {
		if err = t.Oracle.Assume(pod, node); err != nil {
			return
		}
		key := pod.Namespace + "/" + pod.Name
		way, _ := t.WayOf(key)
		times, status := way.Framework.RunPermitPlugins(quiet, way.State, way.Pod, node)
		t.permits[key] = said(status)
		switch {
		case status.IsWait():
			way.Framework.AddWaitingPod(way.Pod, times)
			s := &stay{}
			t.waits[key] = s
			go t.wait(key, way, s)
		case status.IsSuccess():
			t.preBind(key, way)
		}
	})
	return err
}

// wait waits until the pod may go, and then goes on.
func (t *Scheduler) wait(key string, way oracle.Way, s *stay) {
	status := way.Framework.WaitOnPermit(quiet, way.Pod)
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.over {
		return
	}
	s.over = true
	if status.IsSuccess() {
		t.preBind(key, way)
		return
	}
	s.message = status.Message()
	if err := t.Oracle.Forget(key); err != nil {
		s.message = err.Error()
	}
}

// preBind begins the work of PreBind.
func (t *Scheduler) preBind(key string, way oracle.Way) {
	w := &work{}
	t.bound[key] = w
	go func() {
		plugin, status := t.preBindAll(way)
		t.mu.Lock()
		defer t.mu.Unlock()
		w.done, w.plugin, w.status = true, plugin, status
	}()
}

// preBindAll runs the plugins that are not kube-scheduler's own: its volumes and devices are followed by the oracle.
func (t *Scheduler) preBindAll(way oracle.Way) (plugin string, status *fwk.Status) {
	for _, at := range way.Framework.ListPlugins().PreBind.Enabled {
		p, is := t.instances[way.Framework.ProfileName()][at.Name].(fwk.PreBindPlugin)
		if !is {
			continue
		}
		node := way.Pod.Spec.NodeName
		_, status := p.PreBindPreFlight(quiet, way.State, way.Pod, node)
		if status.IsSuccess() {
			status = p.PreBind(quiet, way.State, way.Pod, node)
		}
		if !status.IsSuccess() && !status.IsSkip() {
			return at.Name, status
		}
	}
	return "", nil
}

// Bind has the plugins bind the pod, and learn that it is bound.
func (t *Scheduler) Bind(key string) {
	t.do(func() {
		way, placed := t.WayOf(key)
		t.Oracle.Bind(key)
		if !placed || t.binders[key] == string(way.Pod.UID) {
			return
		}
		t.binders[key] = string(way.Pod.UID)
		made := t.instances[way.Framework.ProfileName()]
		for _, at := range way.Framework.ListPlugins().Bind.Enabled {
			p, is := made[at.Name].(fwk.BindPlugin)
			if !is {
				break // kube-scheduler's own, which skips none
			}
			if !p.Bind(quiet, way.State, way.Pod, way.Pod.Spec.NodeName).IsSkip() {
				break
			}
		}
		for _, at := range way.Framework.ListPlugins().PostBind.Enabled {
			if p, is := made[at.Name].(fwk.PostBindPlugin); is {
				p.PostBind(quiet, way.State, way.Pod, way.Pod.Spec.NodeName)
			}
		}
	})
}

// Forget ends the wait of a pod that lost its node, too.
func (t *Scheduler) Forget(key string) (err error) {
	t.do(func() {
		way, placed := t.WayOf(key)
		if s := t.waits[key]; s != nil && !s.over && placed {
			s.over = true
			way.Framework.RejectWaitingPod(way.Pod.UID)
		}
		err = t.Oracle.Forget(key)
	})
	return err
}

// waiting lists the pods that wait.
func (t *Scheduler) waiting() string {
	var list []string
	for key, s := range t.waits {
		if !s.over {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// askedToWait is what the framework adds to the reasons of the plugins that have a pod wait.
const askedToWait = ", one or more plugins asked to wait and no plugin rejected pod"

func said(s *fwk.Status) string {
	message := strings.TrimSuffix(s.Message(), askedToWait)
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", s.Code(), message), ": ")
}
