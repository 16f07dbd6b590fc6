package live_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/live"
)

// driving is a scheduler that places the pods of the name "schedstep" in a cluster.
type driving struct {
	*testing.T
	server *apiserver.Server
	feed   *live.Feed
	driver *live.Driver
	player *play.Player

	mu      sync.Mutex
	written []live.Written
}

func drive(t *testing.T, s *apiserver.Server, o live.DriveOptions) *driving {
	t.Helper()
	d := &driving{T: t, server: s}
	c := connect(t, s)
	feed, err := c.Follow(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d.feed = feed
	o.SchedulerName, o.Answer = "schedstep", feed.Answer
	o.Tell = func(w live.Written) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.written = append(d.written, w)
	}
	if d.driver, err = c.Drive(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(feed.Stop)
	t.Cleanup(func() { d.driver.Close(t.Context()) })
	d.player = d.play(feed.Log(), d.driver.Act)
	return d
}

// play is a player of a log, whose effects go to act.
func (d *driving) play(log *source.Log, act func(core.Effect, *cluster.State, time.Time)) *play.Player {
	in := input.FromLog("live", d.feed.Opened(), log, d.feed.Opening(), nil)
	in.Drive(act)
	return in.Play(config.Default().Only("schedstep"), 0, trace.Full)
}

// until runs the scheduler until something holds.
func (d *driving) until(what string, holds func() bool) {
	d.Helper()
	const most = 1000 // changes of the log, of which there are thirty in a second
	for n := 0; !holds(); n++ {
		changed := d.feed.Log().Changed()
		for {
			if _, more := d.player.Step(); !more {
				break
			}
		}
		if <-changed; n > most {
			d.Fatalf("never came: %s; what came: %q", what, d.told())
		}
	}
}

// told are the results of the driver's orders, in order, as text.
func (d *driving) told() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, w := range d.written {
		text := w.Wish
		if w.Fault != "" {
			text += ": " + w.Fault
		}
		all = append(all, text)
	}
	return all
}

func (d *driving) says(text string) func() bool {
	return func() bool {
		return slices.ContainsFunc(d.told(), func(s string) bool { return strings.Contains(s, text) })
	}
}

// nodeOf is where the API server has a pod.
func (d *driving) nodeOf(pod string) string {
	p, is := d.server.Get(cluster.KindPod, "shop/"+pod).(*corev1.Pod)
	if !is {
		return "gone"
	}
	return p.Spec.NodeName
}

func (d *driving) isOn(pod, node string) func() bool {
	return func() bool {
		p, known := d.player.Scheduler().State().Pod("shop/" + pod)
		return known && p.NodeName == node && d.nodeOf(pod) == node
	}
}

// ours is a pod that schedstep is to place.
func ours(name string) *corev1.Pod {
	p := apiserver.Pod(name, "")
	p.Spec.SchedulerName = "schedstep"
	return p
}

// holding is a driver that shows the Binding of a pod to n1 before it is sent.
func holding(t *testing.T, pod string) (*apiserver.Server, *driving) {
	t.Helper()
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Put(ours(pod))
	d := drive(t, s, live.DriveOptions{})
	d.driver.Hold(true)
	d.until("something is held", func() bool { return len(d.driver.Held()) > 0 })
	return s, d
}

func TestADriverPlacesThePodsOfItsNameAndNoOthers(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Put(apiserver.Pod("foreign", ""))
	d := drive(t, s, live.DriveOptions{})
	s.Put(ours("web"))
	d.until("web is on n1", d.isOn("web", "n1"))
	d.until("it is reported", d.says("report Normal Scheduled shop/web"))
	if n := d.nodeOf("foreign"); n != "" {
		t.Errorf("the pod of another scheduler is on %q", n)
	}
	events := strings.Join(s.Texts("events"), "\n")
	for _, want := range []string{
		`"note":"Successfully assigned shop/web to n1"`, `"reportingController":"schedstep"`, `"action":"Binding"`,
	} {
		if !strings.Contains(events, want) {
			t.Errorf("no event has %s:\n%s", want, events)
		}
	}
}

