package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/core/cluster"
)

// Fault is what keeps a kind from being followed.
type Fault struct {
	Since time.Time
	Why   string // as the end of a sentence
}

// health is which kinds are cut off from the server. Client-go asks again by itself; here is only written down what
// comes of it.
type health struct {
	mu    sync.Mutex
	down  map[cluster.Kind]Fault
	asked map[cluster.Kind]time.Time // when a request was sent that the server has not answered yet
}

// patience is how long a server may take to answer a list or to begin a watch before that counts as silence. A list of
// 50,000 pods takes a few seconds.
const patience = 15 * time.Second

// State is the connection in a few words, for a status line: "" while all is well.
func (f *Feed) State() string {
	f.health.mu.Lock()
	defer f.health.mu.Unlock()
	var worst Fault
	for _, fault := range f.health.down {
		if worst.Since.IsZero() || fault.Since.Before(worst.Since) {
			worst = fault
		}
	}
	for _, asked := range f.health.asked {
		if time.Since(asked) > patience && (worst.Since.IsZero() || asked.Before(worst.Since)) {
			worst = Fault{Since: asked, Why: "it does not answer"}
		}
	}
	if worst.Since.IsZero() {
		return ""
	}
	return fmt.Sprintf("cut off since %s: %s", worst.Since.Local().Format(time.TimeOnly), worst.Why)
}

// forget is for kinds that are not followed.
func (h *health) forget(kinds []cluster.Kind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, kind := range kinds {
		delete(h.down, kind)
	}
}

// asks writes down that a request is sent, and returns what writes down that it has ended.
func (h *health) asks(kind cluster.Kind) (ended func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked == nil {
		h.asked = map[cluster.Kind]time.Time{}
	}
	h.asked[kind] = time.Now()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.asked, kind)
	}
}

// watched is a source that tells how it fares. The first list that fails ends the first with the error.
func (f *Feed) watched(kind cluster.Kind, source *cache.ListWatch, begun *first) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			ended := f.health.asks(kind)
			list, err := source.ListWithContext(ctx, o)
			ended()
			f.fares(ctx, kind, begun, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			ended := f.health.asks(kind)
			events, err := source.WatchWithContext(ctx, o)
			ended()
			if o.SendInitialEvents != nil && err != nil && !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
				return events, err // an ordinary list is tried next
			}
			f.fares(ctx, kind, begun, err)
			return events, err
		},
	}
}

// fares writes down how a request went. What a server asks to be tried again is no end.
func (f *Feed) fares(ctx context.Context, kind cluster.Kind, begun *first, err error) {
	if ctx.Err() != nil {
		return
	}
	f.health.mu.Lock()
	defer f.health.mu.Unlock()
	switch _, known := f.health.down[kind]; {
	case err == nil:
		delete(f.health.down, kind)
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
	case !known:
		f.health.down[kind] = Fault{Since: time.Now(), Why: f.cluster.reason(err)}
	}
	if err != nil && !apierrors.IsTooManyRequests(err) && !apierrors.IsServerTimeout(err) &&
		!apierrors.IsResourceExpired(err) {
		begun.end(err)
	}
}
