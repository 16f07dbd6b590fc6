package live

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Fault is what keeps a kind from being followed.
type Fault struct {
	Since time.Time
	Why   phrase.Phrase // as the end of a sentence
}

// health is which kinds are cut off from the server. Client-go tries again by itself; health only records the results.
type health struct {
	mu    sync.Mutex
	down  map[cluster.Kind]Fault
	asked map[cluster.Kind]time.Time // when a request was sent that the server has not answered yet
}

// State is the connection in a few words, for a status line: nothing while all is well.
func (f *Feed) State() phrase.Phrase {
	allowed := f.cluster.answerTime()
	f.health.mu.Lock()
	defer f.health.mu.Unlock()
	var worst Fault
	for _, fault := range f.health.down {
		if worst.Since.IsZero() || fault.Since.Before(worst.Since) {
			worst = fault
		}
	}
	for kind, asked := range f.health.asked {
		listed := f.cluster.served[kind]
		if put, is := f.cluster.later.of(pathOf(listed.GroupVersion()) + "/" + listed.Resource); is {
			if worst.Since.IsZero() || put.since.Before(worst.Since) {
				worst = f.cluster.fault(put)
			}
			continue
		}
		if time.Since(asked) > allowed && (worst.Since.IsZero() || asked.Before(worst.Since)) {
			worst = Fault{Since: asked, Why: phrase.New("it does not answer")}
		}
	}
	return worst.state()
}

// state is the fault in a few words; nothing when there is none.
func (f Fault) state() phrase.Phrase {
	if f.Since.IsZero() {
		return phrase.Phrase{}
	}
	return phrase.New("cut off since %s: %s", f.Since.Local().Format(time.TimeOnly), f.Why)
}

// forget is for kinds that are not followed.
func (h *health) forget(kinds []cluster.Kind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, kind := range kinds {
		delete(h.down, kind)
	}
}

// asks records that a request is sent, and returns a function that records its end.
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

// watched is a source that reports its health. The first list that fails ends the first with the error.
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
			lists := o.SendInitialEvents != nil
			switch {
			case lists && err != nil && !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err):
				if !isUnknownWay(err) {
					f.note(ctx, kind, err)
				}
				return events, err // an ordinary list is tried next, or this again
			case err != nil || !lists: // a list is well when something of it comes
				f.fares(ctx, kind, begun, err)
			}
			if err != nil {
				return events, err
			}
			return f.hear(ctx, kind, begun, events, lists), nil
		},
	}
}

// heard is a watch whose faults are recorded.
type heard struct {
	watch.Interface
	events chan watch.Event
	gone   chan struct{}
	once   sync.Once
}

// ResultChan brings the events of the watch.
func (h *heard) ResultChan() <-chan watch.Event { return h.events }

// Stop ends the watch.
func (h *heard) Stop() {
	h.once.Do(func() { close(h.gone) })
	h.Interface.Stop()
}

// hear passes on the events of a watch. An error among them is a fault. With lists the first event shows that the
// server answers.
func (f *Feed) hear(ctx context.Context, kind cluster.Kind, begun *first, events watch.Interface, lists bool) *heard {
	h := &heard{Interface: events, events: make(chan watch.Event), gone: make(chan struct{})}
	f.running.Go(func() {
		defer close(h.events)
		for e := range events.ResultChan() {
			switch {
			case e.Type == watch.Error && lists: // an ordinary list is tried next
			case e.Type == watch.Error:
				f.fares(ctx, kind, begun, apierrors.FromObject(e.Object))
			case lists:
				f.fares(ctx, kind, begun, nil)
				lists = false
			}
			select {
			case h.events <- e:
			case <-h.gone:
				return
			}
		}
	})
	return h
}

// fares records how a request went. An error after which the server wants another try is no end.
func (f *Feed) fares(ctx context.Context, kind cluster.Kind, begun *first, err error) {
	if ctx.Err() != nil {
		return
	}
	f.note(ctx, kind, err)
	if err != nil && !apierrors.IsTooManyRequests(err) && !apierrors.IsServerTimeout(err) &&
		!apierrors.IsResourceExpired(err) {
		begun.end(err)
	}
}

// isUnknownWay reports whether an error is that of a server that cannot list by a watch.
func isUnknownWay(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && (apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsMethodNotSupported(err) || apierrors.ReasonForError(err) == metav1.StatusReasonUnknown)
}

// note writes down how a request went.
func (f *Feed) note(ctx context.Context, kind cluster.Kind, err error) {
	if ctx.Err() != nil {
		return
	}
	f.health.mu.Lock()
	defer f.health.mu.Unlock()
	switch before, known := f.health.down[kind]; {
	case err == nil && known:
		delete(f.health.down, kind)
		klog.Background().Info("Followed again", "kind", kind)
	case err == nil:
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
	case known:
		f.health.down[kind] = Fault{before.Since, f.cluster.reason(err)}
	default:
		f.health.down[kind] = Fault{time.Now(), f.cluster.reason(err)}
		klog.Background().Info("Cut off", "kind", kind, "why", f.health.down[kind].Why.String(), "error", err.Error())
	}
}
