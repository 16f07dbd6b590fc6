package dynamicresources_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// reserve filters on every node and takes the first, as core does when it chose it.
func reserve(t *testing.T, s *cluster.State, p *corev1.Pod) (framework.Reservation, *cluster.Node) {
	t.Helper()
	found := study(s, p)
	n := s.Snapshot().Nodes[0]
	if found.Check == nil {
		t.Fatalf("PreFilter: %s", found.Verdict)
	}
	if v := found.Check.Filter(n); !v.OK() {
		t.Fatalf("Filter: %s", v)
	}
	r := plugin().Reserve(framework.ReserveAsk{Pod: s.ParsePod(p), Node: n, Check: found.Check, Known: s})
	for _, a := range r.Assume {
		if err := s.AssumeObject(a); err != nil {
			t.Fatal(err)
		}
	}
	return r, n
}

func TestPromisedDevicesAreNobodyElses(t *testing.T) {
	s := build.State(node(
		"n",
	), class("gpu"), slice("n", device("d0", "a100")), claim("a", exactly("req", "gpu", 1)), claim(
		"b", exactly("req", "gpu", 1),
	))
	r, _ := reserve(t, s, pod("p", "a"))
	if !r.Verdict.OK() || len(r.Assume) != 1 || r.Hold.String() != "default/a: gpu.example.com/pool-n/d0" {
		t.Fatalf("got %s, %d assumptions, hold %v", r.Verdict, len(r.Assume), r.Hold)
	}
	if got := verdicts(t, s, pod("q", "b"))[0]; got.String() != cannotAllocate {
		t.Errorf("another claim: got %s, want %s", got, cannotAllocate)
	}
	want := "UnschedulableAndUnresolvable: resource claim default/a is in the process of being allocated"
	if got := study(s, pod("q", "a")).Verdict; got.String() != want {
		t.Errorf("the same claim: got %s, want %s", got, want)
	}
	s.AbandonObject(r.Assume[0])
	if got := verdicts(t, s, pod("q", "b"))[0]; !got.OK() {
		t.Errorf("after the promise was dropped: got %s", got)
	}
}

func TestPromiseEndsWithTheNewsOfTheAllocation(t *testing.T) {
	s := build.State(node("n"), class("gpu"), slice("n", device("d0", "a100")), claim("a", exactly("req", "gpu", 1)))
	reserve(t, s, pod("p", "a"))
	s.Apply(cluster.Event{Action: cluster.Update, Object: claim("a", exactly("req", "gpu", 1))})
	if _, still := s.Objects().ResourceClaims.Assumed("default/a"); !still {
		t.Error("a version without allocation ended the promise")
	}
	s.Apply(cluster.Event{Action: cluster.Update, Object: allocated(claim("a"), "n", "d0", "p")})
	if _, still := s.Objects().ResourceClaims.Assumed("default/a"); still {
		t.Error("the allocation did not end the promise")
	}
	s.Apply(cluster.Event{Action: cluster.Update, Object: claim("a", exactly("req", "gpu", 1))})
	if taken := s.Objects().TakenDevices().State.AllocatedDevices.Len(); taken != 0 {
		t.Errorf("%d devices are taken after the claim gave its device back", taken)
	}
}

func TestPromiseEndsWithThePod(t *testing.T) {
	p := pod("p", "a")
	s := build.State(node("n"), class("gpu"), slice("n", device("d0", "a100")), claim("a", exactly("req", "gpu", 1)), p)
	reserve(t, s, p)
	s.Apply(cluster.Event{Action: cluster.Delete, Object: p})
	if taken := s.Objects().TakenDevices().State.AllocatedDevices.Len(); taken != 0 {
		t.Errorf("%d devices are taken for a pod that is gone", taken)
	}
}

func TestPreBindWritesTheClaim(t *testing.T) {
	s := build.State(node("n"), class("gpu"), slice("n", device("d0", "a100")), claim("a", exactly("req", "gpu", 1)))
	p := pod("p", "a")
	r, _ := reserve(t, s, p)
	ask := framework.BindAsk{Pod: s.ParsePod(p), Node: "n", Hold: r.Hold, Known: s, Now: epoch, Since: epoch}
	if v := plugin().PreFlight(ask); !v.OK() {
		t.Errorf("PreFlight: %s", v)
	}
	got := plugin().PreBind(ask)
	if !got.Verdict.OK() || len(got.Writes) != 1 || got.Writes[0].Action != cluster.Update {
		t.Fatalf("got %s and %d writes", got.Verdict, len(got.Writes))
	}
	written := got.Writes[0].Object.(*resourcev1.ResourceClaim)
	if diff := cmp.Diff([]string{resourcev1.Finalizer}, written.Finalizers); diff != "" {
		t.Error(diff)
	}
	if r := written.Status.ReservedFor; len(r) != 1 || r[0].Name != "p" || r[0].UID != p.UID || r[0].Resource != "pods" {
		t.Errorf("reserved for %+v", r)
	}
	a := written.Status.Allocation
	if a.Devices.Results[0].Device != "d0" || !a.AllocationTimestamp.Time.Equal(epoch) ||
		a.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values[0] != "n" {
		t.Errorf("allocation %+v", a)
	}
	ask.Hold = got.Hold
	undone := plugin().Unreserve(ask)
	if len(undone) != 1 || len(undone[0].Object.(*resourcev1.ResourceClaim).Status.ReservedFor) != 0 {
		t.Errorf("Unreserve writes %+v", undone)
	}
}

