package dynamicresources

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// pollInterval is how often a pod on its way looks whether its devices are ready (1.37).
const pollInterval = 5 * time.Second

var (
	errBindingTimeout = errors.New("device binding timeout")
	errBindingFailed  = errors.New("device binding failed")
)

// PreFlight skips pods that use no devices.
func (p *Plugin) PreFlight(ask framework.BindAsk) trace.Verdict {
	if _, reserved := ask.Hold.(*hold); !reserved {
		return trace.Verdict{Code: trace.Skip}
	}
	return trace.Verdict{}
}

// PreBind writes what was promised into the claims, then waits until devices with binding conditions are ready.
func (p *Plugin) PreBind(ask framework.BindAsk) framework.PreBound {
	h := ask.Hold.(*hold)
	answer := framework.PreBound{Hold: h}
	if ask.Round == 0 {
		var err error
		if h, answer.Writes, err = h.write(ask); err != nil {
			answer.Hold, answer.Verdict = h, broken(err)
			return answer
		}
		answer.Hold = h
		if !h.hasConditions() {
			return answer
		}
		answer.Event = &framework.Event{
			Reason: "BindingConditionsPending", Note: "waiting for binding conditions for device on node " + ask.Node,
		}
	}
	over := ask.Since.Add(p.bindingTimeout)
	if !ask.Now.Before(over) {
		answer.Verdict = broken(fmt.Errorf("%w: context deadline exceeded", errBindingTimeout))
		return answer
	}
	waits, err := p.unready(h, ask)
	switch {
	case err != nil:
		answer.Verdict = broken(err)
	case waits != nil:
		answer.Verdict = trace.Verdict{Code: trace.Wait, Evidence: waits}
		if answer.Again = ask.Now.Add(pollInterval); answer.Again.After(over) {
			answer.Again = over
		}
	}
	return answer
}

// write is the claims, and the pod's status when it got a special claim, as they have to be before the pod is bound.
// What was to be written before an error still is.
func (h *hold) write(ask framework.BindAsk) (*hold, []framework.Write, error) {
	next := &hold{grants: slices.Clone(h.grants)}
	var writes []framework.Write
	for i := range next.grants {
		g := &next.grants[i]
		if g.isSpecial() && g.allocation == nil && g.claim.Spec.Devices.Requests == nil {
			continue
		}
		more, err := g.write(ask)
		writes = append(writes, more...)
		if err != nil {
			return next, writes, err
		}
	}
	return next, writes, nil
}

func (g *grant) write(ask framework.BindAsk) ([]framework.Write, error) {
	if g.isSpecial() && isUnwritten(g.claim) {
		return g.create(ask)
	}
	key := cluster.Key(g.claim)
	claim, ok := ask.Known.Objects().ResourceClaims.Newest(key)
	switch {
	case !ok && g.allocation != nil:
		return nil, fmt.Errorf("add allocation and reservation to claim %s: %w", key, apierrors.NewNotFound(
			resourcev1.Resource("resourceclaims"), g.claim.Name,
		))
	case !ok:
		return nil, fmt.Errorf("add reservation to claim %s: %w", key, apierrors.NewNotFound(
			resourcev1.Resource("resourceclaims"), g.claim.Name,
		))
	case g.allocation == nil && isReservedFor(ask.Pod.API, claim):
		g.written = claim
		return nil, nil
	case claim.DeletionTimestamp != nil:
		return nil, fmt.Errorf("claim %s got deleted in the meantime", key)
	case g.allocation != nil && claim.Status.Allocation != nil:
		return nil, fmt.Errorf("claim %s got allocated elsewhere in the meantime", key)
	case g.allocation == nil && claim.Status.Allocation == nil:
		return nil, fmt.Errorf("claim %s got deallocated elsewhere in the meantime", key)
	}
	g.written = stamped(g.given(claim, ask.Pod), ask.Now)
	return []framework.Write{{Action: cluster.Update, Object: g.written, Note: phrase.Textf(
		"reserved for %s with %s", ask.Pod.Key, devicesOf(g.written.Status.Allocation),
	)}}, nil
}

