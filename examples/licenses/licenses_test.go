package licenses

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	fwk "k8s.io/kube-scheduler/framework"
)

// fakeHandle is what the plugin uses of a Handle: one node, a client, and informers that are filled by hand.
type fakeHandle struct {
	fwk.Handle
	fwk.SharedLister
	fwk.NodeInfoLister
	node    *corev1.Node
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
}

func (h *fakeHandle) SnapshotSharedLister() fwk.SharedLister                 { return h }
func (h *fakeHandle) NodeInfos() fwk.NodeInfoLister                          { return h }
func (h *fakeHandle) Get(string) (fwk.NodeInfo, error)                       { return info{node: h.node}, nil }
func (h *fakeHandle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *fakeHandle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }

type info struct {
	fwk.NodeInfo
	node *corev1.Node
}

func (i info) Node() *corev1.Node { return i.node }

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: "default", UID: types.UID(name), Labels: map[string]string{WantLabel: "true"},
	}}
}

// made is the plugin on a node with two licenses, and pods that the API has.
func made(t *testing.T, pods ...*corev1.Pod) (*Licenses, *fakeHandle) {
	t.Helper()
	h := &fakeHandle{
		node:   &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Annotations: map[string]string{Annotation: "2"}}},
		client: fake.NewClientset(),
	}
	for _, p := range pods {
		if _, err := h.client.CoreV1().Pods("default").Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	h.factory = informers.NewSharedInformerFactory(h.client, 0)
	p, err := New(t.Context(), nil, h)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Licenses), h
}

func TestLicensesRunOut(t *testing.T) {
	l, h := made(t)
	for _, name := range []string{"a", "b"} {
		if status := l.Reserve(t.Context(), nil, pod(name), "n1"); !status.IsSuccess() {
			t.Fatal(status)
		}
	}
	want := "all 2 licenses of the node are held"
	if got := l.Filter(t.Context(), nil, pod("c"), info{node: h.node}); got.Message() != want {
		t.Errorf("got %v", got)
	}
	l.Unreserve(t.Context(), nil, pod("a"), "n1")
	if got := l.Filter(t.Context(), nil, pod("c"), info{node: h.node}); !got.IsSuccess() {
		t.Errorf("one was given back: %v", got)
	}
}

func TestTheNumberIsWrittenToThePod(t *testing.T) {
	a := pod("a")
	l, h := made(t, a)
	l.Reserve(t.Context(), nil, pod("other"), "n1")
	l.Reserve(t.Context(), nil, a, "n1")
	if status := l.PreBind(t.Context(), nil, a, "n1"); !status.IsSuccess() {
		t.Fatal(status)
	}
	now, err := h.client.CoreV1().Pods("default").Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || now.Annotations[Number] != "2" {
		t.Errorf("%v, %v", now.Annotations, err)
	}
}

func TestAPodThatHoldsNothingIsNotBound(t *testing.T) {
	l, _ := made(t)
	if status := l.PreBind(t.Context(), nil, pod("a"), "n1"); !status.IsError() {
		t.Errorf("got %v", status)
	}
}

func TestPodsOnNodesAreLearned(t *testing.T) {
	l, h := made(t)
	there := pod("there")
	there.Spec.NodeName, there.Annotations = "n1", map[string]string{Number: "1"}
	l.see(there)
	l.mu.Lock()
	defer l.mu.Unlock()
	if got := l.free(h.node); got != 2 {
		t.Errorf("%d is free, want 2", got)
	}
}

func TestWhatFilterComparedIsReturned(t *testing.T) {
	l, h := made(t)
	l.Reserve(t.Context(), nil, pod("a"), "n1")
	l.Reserve(t.Context(), nil, pod("b"), "n1")
	got := l.FilterEvidence(t.Context(), nil, pod("c"), info{node: h.node})
	if len(got) != 1 || got[0].Have != 0 || got[0].Used != 2 || got[0].Capacity != 2 {
		t.Errorf("got %+v", got)
	}
}
