// Package dynamicresources is kube-scheduler's DynamicResources plugin (1.37): a pod runs only where the devices that
// its ResourceClaims request are free. It searches for no device itself: k8s.io/dynamic-resource-allocation/structured
// does, which also knows prioritised alternatives, device taints, partitionable devices and consumable capacity, and
// which logs through a logger that discards. The informers of its resourceslice/tracker have no place in a machine
// without a world, so core/cluster applies DeviceTaintRules in its stead. There is no clock either: the filterTimeout
// of the arguments never strikes, and a search that would take kube-scheduler too long runs to its end. Two ids that
// upstream draws at random, of shares and of claims made for extended resources, follow from the claim and the pod.
package dynamicresources

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
	configv1 "k8s.io/kube-scheduler/config/v1"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Name is kube-scheduler's name of the plugin.
const Name = "DynamicResources"

// Reasons of the plugin for nodes and claims, apart from texts with names in them.
const (
	ReasonUnavailable = "resourceclaim not available on the node"
	ReasonNoDevices   = "cannot allocate all claims"
	reasonNoResource  = "cannot fit resource"
	ReasonStale       = "cannot schedule extended resource claim"
	reasonDeallocated = "deallocation of ResourceClaim completed"
	reasonDeleted     = "deletion of ResourceClaim completed"
	reasonNoClaims    = "no new claims to deallocate"
	reasonInVain      = "still not schedulable"
)

// Gates are the feature gates that the plugin has both settings of. The zero value is kube-scheduler 1.37's defaults.
type Gates struct {
	// FractionalRanges counts the steps of a valid range in thousandths (DRAFractionalCapacityRange). Without it the
	// parts of a range and of a request are rounded up to whole numbers.
	FractionalRanges bool
	// NoPartitionableDevices allocates no device that consumes counters (without DRAPartitionableDevices).
	NoPartitionableDevices bool
	// NoDeviceTaints ignores the taints of devices (without DRADeviceTaints).
	NoDeviceTaints bool
	// NoBindingConditions allocates no device that has binding conditions (without DRADeviceBindingConditions).
	NoBindingConditions bool
	// NoConsumableCapacity gives each device to one request alone (without DRAConsumableCapacity).
	NoConsumableCapacity bool
	// ListAttributes compares attributes of devices whose values are lists (DRAListTypeAttributes).
	ListAttributes bool
	// DerivedAttributes computes the attributes that a request derives from those of a device; without it such a
	// request is an error (DRADerivedAttributes).
	DerivedAttributes bool
	// CompatibilityGroups allocates devices of one counter set together only if their compatibility groups intersect;
	// without it slices with such groups are ignored (DRADeviceCompatibilityGroups).
	CompatibilityGroups bool
	// OptionalNodeOperations allocates devices that skip operations on the node; without it they are not allocated
	// (DRAOptionalNodeOperations).
	OptionalNodeOperations bool
}

// Ways are what differs between releases where no feature gate decides. The zero value is 1.37's.
type Ways struct {
	// FreeingNothingHasReason returns a reason from PostFilter also when it deallocates no claim (1.36 and earlier,
	// dynamicresources.go, PostFilter).
	FreeingNothingHasReason bool
	// PartOfDeviceIsError returns an error for a claim that requests a part of a device, without
	// DRAConsumableCapacity (1.34, where the allocator checks it; those of 1.35 and 1.36 that are used without the
	// gate do not).
	PartOfDeviceIsError bool
	// CountersForEveryNode makes the allocator read slices with shared counters on every node, whatever node a slice is
	// for. So on other nodes, too, a pool whose slices are not all there yet holds up requests for all devices (1.36 and
	// earlier, structured/internal/incubating/pools_incubating.go, GatherPools).
	CountersForEveryNode bool
	// ScoreCountsEveryClaim makes Score look for an allocation of each claim of the pod, also of a claim that was
	// allocated before; it returns an error where the pod has claims of both kinds (1.35, dynamicresources.go,
	// computeScore).
	ScoreCountsEveryClaim bool
}

// features are what the allocator may do.
func (g Gates) features() structured.Features {
	return structured.Features{
		AdminAccess: true, PrioritizedList: true,
		PartitionableDevices: !g.NoPartitionableDevices, DeviceTaints: !g.NoDeviceTaints,
		DeviceBindingAndStatus: !g.NoBindingConditions, ConsumableCapacity: !g.NoConsumableCapacity,
		FractionalCapacityRange: g.FractionalRanges, ListTypeAttributes: g.ListAttributes,
		DerivedAttributes: g.DerivedAttributes, CompatibilityGroups: g.CompatibilityGroups,
		OptionalNodeOperations: g.OptionalNodeOperations,
	}
}

// expressions is how many compiled CEL expressions are kept for later cycles; which ones decides nothing.
const expressions = 100

// Plugin finds devices for pods. What it keeps besides its arguments are compiled expressions, which decide nothing.
type Plugin struct {
	bindingTimeout time.Duration
	passesOver     func(framework.Group) bool // groups that PodGroupPostFilter does nothing for
	ways           Ways
	features       structured.Features
	compiled       *cel.Cache
	quiet          context.Context // never done; its logger discards
}

var (
	_ framework.PreEnqueuePlugin         = (*Plugin)(nil)
	_ framework.FilterPlugin             = (*Plugin)(nil)
	_ framework.PostFilterPlugin         = (*Plugin)(nil)
	_ framework.PodGroupPostFilterPlugin = (*Plugin)(nil)
	_ framework.ScorePlugin              = (*Plugin)(nil)
	_ framework.ReservePlugin            = (*Plugin)(nil)
	_ framework.PreBindPlugin            = (*Plugin)(nil)
	_ framework.Waker                    = (*Plugin)(nil)
)

