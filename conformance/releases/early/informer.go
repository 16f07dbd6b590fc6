package early

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/conformance/fakeapi"
)

// informer is a SharedIndexInformer as releases before 1.20 have it.
type informer struct{ *fakeapi.Informer }

// Informer is one that never lists and watches.
func Informer(i *fakeapi.Informer) cache.SharedIndexInformer { return informer{i} }

// AddEventHandler calls h with what is there.
func (i informer) AddEventHandler(h cache.ResourceEventHandler) {
	i.Listen(h.OnAdd, fakeapi.Listener{Added: h.OnAdd, Updated: h.OnUpdate, Deleted: h.OnDelete})
}

// AddEventHandlerWithResyncPeriod is the same: no event comes again.
func (i informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) {
	i.AddEventHandler(h)
}
