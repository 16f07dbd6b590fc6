package dynamicresources

import (
	"errors"
	"fmt"
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/component-helpers/nodedeclaredfeatures/features/draoptionalnodeoperations"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// check finds devices on one node after the other, and remembers what it found for the Reserve plugin,
// scores it, or has to make room.
type check struct {
	plugin  *Plugin
	pod     *cluster.Pod
	objects *cluster.Objects
	now     time.Time

	needs       []need                    // the claims of the pod's spec, in its order; then the special one
	special     *resourcev1.ResourceClaim // of extended resources that a DeviceClass stands for; nil: none
	unallocated int                       // how many needs have no devices yet

	scalars []cluster.Scalar // what the special claim is for; read when a node first needs it
	kinds   []*specialNeeds  // met so far

	allocator structured.Allocator  // made for the first node that needs it
	taken     *cluster.TakenDevices // made with allocator
	answers   []*answer             // by the node's index; nil: not computed yet
	survey    survey
	room      trace.Room
}

// need is one claim of the pod.
type need struct {
	claim *resourcev1.ResourceClaim
	where *nodeaffinity.NodeSelector // where an allocated claim's devices can be used; nil: everywhere
	// promised is what a member of the pod group placed before in the same cycle was promised for the claim; nil: nothing
	promised *resourcev1.AllocationResult
}

// allocation is what the claim has or was promised; nil: nothing.
func (n *need) allocation() *resourcev1.AllocationResult {
	if n.promised != nil {
		return n.promised
	}
	return n.claim.Status.Allocation
}

// answer is what came out for one node.
type answer struct {
	verdict trace.Verdict
	// one for each claim without devices, in the order of needs; those promised to members before come last
	allocations []resourcev1.AllocationResult
	special     *specialNeeds // nil when the node needs no special claim
	// indices in needs of the allocated claims that cannot be used there, when the verdict reports them
	unavailable []int
}

// Filter looks for devices. The answer is kept, so that later questions about the node get the same one.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	i := node.Index()
	if c.answers[i] == nil {
		c.answers[i] = c.ask(node)
	}
	return c.answers[i].verdict
}

func (c *check) ask(node *cluster.Node) *answer {
	special, verdict := c.specialOn(node)
	if !verdict.OK() {
		return &answer{verdict: verdict}
	}
	if special == nil && c.special != nil && len(c.needs) == 1 {
		return &answer{}
	}
	a := &answer{special: special}
	var unavailable []int
	for i := range c.needs {
		if c.isUnavailable(&c.needs[i], node) {
			unavailable = append(unavailable, i)
		}
	}
	if c.unallocated > 0 {
		if a.verdict = c.allocate(node, a); !a.verdict.OK() {
			return a
		}
	}
	if len(unavailable) > 0 {
		a.allocations, a.unavailable = nil, unavailable
		a.verdict = c.unavailable(node, unavailable)
	}
	return a
}

// isUnavailable reports whether an allocated claim cannot be used on the node: its devices are elsewhere, need a node
// that knows how to leave them alone, or failed to become ready.
func (c *check) isUnavailable(n *need, node *cluster.Node) bool {
	if n.where != nil && !n.where.Match(node.API) {
		return true
	}
	allocation := n.claim.Status.Allocation
	if allocation == nil {
		return false
	}
	if !declaresFeatures(allocation, node) {
		return true
	}
	ready, err := isReady(n.claim)
	return err != nil || !ready && c.plugin.timedOut(n.claim, c.now)
}

// declaresFeatures reports whether the node has the declared feature that the allocated devices require.
func declaresFeatures(allocation *resourcev1.AllocationResult, node *cluster.Node) bool {
	skips := func(r resourcev1.DeviceRequestAllocationResult) bool { return len(r.SkipNodeOperations) > 0 }
	return !slices.ContainsFunc(allocation.Devices.Results, skips) ||
		slices.Contains(node.API.Status.DeclaredFeatures, draoptionalnodeoperations.DRAOptionalNodeOperationsFeatureGate)
}

// allocate lets the allocator search the node, for all claims at once.
func (c *check) allocate(node *cluster.Node, a *answer) trace.Verdict {
	claims, promised, verdict := c.without(node, a)
	if !verdict.OK() {
		return verdict
	}
	if err := errors.Join(c.plugin.refused(claims), c.prepare()); err != nil {
		return broken(err)
	}
	found, err := c.allocator.Allocate(c.plugin.quiet, node.API, claims)
	switch {
	case errors.Is(err, structured.ErrFailedAllocationOnNode):
		v := rejected(err.Error())
		v.Evidence = c.evidence(node, claims)
		return v
	case err != nil:
		return broken(err)
	case len(found) != len(claims):
		return trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: noDevices[:], Evidence: c.evidence(node, claims),
		}
	}
	for i, claim := range claims {
		nameShares(claim, &found[i])
	}
	a.allocations = append(found, promised...)
	return trace.Verdict{}
}

