package dynamicresources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// hold is the devices promised to a pod until its claims record them.
type hold struct{ grants []grant }

// grant is what one of the pod's claims gets.
type grant struct {
	claim      *resourcev1.ResourceClaim    // as it was when the pod was placed
	allocation *resourcev1.AllocationResult // what it gets; nil: it has its devices, or needs none
	special    *specialNeeds                // set for the special claim when it has to be written
	written    *resourcev1.ResourceClaim    // as PreBind wrote it; nil: not written
}

// String lists the claims with their devices.
func (h *hold) String() string {
	var b strings.Builder
	for i := range h.grants {
		if i > 0 {
			b.WriteString("; ")
		}
		g := &h.grants[i]
		b.WriteString(cluster.Key(g.claim))
		b.WriteString(": ")
		b.WriteString(devicesOf(g.result()))
	}
	return b.String()
}

func (g *grant) result() *resourcev1.AllocationResult {
	if g.allocation != nil {
		return g.allocation
	}
	return g.claim.Status.Allocation
}

func (g *grant) isSpecial() bool {
	return g.claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true"
}

// Reserve promises the pod the devices that were found on its node. Until PreBind writes them into the claims, no other
// pod gets the devices, and pods that share such a claim wait, unless they are members of one pod group and the same
// cycle places them. kube-scheduler puts the devices of shared claims after all others, and gives them out in the order
// of the claims: where a shared claim comes before one without devices, each gets what was found for another.
func (p *Plugin) Reserve(ask framework.ReserveAsk) framework.Reservation {
	c, filtered := ask.Check.(*check)
	if !filtered {
		return framework.Reservation{}
	}
	h := &hold{}
	for i := range c.needs {
		h.grants = append(h.grants, grant{claim: c.needs[i].claim})
	}
	if c.unallocated == 0 {
		return framework.Reservation{Hold: h}
	}
	a := c.answers[ask.Node.Index()]
	if a == nil || len(a.allocations) == 0 {
		if onlySpecial := c.unallocated == 1 && c.special != nil; onlySpecial {
			return framework.Reservation{Hold: h}
		}
		return framework.Reservation{Verdict: broken(errors.New("claim allocation not found for node"))}
	}
	r := framework.Reservation{Hold: h}
	next := 0
	for i := range h.grants {
		g := &h.grants[i]
		if g.claim.Status.Allocation != nil {
			continue
		}
		g.allocation = &a.allocations[next]
		next++
		if g.claim == c.special {
			g.special = a.special
		}
		note := phrase.Textf("allocated %s", devicesOf(g.allocation))
		if there, shared := promisedOf(ask.Known.Objects(), g.claim); shared && c.needs[i].promised != nil {
			note = phrase.Textf("shared by members of the pod group: %s", devicesOf(there.Status.Allocation))
		}
		r.Assume = append(r.Assume, cluster.Assumption{Object: g.promised(c.pod), Grip: cluster.UntilDropped, Note: note})
	}
	return r
}

// promised is the claim as it will be.
func (g *grant) promised(pod *cluster.Pod) *resourcev1.ResourceClaim {
	if g.special != nil && isUnwritten(g.claim) {
		claim := g.given(g.special.claim, pod)
		claim.Name = specialName + claim.GenerateName // one for each pod
		return claim
	}
	return g.given(g.claim, pod)
}

// given is a claim with what it gets, for the pod.
func (g *grant) given(claim *resourcev1.ResourceClaim, pod *cluster.Pod) *resourcev1.ResourceClaim {
	claim = claim.DeepCopy()
	if g.allocation != nil {
		if !slices.Contains(claim.Finalizers, resourcev1.Finalizer) {
			claim.Finalizers = append(claim.Finalizers, resourcev1.Finalizer)
		}
		claim.Status.Allocation = g.allocation.DeepCopy()
	}
	claim.Status.ReservedFor = append(claim.Status.ReservedFor, consumer(pod.API))
	return claim
}

// Unreserve takes the pod out of the claims it was written into, and deletes the special claim. The devices of a claim
// stay allocated: PostFilter gives them back when they turn out to be in the way.
func (p *Plugin) Unreserve(ask framework.BindAsk) []framework.Write {
	h, reserved := ask.Hold.(*hold)
	if !reserved {
		return nil
	}
	var writes []framework.Write
	for i := range h.grants {
		g := &h.grants[i]
		claim := g.latest(ask.Known.Objects())
		switch {
		case g.isSpecial() && isUnwritten(claim):
		case g.isSpecial():
			writes = append(writes, framework.Write{Action: cluster.Delete, Object: claim, Note: "the pod is not bound"})
		case claim.Status.Allocation != nil && isReservedFor(ask.Pod.API, claim):
			claim = claim.DeepCopy()
			claim.Status.ReservedFor = slices.DeleteFunc(
				claim.Status.ReservedFor,
				func(r resourcev1.ResourceClaimConsumerReference) bool { return isPod(&r, ask.Pod.API) },
			)
			writes = append(writes, framework.Write{
				Action: cluster.Update, Object: claim, Note: phrase.Textf("no longer reserved for %s", ask.Pod.Key),
			})
		}
	}
	return writes
}

