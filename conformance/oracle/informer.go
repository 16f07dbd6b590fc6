package oracle

import (
	"context"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/conformance/fakeapi"
)

// informer is a SharedIndexInformer of the releases from 1.29 on.
type informer struct{ *fakeapi.Informer }

var _ cache.SharedIndexInformer = informer{}

// InformerOf is an informer of the release, made of ours.
func InformerOf(i *fakeapi.Informer) cache.SharedIndexInformer { return informer{i} }

func (i informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.Listen(func(object any) { h.OnAdd(object, true) }, fakeapi.Listener{
		Added: func(object any) { h.OnAdd(object, false) }, Updated: h.OnUpdate, Deleted: h.OnDelete,
	})
	return synced{}, nil
}

func (i informer) AddEventHandlerWithResyncPeriod(
	h cache.ResourceEventHandler, _ time.Duration,
) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (informer) RunWithContext(context.Context)                                  {}
func (informer) SetTransform(cache.TransformFunc) error                          { return nil }
func (informer) IsStopped() bool                                                 { return false }

// synced is the registration of every handler: events never lag.
type synced struct{}

func (synced) HasSynced() bool { return true }
func (synced) Name() string    { return "oracle" }

func (synced) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}
