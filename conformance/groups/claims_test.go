package groups_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/groups"
	"github.com/schedstep/schedstep/core/trace"
)

// drawWithClaims is draw with devices, on nodes and for all nodes, and members that share claims. A claim may have its
// devices already, for other pods or for none. One at most may be taken back: of several kube-scheduler takes any one.
func drawWithClaims(r *rand.Rand, zones bool) groups.Cluster {
	d := &drawing{Rand: r, Cluster: draw(r, zones)}
	d.slices()
	shared := []string{d.claim("shared-a", true), d.claim("shared-b", true)}
	for _, p := range d.Pods {
		if p.Spec.NodeName != "" {
			continue
		}
		var uses []string
		for i, name := range shared {
			if d.IntN(3+3*i) > 0 == (i == 0) {
				uses = append(uses, name)
			}
		}
		if d.IntN(2) == 0 {
			uses = append(uses, d.claim("own-"+p.Name, false))
		}
		d.Shuffle(len(uses), func(i, k int) { uses[i], uses[k] = uses[k], uses[i] })
		for i := range uses {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{
				Name: fmt.Sprint("use-", i), ResourceClaimName: &uses[i],
			})
		}
	}
	return d.Cluster
}

// slices makes devices of two models, one pool for each node and perhaps one for all.
func (d *drawing) slices() {
	large := resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{
		Expression: `device.attributes["gpu.example.com"].size == "large"`,
	}}
	d.Classes = []*resourcev1.DeviceClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "any"}},
		{
			ObjectMeta: metav1.ObjectMeta{Name: "large"},
			Spec:       resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{large}},
		},
	}
	for _, n := range d.Nodes {
		s := d.slice(n.Name, d.IntN(5))
		s.Spec.NodeName = &n.Name
	}
	if everywhere := true; d.IntN(3) == 0 {
		d.slice("fabric", 1+d.IntN(3)).Spec.AllNodes = &everywhere
	}
}

func (d *drawing) slice(pool string, devices int) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" + pool, UID: types.UID("slice-" + pool)}}
	s.Spec.Driver = "gpu.example.com"
	s.Spec.Pool = resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	for i := range devices {
		size := []string{"large", "small"}[d.IntN(2)]
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{
			Name:       fmt.Sprint("d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"size": {StringValue: &size}},
		})
	}
	d.Slices = append(d.Slices, s)
	return s
}

// claim is a claim for one or two devices, or for a large one where there is one.
func (d *drawing) claim(name string, shared bool) string {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: "1",
	}}
	exactly := func(class string, count int64) *resourcev1.ExactDeviceRequest {
		return &resourcev1.ExactDeviceRequest{
			DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		}
	}
	r := resourcev1.DeviceRequest{Name: "req"}
	switch d.IntN(8) {
	case 0, 1:
		r.Exactly = exactly("large", 1)
	case 2:
		r.Exactly = exactly("any", 2)
	case 3, 4:
		for _, class := range []string{"large", "any"} {
			r.FirstAvailable = append(r.FirstAvailable, resourcev1.DeviceSubRequest{
				Name: class, DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1,
			})
		}
	case 5:
		r.Exactly = exactly([]string{"any", "missing"}[min(1, d.IntN(6)/5)], 1)
	default:
		r.Exactly = exactly("any", 1)
	}
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{r}
	if shared && d.IntN(4) == 0 {
		d.allocate(c)
	}
	d.Claims = append(d.Claims, c)
	return name
}