func TestPreBindFailsOnAClaimThatChanged(t *testing.T) {
	going := claim("a", exactly("req", "gpu", 1))
	going.DeletionTimestamp = &metav1.Time{Time: epoch}
	for _, test := range []struct {
		name string
		news cluster.Event
		says string
	}{
		{
			"deleted",
			cluster.Event{Action: cluster.Delete, Object: claim("a")},
			`add allocation and reservation to claim default/a: resourceclaims.resource.k8s.io "a" not found`,
		},
		{"going", cluster.Event{Action: cluster.Update, Object: going}, "claim default/a got deleted in the meantime"},
		{
			"allocated",
			cluster.Event{Action: cluster.Update, Object: allocated(claim("a"), "n", "d0")},
			"claim default/a got allocated elsewhere in the meantime",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n"), class("gpu"), slice("n", device("d0", "a100")), claim("a", exactly("req", "gpu", 1)))
			p := pod("p", "a")
			r, _ := reserve(t, s, p)
			s.Apply(test.news)
			got := plugin().PreBind(
				framework.BindAsk{Pod: s.ParsePod(p), Node: "n", Hold: r.Hold, Known: s, Now: epoch, Since: epoch},
			)
			if want := "Error: " + test.says; got.Verdict.String() != want || len(got.Writes) > 0 {
				t.Errorf("got %s and %d writes, want %s", got.Verdict, len(got.Writes), want)
			}
		})
	}
}

// attached is the claim after the driver reported a condition of its device.
func attached(c *resourcev1.ResourceClaim, condition string) *resourcev1.ResourceClaim {
	c = c.DeepCopy()
	r := c.Status.Allocation.Devices.Results[0]
	c.Status.Devices = []resourcev1.AllocatedDeviceStatus{{
		Driver: r.Driver, Pool: r.Pool, Device: r.Device, Conditions: []metav1.Condition{
			{Type: condition, Status: metav1.ConditionTrue, Reason: "Because", Message: "so"},
		},
	}}
	return c
}

func TestPodWaitsUntilItsDeviceIsReady(t *testing.T) {
	for _, test := range []struct {
		name  string
		after time.Duration
		tells string // the condition the driver reports by then
		want  string
	}{
		{"not yet", 5 * time.Second, "", "Wait"},
		{"ready", 5 * time.Second, "attached", "Success"},
		{"failed", 5 * time.Second, "broken", `Error: device binding failed: claim=a, reason=Because, message="so"`},
		{"never", 10 * time.Minute, "", "Error: device binding timeout: context deadline exceeded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := device("d0", "a100")
			d.BindingConditions, d.BindingFailureConditions = []string{"attached"}, []string{"broken"}
			s := build.State(node("n"), class("gpu"), slice("n", d), claim("a", exactly("req", "gpu", 1)))
			p := pod("p", "a")
			r, _ := reserve(t, s, p)
			ask := framework.BindAsk{Pod: s.ParsePod(p), Node: "n", Hold: r.Hold, Known: s, Now: epoch, Since: epoch}
			first := plugin().PreBind(ask)
			if first.Verdict.Code != trace.Wait || !first.Again.Equal(epoch.Add(5*time.Second)) {
				t.Fatalf("at first: got %s until %s", first.Verdict, first.Again)
			}
			if diff := cmp.Diff(
				[]string{"device gpu.example.com/pool-n/d0: wants condition attached"}, build.Texts(first.Verdict.Evidence),
			); diff != "" {
				t.Error(diff)
			}
			written := first.Writes[0].Object.(*resourcev1.ResourceClaim)
			if test.tells != "" {
				written = attached(written, test.tells)
			}
			s.Apply(cluster.Event{Action: cluster.Update, Object: written})
			ask.Hold, ask.Now, ask.Round = first.Hold, epoch.Add(test.after), 1
			if got := plugin().PreBind(ask); got.Verdict.String() != test.want || len(got.Writes) > 0 {
				t.Errorf("then: got %s and %d writes, want %s", got.Verdict, len(got.Writes), test.want)
			}
		})
	}
}

