package remedy

import (
	"slices"

	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// resizing is the request that changes the cpu and memory of a pod on its own in place; false for other resources, and
// where the API server refuses it. It is for pods without a controller: a controller would make the next pod by its
// template again.
func resizing(p *cluster.Pod, patches []patch) (request.Request, bool) {
	if owner.PlaceOf(p).Follows != owner.ItIsMade {
		return request.Request{}, false
	}
	in := request.Resize(itself(p), patches...)
	return in, in.IsAllowed(p.API)
}

// resizes take back the resizes of pods on the node that wait for room: until then such a pod counts with what it is to
// have.
func (a at) resizes() []Change {
	if a.node == nil || !a.state.ResizesCount() {
		return nil
	}
	short := slices.ContainsFunc(a.broken.Verdict.Evidence, func(e trace.Evidence) bool {
		return e.Topic == trace.OfResource && (e.Name() == "cpu" || e.Name() == "memory")
	})
	var all []Change
	for _, p := range a.node.Pods {
		live, is := a.state.Pod(p.Key)
		if !is || !short || !resourcehelper.IsPodResizeDeferred(live.API) {
			continue
		}
		if c, can := takingBack(live); can {
			all = append(all, c)
		}
	}
	return all
}

// takingBack has a pod request what its containers have been given, by the subresource resize.
func takingBack(p *cluster.Pod) (Change, bool) {
	patches := session.Unresized(p.API)
	in := request.Resize(itself(p), patches...)
	if len(patches) == 0 || !in.IsAllowed(p.API) {
		return Change{}, false
	}
	return Change{
		Kind: UndoResize, What: called(p.Key), Line: "unresize " + p.Key, Commands: kubectl(in), Cost: costs[UndoResize],
		Edit: session.Unresize(p.Key),
	}, true
}
