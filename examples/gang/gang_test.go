package gang

import (
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// fakeHandle is what the plugin uses of a Handle.
type fakeHandle struct {
	fwk.Handle
	factory   informers.SharedInformerFactory
	waiting   []*fakeWaiting
	activated []string
}

func (h *fakeHandle) Activate(_ klog.Logger, pods map[string]*corev1.Pod) {
	h.activated = slices.Sorted(maps.Keys(pods))
}

func (h *fakeHandle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }

func (h *fakeHandle) IterateOverWaitingPods(f func(fwk.WaitingPod)) {
	for _, w := range h.waiting {
		f(w)
	}
}

type fakeWaiting struct {
	fwk.WaitingPod
	pod     *corev1.Pod
	outcome string
}

func (w *fakeWaiting) GetPod() *corev1.Pod { return w.pod }
func (w *fakeWaiting) Allow(string)        { w.outcome = "allowed" }
func (w *fakeWaiting) Reject(_, message string) bool {
	w.outcome = message
	return true
}

func member(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: "default", UID: types.UID(name),
		Labels: map[string]string{GangLabel: "web", SizeLabel: "3"},
	}}
}

// made is the plugin in a cluster of some pods.
func made(t *testing.T, pods ...*corev1.Pod) (*Gang, *fakeHandle) {
	t.Helper()
	h := &fakeHandle{factory: informers.NewSharedInformerFactory(fake.NewClientset(), 0)}
	for _, p := range pods {
		if err := h.factory.Core().V1().Pods().Informer().GetStore().Add(p); err != nil {
			t.Fatal(err)
		}
	}
	p, err := New(t.Context(), nil, h)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Gang), h
}

func TestAGangThatIsNotCreatedAsAWholeIsRejected(t *testing.T) {
	a, b := member("a"), member("b")
	g, _ := made(t, a, b)
	_, status := g.PreFilter(t.Context(), nil, a, nil)
	if status.Code() != fwk.UnschedulableAndUnresolvable || status.Message() != "gang web has 2 of 3 pods" {
		t.Errorf("got %v", status)
	}
}

func TestAGangThatBecomesWholeIsTriedAgainOnce(t *testing.T) {
	a, b, c := member("a"), member("b"), member("c")
	g, h := made(t, a, b, c)
	for _, want := range [][]string{{"default/b", "default/c"}, nil} {
		h.activated = nil
		if _, status := g.PreFilter(t.Context(), nil, a, nil); !status.IsSuccess() {
			t.Fatal(status)
		}
		if !slices.Equal(h.activated, want) {
			t.Errorf("%v are activated, want %v", h.activated, want)
		}
	}
}

func TestTheLastPodLetsTheOthersGo(t *testing.T) {
	a, b, c := member("a"), member("b"), member("c")
	g, h := made(t, a, b, c)
	if status, timeout := g.Permit(t.Context(), nil, a, "n1"); !status.IsWait() || timeout != 30*time.Second {
		t.Errorf("the first: %v, %v", status, timeout)
	}
	h.waiting = []*fakeWaiting{{pod: a}, {pod: b}}
	if status, _ := g.Permit(t.Context(), nil, c, "n1"); !status.IsSuccess() {
		t.Errorf("the last: %v", status)
	}
	for _, w := range h.waiting {
		if w.outcome != "allowed" {
			t.Errorf("%s is not allowed: %q", w.pod.Name, w.outcome)
		}
	}
}

func TestAPodThatFitsNowhereGivesUpItsGang(t *testing.T) {
	a, b, c := member("a"), member("b"), member("c")
	g, h := made(t, a, b, c)
	h.waiting = []*fakeWaiting{{pod: a}, {pod: b}}
	_, status := g.PostFilter(t.Context(), nil, c, nil)
	if status.Message() != "gang web gave up 2 waiting pods" || h.waiting[0].outcome != "pod c of gang web fits nowhere" {
		t.Errorf("got %v, %q", status, h.waiting[0].outcome)
	}
}

func TestOnlyAnotherPodOfTheGangWakes(t *testing.T) {
	other := member("b")
	other.Labels[GangLabel] = "db"
	for _, c := range []struct {
		new  *corev1.Pod
		want fwk.QueueingHint
	}{{member("b"), fwk.Queue}, {other, fwk.QueueSkip}} {
		if got, err := sibling(klog.Background(), member("a"), nil, c.new); got != c.want || err != nil {
			t.Errorf("%v: %v, %v", c.new.Labels, got, err)
		}
	}
}

func TestWrongArgsAreRefused(t *testing.T) {
	_, h := made(t)
	for _, raw := range []string{`{"timeoutSeconds": 0}`, `{"timeoutSeconds": "1m"}`} {
		if _, err := New(t.Context(), &runtime.Unknown{Raw: []byte(raw)}, h); err == nil {
			t.Errorf("%s is taken", raw)
		}
	}
}