// allocate gives a claim the last device of a pool, for a pod that is elsewhere in the namespace, or for none.
func (d *drawing) allocate(c *resourcev1.ResourceClaim) {
	s := d.Slices[d.IntN(len(d.Slices))]
	for _, other := range d.Claims {
		if a := other.Status.Allocation; a != nil && a.Devices.Results[0].Pool == s.Spec.Pool.Name {
			return
		}
	}
	if len(s.Spec.Devices) == 0 || len(c.Spec.Devices.Requests[0].FirstAvailable) > 0 {
		return
	}
	c.Finalizers = []string{resourcev1.Finalizer}
	c.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{{
			Request: "req", Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: s.Spec.Devices[len(s.Spec.Devices)-1].Name,
		}},
	}}
	if s.Spec.NodeName != nil {
		c.Status.Allocation.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{*s.Spec.NodeName},
			}},
		}}}
	}
	if c.Name != "shared-a" || d.IntN(2) == 0 {
		c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "other", UID: "other"}}
	}
}

// TestGroupsShareClaimsAsInKubeScheduler compares also what each claim has in the end. The binding cycles of members,
// which kube-scheduler runs side by side, run one after the other.
func TestGroupsShareClaimsAsInKubeScheduler(t *testing.T) {
	if err := groups.Gates(gates); err != nil {
		t.Fatal(err)
	}
	for _, zones := range []bool{false, true} {
		t.Run(fmt.Sprint("zones=", zones), func(t *testing.T) {
			run := compare.Run{Test: t.Name(), To: int(*cases), Differences: map[string]int{}}
			kinds := map[trace.Outcome]int{}
			shown := map[string]int{}
			for seed := range *cases {
				c := drawWithClaims(rand.New(rand.NewPCG(seed, 2)), zones)
				mine, cycle := ours(t, c)
				if byChance(cycle) {
					shown["chance"]++
					continue
				}
				yours, err := groups.Theirs(c, len(mine.Evicted))
				if err == nil && anyOfTheirs(mine, yours, c) {
					shown["chance"]++
					continue
				}
				if !agree(t, &run, seed, mine, yours, err) {
					continue
				}
				kinds[cycle.Ended.Outcome]++
				count(shown, mine)
			}
			if err := run.Save(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %v", kinds, shown)
			for _, what := range []string{"allocated elsewhere", "not available", "shared", "kept for others"} {
				if shown[what] == 0 {
					t.Errorf("no cluster shows %q: %v", what, shown)
				}
			}
		})
	}
}

// anyOfTheirs reports whether chance decides when a claim was taken back: a member has a second one that is shared and
// has no devices, which kube-scheduler may choose and write as it is; or preemption comes next, and may or may not see
// the devices free already.
func anyOfTheirs(mine, yours groups.Outcome, c groups.Cluster) bool {
	free := map[string]bool{}
	taken := ""
	for _, claim := range c.Claims {
		free[claim.Name] = claim.Status.Allocation == nil && strings.HasPrefix(claim.Name, "shared")
		if claim.Status.Allocation != nil && len(claim.Status.ReservedFor) == 0 && mine.Claims[claim.Name] == " for " {
			taken = claim.Name
		}
	}
	if failed := strings.Contains(mine.Condition+yours.Condition, "SchedulerError"); taken == "" || !failed {
		return taken != ""
	}
	for _, p := range c.Pods {
		other, has := false, false
		for _, use := range p.Spec.ResourceClaims {
			other, has = other || free[*use.ResourceClaimName], has || *use.ResourceClaimName == taken
		}
		if other && has {
			return true
		}
	}
	return false
}

// count notes what an outcome shows.
func count(shown map[string]int, o groups.Outcome) {
	all := ""
	for _, message := range o.Failed {
		all += message
	}
	for what, text := range map[string]string{
		"allocated elsewhere": "got allocated elsewhere", "not available": "resourceclaim not available on the node",
		"in flight": "in the process of being allocated",
	} {
		if strings.Contains(all, text) {
			shown[what]++
		}
	}
	for _, name := range []string{"shared-a", "shared-b"} {
		users := strings.Fields(o.Claims[name])
		if i := slices.Index(users, "for"); len(users)-i > 2 {
			shown["shared"]++
			if slices.Contains(users, "other") {
				shown["kept for others"]++
			}
		}
	}
}
