package live

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/core/cluster"
)

// TestAServerThatDoesNotAnswerIsTold looks at the state while a request waits, as if it had been sent long ago.
func TestAServerThatDoesNotAnswerIsTold(t *testing.T) {
	f := &Feed{cluster: &Cluster{}}
	f.health.down = map[cluster.Kind]Fault{}
	waits := func() {
		if got := f.State(); !got.IsZero() {
			t.Errorf("the request was sent just now: %q", got)
		}
		f.health.asked["Node"] = time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
		if got := f.State().String(); !strings.Contains(got, "since 03:04:05: it does not answer") {
			t.Errorf("nobody has answered for months: %q", got)
		}
	}
	source := f.watched("Node", &cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			waits()
			return &corev1.NodeList{}, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			waits()
			return watch.NewEmptyWatch(), nil
		},
	}, &first{done: make(chan struct{})})
	for name, ask := range map[string]func() error{
		"a list":  func() error { _, err := source.ListWithContext(t.Context(), metav1.ListOptions{}); return err },
		"a watch": func() error { _, err := source.WatchWithContext(t.Context(), metav1.ListOptions{}); return err },
	} {
		if err := ask(); err != nil || !f.State().IsZero() {
			t.Errorf("%s is answered: %v, %q", name, err, f.State())
		}
	}
}