func TestWhatIsHeldIsShownAndSentOnlyWhenItIsReleased(t *testing.T) {
	_, d := holding(t, "web")
	want := `create pods/web/binding -n shop {"kind":"Binding","apiVersion":"v1",` +
		`"metadata":{"name":"web","namespace":"shop","uid":"web"},"target":{"kind":"Node","name":"n1"}}`
	if held := d.driver.Held(); held[0] != want || d.nodeOf("web") != "" {
		t.Errorf("held: %q, and the pod is on %q", held, d.nodeOf("web"))
	}
	d.driver.Release()
	d.until("web is on n1", d.isOn("web", "n1"))
}

func TestWhatTheUserRefusesComesBackAsARefusal(t *testing.T) {
	_, d := holding(t, "web")
	d.driver.Refuse("the user said no")
	d.driver.Hold(false)
	d.until("it is reported", d.says(`FailedScheduling shop/web: running Bind plugin "DefaultBinder": the user said no`))
	if _, assumed := d.player.Scheduler().State().Assumed("shop/web"); assumed || d.nodeOf("web") != "" {
		t.Error("the pod has its place still")
	}
}

// Another scheduler binds the pod after ours has decided and before its Binding arrives.
func TestAPodThatSomebodyElseBoundIsLeftThere(t *testing.T) {
	s, d := holding(t, "web")
	theirs := ours("web")
	theirs.Spec.NodeName = "n2"
	s.Put(theirs)
	d.driver.Hold(false)
	d.driver.Release()
	d.until("the binding is refused", d.says("bind shop/web to n1: refused by the test"))
	d.until("web is on n2", d.isOn("web", "n2"))
	if _, assumed := d.player.Scheduler().State().Assumed("shop/web"); assumed {
		t.Error("the pod has its place still")
	}
	if d.says("Scheduled shop/web")() {
		t.Errorf("an event says that it was bound: %v", d.told())
	}
}

// An API server takes a Binding to a node that it does not have, and kube-scheduler leaves the pod there as well: the
// garbage collector deletes it later. The pod after it goes where there is a node.
func TestANodeThatGoesBetweenTheDecisionAndTheBindingIsNoEnd(t *testing.T) {
	s, d := holding(t, "web")
	s.Remove(apiserver.Node("n1"))
	d.until("the node is gone here too", func() bool {
		_, there := d.player.Scheduler().State().Node("n1")
		return !there
	})
	d.driver.Hold(false)
	d.driver.Release()
	d.until("web is on n1", d.isOn("web", "n1"))
	s.Put(apiserver.Node("n2"))
	s.Put(ours("next"))
	d.until("next is on n2", d.isOn("next", "n2"))
	if _, assumed := d.player.Scheduler().State().Assumed("shop/web"); assumed {
		t.Error("the binding is over, and the pod is assumed still")
	}
}

func TestAPodIsBoundByHand(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Put(apiserver.Pod("web", ""))
	d := drive(t, s, live.DriveOptions{})
	request, send, err := d.driver.ByHand(t.Context(), "shop/web", "n1")
	if err != nil || !strings.HasPrefix(request, "create pods/web/binding -n shop {") || d.nodeOf("web") != "" {
		t.Fatalf("%s %v", request, err)
	}
	if err := send(); err != nil || d.nodeOf("web") != "n1" || !d.says("bind shop/web to n1 by hand")() {
		t.Errorf("%v; the pod is on %q; told %q", err, d.nodeOf("web"), d.told())
	}
	if err := send(); err == nil || !strings.Contains(err.Error(), "409 Conflict") {
		t.Errorf("the second time: %v", err)
	}
	if _, _, err := d.driver.ByHand(t.Context(), "shop/web", "n2"); err == nil ||
		err.Error() != "pod shop/web is on node n1 by now" {
		t.Error(err)
	}
	if _, _, err := d.driver.ByHand(t.Context(), "shop/none", "n2"); err == nil {
		t.Error("a pod that is not there is bound")
	}
}