// without lists the claims that have no devices, as the node needs them, and what is promised already for others.
func (c *check) without(
	node *cluster.Node, a *answer,
) (claims []*resourcev1.ResourceClaim, promised []resourcev1.AllocationResult, verdict trace.Verdict) {
	claims = make([]*resourcev1.ResourceClaim, 0, c.unallocated)
	for i := range c.needs {
		claim := c.needs[i].claim
		switch {
		case claim.Status.Allocation != nil:
			continue
		case c.needs[i].promised != nil:
			if !declaresFeatures(c.needs[i].promised, node) {
				return nil, nil, c.undeclared(claim)
			}
			promised = append(promised, *c.needs[i].promised)
			continue
		case claim == c.special && a.special != nil:
			claim = a.special.claim
		}
		claims = append(claims, claim)
	}
	return claims, promised, trace.Verdict{}
}

// undeclared is the verdict about a node that does not know how to leave the devices of a shared claim alone.
func (c *check) undeclared(claim *resourcev1.ResourceClaim) trace.Verdict {
	return rejected(
		fmt.Sprintf("resource claim %s allocation requires DRAOptionalNodeOperations feature on the node", cluster.Key(claim)),
		trace.Evidence{
			What: phrase.Textf("claim %s", cluster.Key(claim)),
			Want: trace.Wordsf("a node that declares %s", draoptionalnodeoperations.DRAOptionalNodeOperationsFeatureGate),
		},
	)
}

// refused is an error when a claim requests a part of a device, in a release that refuses that.
func (p *Plugin) refused(claims []*resourcev1.ResourceClaim) error {
	if !p.ways.PartOfDeviceIsError || p.features.ConsumableCapacity {
		return nil
	}
	shares := func(r resourcev1.DeviceSubRequest) bool { return r.Capacity != nil }
	for _, claim := range claims {
		for _, r := range claim.Spec.Devices.Requests {
			if r.Exactly != nil && r.Exactly.Capacity != nil || slices.ContainsFunc(r.FirstAvailable, shares) {
				return fmt.Errorf(
					"claim %s, request %s: has capacity requests, but the DRAConsumableCapacity feature is disabled",
					cluster.Key(claim), r.Name,
				)
			}
		}
	}
	return nil
}

var (
	noDevices   = [...]string{ReasonNoDevices}
	unavailable = [...]string{ReasonUnavailable}
)

func (c *check) prepare() error {
	if c.allocator != nil {
		return nil
	}
	c.taken = c.objects.TakenDevices()
	allocator, err := structured.NewAllocator(
		c.plugin.quiet, c.plugin.features, c.taken.State, classes{c.objects}, c.plugin.slices(c.objects), c.plugin.compiled,
	)
	c.allocator = allocator
	return err
}

// slices are what the allocator searches, by name.
func (p *Plugin) slices(objects *cluster.Objects) []*resourcev1.ResourceSlice {
	all := objects.TaintedSlices()
	if !p.ways.CountersForEveryNode {
		return all
	}
	own := true // all is cluster's
	for i, slice := range all {
		if len(slice.Spec.SharedCounters) == 0 {
			continue
		}
		if own {
			all, own = slices.Clone(all), false
		}
		everywhere := *slice
		everywhere.Spec.NodeName, everywhere.Spec.NodeSelector, everywhere.Spec.AllNodes = nil, nil, ptr.To(true)
		all[i] = &everywhere
	}
	return all
}

// classes is how the allocator looks device classes up.
type classes struct{ objects *cluster.Objects }

// List is every class, by name.
func (c classes) List() ([]*resourcev1.DeviceClass, error) {
	all := make([]*resourcev1.DeviceClass, 0, c.objects.DeviceClasses.Len())
	c.objects.DeviceClasses.Each(func(class *resourcev1.DeviceClass) bool {
		all = append(all, class)
		return true
	})
	return all, nil
}

// Get is one class; the error is kube-scheduler's.
func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	class, ok := c.objects.DeviceClasses.Find(name)
	if !ok {
		return nil, apierrors.NewNotFound(resourcev1.Resource("deviceclass"), name)
	}
	return class, nil
}

// unavailable is the verdict about allocated claims that the node cannot use, and why.
func (c *check) unavailable(node *cluster.Node, claims []int) trace.Verdict {
	evidence := c.room.Evidence(len(claims))
	for _, i := range claims {
		n := &c.needs[i]
		e := trace.Evidence{
			What: phrase.Textf("claim %s", cluster.Key(n.claim)),
			Have: trace.Wordsf("allocated %s", devicesOf(n.allocation())),
		}
		switch {
		case n.where != nil && !n.where.Match(node.API):
			e.Want = trace.Wordsf("a node that %s", selectorText(n.allocation().NodeSelector))
		case !declaresFeatures(n.claim.Status.Allocation, node):
			e.Want = trace.Wordsf("a node that declares %s", draoptionalnodeoperations.DRAOptionalNodeOperationsFeatureGate)
		default:
			if _, err := isReady(n.claim); err != nil {
				e.Want = trace.Text(err.Error())
				break
			}
			e.Want = trace.Wordsf(
				"its devices to be ready %s after %s", c.plugin.bindingTimeout,
				n.claim.Status.Allocation.AllocationTimestamp.UTC().Format(time.RFC3339),
			)
		}
		evidence = append(evidence, e)
	}
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: unavailable[:], Evidence: evidence}
}