// New makes the plugin from arguments with their defaults set.
func New(args configv1.DynamicResourcesArgs, groups framework.GroupRules, gates Gates, ways Ways) *Plugin {
	passesOver := func(framework.Group) bool { return false }
	if groups.ByPlacement {
		passesOver = func(g framework.Group) bool { return cluster.TopologyKey(g.API) != "" }
	}
	return &Plugin{
		passesOver:     passesOver,
		ways:           ways,
		features:       gates.features(),
		bindingTimeout: args.BindingTimeout.Duration,
		compiled: cel.NewCache(expressions, cel.Features{
			EnableConsumableCapacity: !gates.NoConsumableCapacity, EnableListTypeAttributes: gates.ListAttributes,
		}),
		quiet: logr.NewContext(context.Background(), logr.Discard()),
	}
}

// Name is DynamicResources.
func (p *Plugin) Name() string { return Name }

// PreEnqueue holds a pod back until its claims are there.
func (p *Plugin) PreEnqueue(pod *cluster.Pod, known *cluster.State) trace.Verdict {
	if len(pod.API.Spec.ResourceClaims) == 0 {
		return trace.Verdict{}
	}
	_, problem := claimsOf(pod.API, known.Objects())
	return problem.verdict()
}

// PreFilter finds the pod's claims and whether they can be allocated at all; it skips pods that use no devices.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if len(pod.API.Spec.ResourceClaims) == 0 && len(pod.Requests.Scalars) == 0 {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	objects := snapshot.Objects()
	claims, problem := claimsOf(pod.API, objects)
	if problem != nil {
		return framework.Study{Verdict: problem.verdict()}
	}
	special := specialClaim(pod.API, objects)
	if special != nil {
		claims = append(claims, special)
	}
	if len(claims) == 0 {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	c := &check{
		plugin: p, pod: pod, objects: objects, now: snapshot.Now, special: special,
		answers: make([]*answer, len(snapshot.Nodes)),
	}
	for _, claim := range claims {
		n, verdict := c.need(claim, snapshot.Promised)
		if !verdict.OK() {
			return framework.Study{Verdict: verdict}
		}
		c.needs = append(c.needs, n)
	}
	return framework.Study{Check: c}
}

// need is what a claim requires of a node; the verdict is the reason why no node will do. What was promised for the
// claim to a member of the pod group, in the same cycle, is good for this pod too.
func (c *check) need(claim *resourcev1.ResourceClaim, promised []cluster.Object) (need, trace.Verdict) {
	n := need{claim: claim}
	if claim.Status.Allocation != nil {
		return n, n.find(claim.Status.Allocation)
	}
	c.unallocated++
	if pending, ok := promisedOf(c.objects, claim); ok {
		if slices.ContainsFunc(promised, func(o cluster.Object) bool { return isClaim(o, claim) }) {
			n.promised = pending.Status.Allocation
			return n, n.find(n.promised)
		}
		return n, rejected(
			fmt.Sprintf("resource claim %s is in the process of being allocated", cluster.Key(claim)),
			trace.Evidence{
				What: phrase.Textf("claim %s", cluster.Key(claim)), Have: trace.Words("devices promised to another pod"),
			},
		)
	}
	if claim == c.special {
		return n, trace.Verdict{}
	}
	return n, c.classes(claim)
}

// find notes where the devices can be used.
func (n *need) find(allocation *resourcev1.AllocationResult) trace.Verdict {
	if allocation.NodeSelector == nil {
		return trace.Verdict{}
	}
	var err error
	if n.where, err = nodeaffinity.NewNodeSelector(allocation.NodeSelector); err != nil {
		return broken(err)
	}
	return trace.Verdict{}
}

// classes looks for the device class of every request of a claim.
func (c *check) classes(claim *resourcev1.ResourceClaim) trace.Verdict {
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		switch {
		case request.Exactly != nil:
			if v := c.class(claim, request.Exactly.DeviceClassName, request.Name); !v.OK() {
				return v
			}
		case len(request.FirstAvailable) > 0:
			for k := range request.FirstAvailable {
				sub := &request.FirstAvailable[k]
				if v := c.class(claim, sub.DeviceClassName, resourceclaim.CreateSubRequestRef(request.Name, sub.Name)); !v.OK() {
					return v
				}
			}
		default:
			return rejected(fmt.Sprintf("resource claim %s, request %s: unknown request type", cluster.Key(claim), request.Name))
		}
	}
	return trace.Verdict{}
}

func (c *check) class(claim *resourcev1.ResourceClaim, name, request string) trace.Verdict {
	if name == "" {
		return broken(fmt.Errorf("request %s: unsupported request type", request))
	}
	if _, ok := c.objects.DeviceClasses.Find(name); !ok {
		return rejected(
			fmt.Sprintf("request %s: device class %s does not exist", request, name),
			trace.Evidence{
				What: phrase.Textf("claim %s request %s", cluster.Key(claim), request),
				Want: trace.Wordsf("DeviceClass %s", name),
			},
		)
	}
	return trace.Verdict{}
}

// rejected is a verdict that only an event can change.
func rejected(reason string, evidence ...trace.Evidence) trace.Verdict {
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reason}, Evidence: evidence}
}

// broken is the verdict Error for an unexpected failure.
func broken(err error) trace.Verdict {
	return trace.Verdict{Code: trace.Error, Reasons: []string{err.Error()}}
}