// create makes the special claim of a pod, and records it in the pod's status.
func (g *grant) create(ask framework.BindAsk) ([]framework.Write, error) {
	claim := stamped(g.given(g.special.claim, ask.Pod), ask.Now)
	claim.Name, claim.UID = generatedName(claim.GenerateName, cluster.UID(ask.Pod.API)), ""
	g.written = claim
	writes := []framework.Write{{Action: cluster.Add, Object: claim, Note: phrase.Textf(
		"extended resources of %s with %s", ask.Pod.Key, devicesOf(g.allocation),
	)}}
	if len(g.special.mappings) == 0 {
		return writes, fmt.Errorf(
			"nil or empty request mappings, no update of pod %s ExtendedResourceClaimStatus", ask.Pod.Key,
		)
	}
	live, ok := ask.Known.Pod(ask.Pod.Key)
	if !ok {
		return writes, fmt.Errorf("update pod %s ExtendedResourceClaimStatus: %w", ask.Pod.Key, apierrors.NewNotFound(
			corev1.Resource("pods"), ask.Pod.API.Name,
		))
	}
	pod := *live.API
	pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{
		RequestMappings: slices.Clone(g.special.mappings), ResourceClaimName: claim.Name,
	}
	return append(
		writes, framework.Write{Action: cluster.Update, Object: &pod, Note: "which container uses which device"},
	), nil
}

// stamped is the claim with the time of its allocation.
func stamped(claim *resourcev1.ResourceClaim, now time.Time) *resourcev1.ResourceClaim {
	if claim.Status.Allocation.AllocationTimestamp == nil {
		claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: now}
	}
	return claim
}

// hasConditions reports whether any device of the pod has to become ready first.
func (h *hold) hasConditions() bool {
	for i := range h.grants {
		w := h.grants[i].written
		if w != nil && slices.ContainsFunc(w.Status.Allocation.Devices.Results, hasConditions) {
			return true
		}
	}
	return false
}

func hasConditions(r resourcev1.DeviceRequestAllocationResult) bool {
	return len(r.BindingConditions) > 0
}

// unready lists the conditions of the first claim that is not ready; nil when all are. A claim that can never become
// ready is an error.
func (p *Plugin) unready(h *hold, ask framework.BindAsk) ([]trace.Evidence, error) {
	for i := range h.grants {
		g := &h.grants[i]
		if g.written == nil {
			continue
		}
		key := cluster.Key(g.written)
		if _, ok := ask.Known.Objects().ResourceClaims.Find(key); !ok && ask.Round > 0 {
			return nil, errors.New(notFound(key))
		}
		claim := g.latest(ask.Known.Objects())
		ready, err := isReady(claim)
		switch {
		case err != nil:
			return nil, err
		case ready:
			continue
		case p.timedOut(claim, ask.Now):
			return nil, fmt.Errorf("%w: claim=%s", errBindingTimeout, claim.Name)
		}
		return pending(claim), nil
	}
	return nil, nil
}

// isReady reports whether every binding condition of every device of an allocated claim is met. The error names a
// failure condition: with it, they never will be.
func isReady(claim *resourcev1.ResourceClaim) (bool, error) {
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		if len(r.BindingConditions) == 0 {
			continue
		}
		conditions, told := conditionsOf(claim, r)
		if !told {
			return false, nil
		}
		for _, name := range r.BindingFailureConditions {
			if failed := meta.FindStatusCondition(conditions, name); failed != nil && failed.Status == metav1.ConditionTrue {
				return false, fmt.Errorf(
					"%w: claim=%s, reason=%s, message=%q", errBindingFailed, claim.Name, failed.Reason, failed.Message,
				)
			}
		}
		for _, name := range r.BindingConditions {
			if !meta.IsStatusConditionTrue(conditions, name) {
				return false, nil
			}
		}
	}
	return true, nil
}

// conditionsOf returns the conditions that a driver reported for an allocated device; false when it has reported none
// yet.
func conditionsOf(
	claim *resourcev1.ResourceClaim, r *resourcev1.DeviceRequestAllocationResult,
) ([]metav1.Condition, bool) {
	for i := range claim.Status.Devices {
		if d := &claim.Status.Devices[i]; d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device {
			return d.Conditions, true
		}
	}
	return nil, false
}

// pending lists the conditions that are not met yet.
func pending(claim *resourcev1.ResourceClaim) []trace.Evidence {
	var evidence []trace.Evidence
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		conditions, _ := conditionsOf(claim, r)
		for _, name := range r.BindingConditions {
			if !meta.IsStatusConditionTrue(conditions, name) {
				evidence = append(evidence, trace.Evidence{
					Topic: trace.OfDevice, What: phrase.Text(r.Driver + "/" + r.Pool + "/" + r.Device),
					Want: trace.Wordsf("condition %s", name),
				})
			}
		}
	}
	return evidence
}

// timedOut reports whether a claim with binding conditions has been allocated for too long.
func (p *Plugin) timedOut(claim *resourcev1.ResourceClaim, now time.Time) bool {
	a := claim.Status.Allocation
	return a.AllocationTimestamp != nil && a.AllocationTimestamp.Add(p.bindingTimeout).Before(now) &&
		slices.ContainsFunc(a.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return r.BindingConditions != nil
		})
}
