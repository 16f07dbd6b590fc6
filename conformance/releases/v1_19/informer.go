package main

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/conformance/fakeapi"
)

// informer is a SharedIndexInformer of 1.19.
type informer struct{ *fakeapi.Informer }

func informerOf(i *fakeapi.Informer) cache.SharedIndexInformer { return informer{i} }

// AddEventHandler tells h of what is there.
func (i informer) AddEventHandler(h cache.ResourceEventHandler) {
	i.Listen(h.OnAdd, fakeapi.Listener{Added: h.OnAdd, Updated: h.OnUpdate, Deleted: h.OnDelete})
}

// AddEventHandlerWithResyncPeriod is the same: nothing is told again.
func (i informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) {
	i.AddEventHandler(h)
}