func TestAPodWithoutANodeIsToldWhyOnce(t *testing.T) {
	s := apiserver.New(t)
	d := drive(t, s, live.DriveOptions{})
	s.Put(ours("web"))
	d.until("it is reported", d.says("FailedScheduling"))
	p := s.Get(cluster.KindPod, "shop/web").(*corev1.Pod)
	if c := p.Status.Conditions; len(c) != 1 || c[0].Status != corev1.ConditionFalse || c[0].Reason != "Unschedulable" ||
		c[0].Message != "no nodes available to schedule pods" {
		t.Errorf("the conditions are %v", c)
	}
	again := func() bool { return len(d.told()) > 1 }
	s.Put(apiserver.Node("taken"))
	s.Remove(apiserver.Node("taken"))
	d.until("it is tried again", again)
	patches := 0
	for _, r := range s.Requests() {
		if r == "PATCH /api/v1/namespaces/shop/pods/web/status" {
			patches++
		}
	}
	if patches != 1 {
		t.Errorf("%d patches say the same", patches)
	}
}

func TestVictimsAreToldAndDeleted(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Put(apiserver.Pod("low-1", "n1"))
	s.Put(apiserver.Pod("low-2", "n1"))
	d := drive(t, s, live.DriveOptions{})
	high := ours("high")
	priority := int32(1000)
	high.Spec.Priority = &priority
	s.Put(high)
	d.until("high is on n1", d.isOn("high", "n1"))
	left := 0
	for _, name := range []string{"low-1", "low-2"} {
		if d.nodeOf(name) == "n1" {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d of the two others are left: %v", left, d.told())
	}
	d.until("the victim is reported", d.says("report Normal Preempted shop/low-"))
	events := strings.Join(s.Texts("events"), "\n")
	if !strings.Contains(events, `"related":{"apiVersion":"v1","kind":"Pod","name":"high"`) {
		t.Errorf("no event says who gains:\n%s", events)
	}
}

func TestALiveDriveIsReplayedToTheSameHashes(t *testing.T) {
	s, d := holding(t, "refused")
	d.driver.Refuse("no")
	d.driver.Hold(false)
	d.until("it is reported", d.says("FailedScheduling"))
	s.Put(ours("web"))
	d.until("web is on n1", d.isOn("web", "n1"))
	d.driver.Close(t.Context())
	d.feed.Stop()
	for _, more := d.player.Step(); more; _, more = d.player.Step() {
	}
	first := hashes(t, d.play(d.feed.Log(), nil))
	second := hashes(t, d.play(d.feed.Log(), func(core.Effect, *cluster.State, time.Time) {}))
	if strings.Join(first, "\n") != strings.Join(second, "\n") || len(first) != int(d.player.Scheduler().Cycles()) {
		t.Errorf("%d cycles ran; a replay has\n%v\nand another one\n%v", d.player.Scheduler().Cycles(), first, second)
	}
}

func TestADryRunChangesNothing(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Put(ours("web"))
	d := drive(t, s, live.DriveOptions{DryRun: true})
	d.until("it is reported", d.says("report Normal Scheduled shop/web"))
	if n := d.nodeOf("web"); n != "" {
		t.Errorf("the pod is on %q", n)
	}
}

func TestAServerThatIsAwayLeavesNothingAssumed(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	s.Put(ours("web"))
	d := drive(t, s, live.DriveOptions{})
	s.Refuse("/api/v1/namespaces/shop/pods/web/binding", http.StatusForbidden)
	d.until("the binding is refused", d.says("bind shop/web to n1: refused by the test"))
	d.until("nothing is assumed", func() bool {
		_, assumed := d.player.Scheduler().State().Assumed("shop/web")
		return !assumed
	})
	s.Refuse("/api/v1/namespaces/shop/pods/web/binding", 0)
	d.until("web is on n1", d.isOn("web", "n1"))
}

// contest has one driver hold the lease, which it renews so often, until stop, and another one wait for it.
func contest(t *testing.T, renew time.Duration) (
	s *apiserver.Server, waits <-chan string, over <-chan error, stop context.CancelFunc,
) {
	t.Helper()
	s = apiserver.New(t)
	first := drive(t, s, live.DriveOptions{Renew: renew})
	second := drive(t, s, live.DriveOptions{Renew: time.Millisecond})
	run, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	nobody := func(holder string) { t.Errorf("the first waits for %s", holder) }
	if err := first.driver.Acquire(run, "one", nobody, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	met, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- second.driver.Acquire(t.Context(), "two", func(holder string) { met <- holder }, func(error) {})
	}()
	return s, met, ended, stop
}

func TestOneOfTwoDriversWaits(t *testing.T) {
	s, waits, over, stop := contest(t, time.Millisecond)
	if holder := <-waits; holder != "one" {
		t.Errorf("it waits for %q", holder)
	}
	stop() // the first gives the lease back
	if err := <-over; err != nil {
		t.Error(err)
	}
	if lease := strings.Join(s.Texts("leases"), ""); !strings.Contains(lease, `"holderIdentity":"two"`) {
		t.Error(lease)
	}
}

func TestWhoWaitsForTheLeaseOutlastsAServerThatFails(t *testing.T) {
	s, waits, over, stop := contest(t, time.Hour)
	const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/schedstep-schedstep"
	<-waits
	s.Refuse(lease, http.StatusInternalServerError)
	failed := func() (n int) {
		for _, r := range s.Requests() {
			if strings.Contains(r, lease) {
				n++
			}
		}
		return n
	}
	for begun := failed(); failed() < begun+3; {
		select {
		case err := <-over:
			t.Fatalf("it gave up: %v", err)
		default:
			runtime.Gosched()
		}
	}
	s.Refuse(lease, 0)
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// clock is a time that a test sets.
type clock struct{ moment atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(c.moment.Load(), 0) }

func TestTheLeaseOfADriverThatWasKilledIsTakenWhenItIsOver(t *testing.T) {
	s := apiserver.New(t)
	dead := drive(t, s, live.DriveOptions{Renew: time.Hour}) // it never renews
	run, stop := context.WithCancel(t.Context())
	defer stop()
	if err := dead.driver.Acquire(run, "dead", nil, nil); err != nil {
		t.Fatal(err)
	}
	var c clock
	heir := drive(t, s, live.DriveOptions{Renew: time.Millisecond, Now: c.now})
	waited := false
	err := heir.driver.Acquire(t.Context(), "heir", func(string) {
		waited = true
		c.moment.Store(15)
	}, nil)
	if lease := strings.Join(s.Texts("leases"), ""); err != nil || !waited ||
		!strings.Contains(lease, `"holderIdentity":"heir"`) || !strings.Contains(lease, `"leaseTransitions":1`) {
		t.Errorf("%v, waited %v: %s", err, waited, lease)
	}
}

func TestADriverWhoseLeaseIsTakenWritesNothingMore(t *testing.T) {
	s := apiserver.New(t)
	s.Put(apiserver.Node("n1"))
	var c clock
	slow := drive(t, s, live.DriveOptions{Renew: time.Millisecond, Now: c.now})
	lost := make(chan error, 1)
	if err := slow.driver.Acquire(t.Context(), "slow", nil, func(err error) { lost <- err }); err != nil {
		t.Fatal(err)
	}
	s.Refuse("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/schedstep-schedstep", http.StatusForbidden)
	c.moment.Store(10)
	if err := <-lost; !errors.Is(err, live.ErrLeaseLost) {
		t.Error(err)
	}
	s.Put(ours("web"))
	slow.until("its binding is refused", func() bool {
		_, where, _ := slow.player.Scheduler().Queue().Find("shop/web")
		return where == "backoffQ"
	})
	if n := slow.nodeOf("web"); n != "" {
		t.Errorf("the pod is on %q", n)
	}
}
