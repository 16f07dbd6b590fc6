package versus

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
)

// server stands for the API server: a binding costs nothing, and it records the bindings. It gets no other request.
type server struct {
	*fake.Clientset

	mu    sync.Mutex
	done  *sync.Cond
	bound map[string]string // by pod: its node
	ended int               // cycles that bound their pod or gave it up
}

func newServer() *server {
	s := &server{Clientset: &fake.Clientset{}, bound: map[string]string{}}
	s.done = sync.NewCond(&s.mu)
	return s
}

// end remembers that a cycle has ended, and which node its pod was bound to, if any.
func (s *server) end(pod, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if node != "" {
		s.bound[pod] = node
	}
	s.ended++
	s.done.Broadcast()
}

// wait returns when that many cycles have ended.
func (s *server) wait(cycles int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.ended < cycles {
		s.done.Wait()
	}
}

func (s *server) CoreV1() typedcorev1.CoreV1Interface { return coreV1{s.Clientset.CoreV1(), s} }

type coreV1 struct {
	typedcorev1.CoreV1Interface
	server *server
}

func (c coreV1) Pods(namespace string) typedcorev1.PodInterface {
	return podsV1{c.CoreV1Interface.Pods(namespace), c.server}
}

type podsV1 struct {
	typedcorev1.PodInterface
	server *server
}

func (p podsV1) Bind(_ context.Context, b *corev1.Binding, _ metav1.CreateOptions) error {
	p.server.end(b.Namespace+"/"+b.Name, b.Target.Name)
	return nil
}

// noEvents discards every event.
type noEvents struct{}

func (noEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}
func (n noEvents) WithLogger(klog.Logger) events.EventRecorderLogger                           { return n }