func TestBetterAlternativesScoreMore(t *testing.T) {
	prefer := resourcev1.DeviceRequest{Name: "req", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "large", DeviceClassName: "large", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
		{Name: "any", DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
	}}
	s := build.State(
		node("n"), node("m"), class("gpu"), class("large", `device.attributes["gpu.example.com"].model == "a100"`),
		slice("n", device("d0", "t4")), slice("m", device("d0", "a100")), claim("a", prefer),
	)
	check := study(s, pod("p", "a")).Check
	nodes := s.Snapshot().Nodes
	for _, n := range nodes {
		if v := check.Filter(n); !v.OK() {
			t.Fatalf("%s: %s", n.Name, v)
		}
	}
	scorer := check.(framework.Ranker).Rank(nodes).Scorer
	raw := make([]int64, len(nodes))
	if v := scorer.Score(nodes, raw); !v.OK() {
		t.Fatal(v)
	}
	if diff := cmp.Diff([]int64{7, 8}, raw); diff != "" {
		t.Errorf("raw (-want +got):\n%s", diff)
	}
	why := scorer.(framework.Reasoner).Why(nodes[0])
	if diff := cmp.Diff(
		[]string{"claim default/a request req: wants large, has any, used 7, capacity 8"}, build.Texts(why),
	); diff != "" {
		t.Error(diff)
	}
	scorer.Normalize(nodes, raw)
	if diff := cmp.Diff([]int64{87, 100}, raw); diff != "" {
		t.Errorf("normalised (-want +got):\n%s", diff)
	}
}

func TestPostFilterGivesBackTheFirstClaimThatIsInTheWay(t *testing.T) {
	for _, test := range []struct {
		name    string
		claims  []*resourcev1.ResourceClaim
		verdict string
		frees   string
	}{
		{
			"nobody uses it",
			[]*resourcev1.ResourceClaim{allocated(claim("b"), "m", "d0"), allocated(claim("a"), "m", "d1")},
			"Unschedulable: deallocation of ResourceClaim completed", "a",
		},
		{
			"only the pod uses it",
			[]*resourcev1.ResourceClaim{allocated(claim("a"), "m", "d0", "p")},
			"Unschedulable: deallocation of ResourceClaim completed", "a",
		},
		{"another uses it", []*resourcev1.ResourceClaim{allocated(claim("a"), "m", "d0", "other")}, "Unschedulable", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n"))
			var names []string
			for _, c := range test.claims {
				s.Apply(cluster.Event{Object: c})
				names = append(names, c.Name)
			}
			p := pod("p", names...)
			check := study(s, p).Check
			said := check.Filter(s.Snapshot().Nodes[0])
			got := plugin().PostFilter(framework.PostFilterAsk{
				Pod: s.ParsePod(p), Snapshot: s.Snapshot(), RejectedBy: func(int) string {
					if said.OK() {
						return ""
					}
					return dynamicresources.Name
				},
				Judge: framework.Judge{Checks: []framework.Check{check}}, Filters: []string{dynamicresources.Name},
			})
			if got.Verdict.String() != test.verdict {
				t.Errorf("got %s, want %s", got.Verdict, test.verdict)
			}
			frees := ""
			for _, w := range got.Writes {
				c := w.Object.(*resourcev1.ResourceClaim)
				if c.Status.Allocation != nil || c.Status.ReservedFor != nil {
					t.Errorf("%s keeps its status", c.Name)
				}
				frees += c.Name
			}
			if frees != test.frees {
				t.Errorf("frees %q, want %q", frees, test.frees)
			}
		})
	}
}

func TestPostFilterWithoutStudyIsAnError(t *testing.T) {
	got := plugin().PostFilter(framework.PostFilterAsk{Unasked: []string{dynamicresources.Name}})
	if got.Verdict.String() != "Error: not found" {
		t.Errorf("got %s", got.Verdict)
	}
}