// latest is the newest version of the claim: as the API server shows it, or as it was written and is not shown yet.
func (g *grant) latest(known *cluster.Objects) *resourcev1.ResourceClaim {
	last := g.claim
	if g.written != nil {
		last = g.written
	}
	shown, ok := known.ResourceClaims.Newest(cluster.Key(last))
	if ok && (g.written == nil || shown.Status.Allocation != nil) {
		return shown
	}
	return last
}

// PostFilter deallocates a claim that keeps the pod off a node: the first claim by name whose devices some tried node
// could not use, and that no other pod uses. kube-scheduler takes one such claim at random.
func (p *Plugin) PostFilter(ask framework.PostFilterAsk) framework.PostFilterAnswer {
	if slices.Contains(ask.Unasked, Name) {
		return framework.PostFilterAnswer{Verdict: broken(errors.New("not found"))}
	}
	answer := framework.PostFilterAnswer{Verdict: trace.Verdict{Code: trace.Unschedulable}}
	c, filtered := ownCheck(ask)
	if !filtered {
		return p.inVain(answer, reasonNoClaims)
	}
	for _, claim := range c.inTheWay(ask.RejectedBy) {
		if claim.Status.Allocation == nil {
			continue // kube-scheduler writes it as it is
		}
		if r := claim.Status.ReservedFor; len(r) > 1 || len(r) == 1 && !isPod(&r[0], c.pod.API) {
			continue
		}
		free := claim.DeepCopy()
		free.Status.ReservedFor, free.Status.Allocation, free.Status.Devices = nil, nil, nil
		answer.Writes = []framework.Write{{Action: cluster.Update, Object: free, Note: "deallocated"}}
		answer.Verdict.Reasons = []string{reasonDeallocated}
		answer.Verdict.Evidence = []trace.Evidence{
			{
				What: phrase.Textf("claim %s", cluster.Key(claim)),
				Have: trace.Wordsf("gives back %s", devicesOf(claim.Status.Allocation)),
			},
		}
		return answer
	}
	if c.special != nil && !isUnwritten(c.special) {
		answer.Writes = []framework.Write{
			{Action: cluster.Delete, Object: c.special, Note: "left over from an earlier attempt"},
		}
		answer.Verdict.Reasons = []string{reasonDeleted}
		answer.Verdict.Evidence = []trace.Evidence{{
			What: phrase.Textf("claim %s", cluster.Key(c.special)), Have: trace.Words("deleted"),
		}}
		return answer
	}
	return p.inVain(answer, reasonInVain)
}

// inVain gives the answer a reason, in a release that reports why PostFilter freed nothing.
func (p *Plugin) inVain(answer framework.PostFilterAnswer, reason string) framework.PostFilterAnswer {
	if p.ways.FreeingNothingHasReason {
		answer.Verdict.Reasons = []string{reason}
	}
	return answer
}

// ownCheck is the check that this plugin's PreFilter made for the pod; false when there is none.
func ownCheck(ask framework.PostFilterAsk) (*check, bool) {
	i := slices.Index(ask.Filters, Name)
	if i < 0 {
		return nil, false
	}
	c, ok := ask.Judge.Checks[i].(*check)
	return c, ok
}

// inTheWay lists by name the allocated claims that made this plugin reject a node first.
func (c *check) inTheWay(rejectedBy func(node int) string) []*resourcev1.ResourceClaim {
	var claims []*resourcev1.ResourceClaim
	for i, a := range c.answers {
		if a == nil || len(a.unavailable) == 0 || rejectedBy(i) != Name {
			continue
		}
		for _, n := range a.unavailable {
			if claim := c.needs[n].claim; !slices.Contains(claims, claim) {
				claims = append(claims, claim)
			}
		}
	}
	slices.SortFunc(claims, func(a, b *resourcev1.ResourceClaim) int { return strings.Compare(a.Name, b.Name) })
	return claims
}

// devicesOf lists allocated devices as driver/pool/device.
func devicesOf(allocation *resourcev1.AllocationResult) string {
	if allocation == nil || len(allocation.Devices.Results) == 0 {
		return "no devices"
	}
	names := make([]string, len(allocation.Devices.Results))
	for i := range names {
		r := &allocation.Devices.Results[i]
		names[i] = fmt.Sprintf("%s/%s/%s", r.Driver, r.Pool, r.Device)
	}
	return strings.Join(names, ", ")
}
