package host

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/client-go/tools/cache"
)

// informer is a SharedIndexInformer that never lags: it calls its handlers before the change that it shows returns, and
// starts no goroutine.
type informer struct {
	indexer  sorted
	handlers []*registration
}

var _ cache.SharedIndexInformer = (*informer)(nil)

func newInformer() *informer {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	return &informer{indexer: sorted{cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)}}
}

func (i *informer) add(object any) {
	_ = i.indexer.Add(object)
	i.each(func(h cache.ResourceEventHandler) { h.OnAdd(object, false) })
}

func (i *informer) update(before, after any) {
	_ = i.indexer.Update(after)
	i.each(func(h cache.ResourceEventHandler) { h.OnUpdate(before, after) })
}

func (i *informer) remove(object any) {
	_ = i.indexer.Delete(object)
	i.each(func(h cache.ResourceEventHandler) { h.OnDelete(object) })
}

func (i *informer) each(call func(cache.ResourceEventHandler)) {
	for _, r := range slices.Clone(i.handlers) {
		call(r.handler)
	}
}

// AddEventHandler calls h with what is there, and with changes from now on.
func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, object := range i.indexer.List() {
		h.OnAdd(object, true)
	}
	r := &registration{handler: h}
	i.handlers = append(i.handlers, r)
	return r, nil
}

// AddEventHandlerWithResyncPeriod is AddEventHandler: nothing is lost that a resync would bring back.
func (i *informer) AddEventHandlerWithResyncPeriod(
	h cache.ResourceEventHandler, _ time.Duration,
) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

// AddEventHandlerWithOptions is AddEventHandler.
func (i *informer) AddEventHandlerWithOptions(
	h cache.ResourceEventHandler, _ cache.HandlerOptions,
) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

// RemoveEventHandler takes a handler out.
func (i *informer) RemoveEventHandler(h cache.ResourceEventHandlerRegistration) error {
	i.handlers = slices.DeleteFunc(i.handlers, func(r *registration) bool { return r == h })
	return nil
}

func (i *informer) GetStore() cache.Store                            { return i.indexer }
func (i *informer) GetIndexer() cache.Indexer                        { return i.indexer }
func (i *informer) AddIndexers(indexers cache.Indexers) error        { return i.indexer.AddIndexers(indexers) }
func (*informer) GetController() cache.Controller                    { return nil }
func (*informer) Run(<-chan struct{})                                {}
func (*informer) RunWithContext(context.Context)                     {}
func (*informer) HasSynced() bool                                    { return true }
func (*informer) HasSyncedChecker() cache.DoneChecker                { return &registration{} }
func (*informer) LastSyncResourceVersion() string                    { return "" }
func (*informer) SetWatchErrorHandler(cache.WatchErrorHandler) error { return nil }
func (*informer) SetTransform(cache.TransformFunc) error             { return nil }
func (*informer) IsStopped() bool                                    { return false }
func (*informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}

// registration is a handler that has seen everything.
type registration struct{ handler cache.ResourceEventHandler }

func (*registration) HasSynced() bool { return true }
func (*registration) HasSyncedChecker() cache.DoneChecker {
	return &registration{}
}
func (*registration) Name() string { return "schedstep" }

func (*registration) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// sorted lists objects by key, where client-go lists them in the order of a map.
type sorted struct{ cache.Indexer }

func (s sorted) List() []any { return byKey(s.Indexer.List()) }

func (s sorted) Index(name string, object any) ([]any, error) {
	objects, err := s.Indexer.Index(name, object)
	return byKey(objects), err
}

func (s sorted) ByIndex(name, value string) ([]any, error) {
	objects, err := s.Indexer.ByIndex(name, value)
	return byKey(objects), err
}

func byKey(objects []any) []any {
	type keyed struct {
		key    string
		object any
	}
	list := make([]keyed, len(objects))
	for i, o := range objects {
		key, _ := cache.MetaNamespaceKeyFunc(o)
		list[i] = keyed{key, o}
	}
	slices.SortFunc(list, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i := range list {
		objects[i] = list[i].object
	}
	return objects
}