func TestExtendedResourcesComeFromDevices(t *testing.T) {
	gpu := class("gpu")
	served := "example.com/gpu"
	gpu.Spec.ExtendedResourceName = &served
	p := wants(pod("p"), corev1.ResourceName(served), "1")
	p.Spec.InitContainers = []corev1.Container{{Name: "greedy", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceName(served): resource.MustParse("2")},
	}}}
	s := build.State(node("n"), gpu, slice("n", device("d0", "a100"), device("d1", "a100")))
	r, _ := reserve(t, s, p)
	got := plugin().PreBind(framework.BindAsk{
		Pod: s.ParsePod(p), Node: "n", Hold: r.Hold, Known: stateWith(s, p), Now: epoch, Since: epoch,
	})
	if !got.Verdict.OK() || len(got.Writes) != 2 {
		t.Fatalf("got %s and %d writes", got.Verdict, len(got.Writes))
	}
	made := got.Writes[0].Object.(*resourcev1.ResourceClaim)
	var requests []string
	for _, request := range made.Spec.Devices.Requests {
		requests = append(requests, request.Name)
	}
	if diff := cmp.Diff([]string{"container-0-request-0", "container-1-request-0"}, requests); diff != "" ||
		made.Name == "" {
		t.Errorf("claim %q (-want +got):\n%s", made.Name, diff)
	}
	status := got.Writes[1].Object.(*corev1.Pod).Status.ExtendedResourceClaimStatus
	want := &corev1.PodExtendedResourceClaimStatus{
		ResourceClaimName: made.Name, RequestMappings: []corev1.ContainerExtendedResourceRequest{
			{ContainerName: "main", ResourceName: served, RequestName: "container-1-request-0"},
			{ContainerName: "greedy", ResourceName: served, RequestName: "container-1-request-0"},
			{ContainerName: "greedy", ResourceName: served, RequestName: "container-0-request-0"},
		},
	}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("pod status (-want +got):\n%s", diff)
	}
}

func stateWith(s *cluster.State, p *corev1.Pod) *cluster.State {
	s.Apply(cluster.Event{Object: p})
	return s
}

func TestNodesServeExtendedResourcesOnePodAtATime(t *testing.T) {
	gpu := class("gpu")
	served := "example.com/gpu"
	gpu.Spec.ExtendedResourceName = &served
	plugged := node("plugged")
	plugged.Status.Allocatable = corev1.ResourceList{corev1.ResourceName(served): resource.MustParse("4")}
	p := wants(pod("p"), corev1.ResourceName(served), "1")
	written := claim("p-extended", exactly("container-0-request-0", "gpu", 1))
	controller := true
	written.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
	written.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: "p", UID: p.UID, Controller: &controller},
	}
	for _, test := range []struct {
		name    string
		objects []cluster.Object
		verdict string
	}{
		{"a device plugin serves it", []cluster.Object{plugged}, "Success"},
		{"a free device serves it", []cluster.Object{node("n"), slice("n", device("d0", "a100"))}, "Success"},
		{"no device serves it", []cluster.Object{node("n")}, cannotAllocate},
		{
			"a claim is left over",
			[]cluster.Object{node("n"), written, slice("n", device("d0", "a100"))},
			"UnschedulableAndUnresolvable: " + dynamicresources.ReasonStale,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(append(test.objects, gpu)...)
			if got := verdicts(t, s, p)[0]; got.String() != test.verdict {
				t.Errorf("got %s, want %s", got, test.verdict)
			}
		})
	}
}

func TestClaimsThatHelpWake(t *testing.T) {
	free, mine := claim("a", exactly("req", "gpu", 1)), claim("c", exactly("req", "gpu", 1))
	finalized := mine.DeepCopy()
	finalized.Finalizers = []string{resourcev1.Finalizer}
	for _, test := range []struct {
		name     string
		old, new *resourcev1.ResourceClaim
		want     bool
	}{
		{"a foreign claim gives a device back", allocated(free, "n", "d0"), free, true},
		{"a foreign claim is made", nil, free, false},
		{"an allocated claim is deleted", allocated(free, "n", "d0"), nil, true},
		{"a claim without devices is deleted", free, nil, false},
		{"its own claim is made", nil, mine, true},
		{"its own claim is allocated", mine, allocated(mine, "n", "d0"), true},
		{"its own claim gets a finalizer", mine, finalized, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(node("n"), mine)
			change := cluster.Change{Kind: cluster.KindResourceClaim}
			if test.old != nil {
				change.Old = test.old
			}
			if test.new != nil {
				change.New = test.new
				s.Apply(cluster.Event{Action: cluster.Update, Object: test.new})
			}
			got, err := plugin().Hints()[1].Helps(s.ParsePod(pod("parked", "c")), &change, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}

func TestRulesAboutDevicesAreNewsOfTheirSlices(t *testing.T) {
	s := build.State(slice("n", device("d0", "a100")), slice("m", device("d1", "a100")))
	pool := "pool-m"
	rule := &resourcev1.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "rule"}, Spec: resourcev1.DeviceTaintRuleSpec{
		DeviceSelector: &resourcev1.DeviceTaintSelector{Pool: &pool},
		Taint:          resourcev1.DeviceTaint{Key: "recall", Effect: resourcev1.DeviceTaintEffectNoSchedule},
	}}
	for _, action := range []cluster.Action{cluster.Add, cluster.Delete} {
		var told []string
		for _, change := range s.Apply(cluster.Event{Action: action, Object: rule}) {
			for _, e := range change.Events() {
				told = append(told, e.Label()+" "+change.New.GetName())
			}
		}
		if diff := cmp.Diff([]string{"resource.k8s.io/ResourceSliceUpdate slice-m"}, told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", action, diff)
		}
	}
}
