package fakeapi

import (
	"fmt"
	"slices"

	"k8s.io/client-go/tools/cache"
)

// sortedIndexer lists objects by key, where client-go lists them in map order.
type sortedIndexer struct {
	cache.Indexer
}

func (s sortedIndexer) List() []any {
	keys := s.ListKeys()
	slices.Sort(keys)
	objects := make([]any, 0, len(keys))
	for _, key := range keys {
		if object, found, err := s.GetByKey(key); err == nil && found {
			objects = append(objects, object)
		}
	}
	return objects
}

func (s sortedIndexer) Index(name string, object any) ([]any, error) {
	objects, err := s.Indexer.Index(name, object)
	return sortByKey(objects), err
}

func (s sortedIndexer) ByIndex(name, value string) ([]any, error) {
	objects, err := s.Indexer.ByIndex(name, value)
	return sortByKey(objects), err
}

func sortByKey(objects []any) []any {
	keys := make(map[any]string, len(objects))
	for _, object := range objects {
		keys[object], _ = cache.MetaNamespaceKeyFunc(object)
	}
	slices.SortFunc(objects, func(a, b any) int {
		switch {
		case keys[a] < keys[b]:
			return -1
		case keys[a] > keys[b]:
			return 1
		}
		return 0
	})
	return objects
}

// Informer has what the SharedIndexInformer of every release has, except for the handlers of events, which are others
// from release to release. Its events are delivered before the call that caused them returns: no watch, no goroutine,
// no waiting.
type Informer struct {
	idle
	listeners []Listener
}

// Listener receives events.
type Listener struct {
	Added, Deleted func(object any)
	Updated        func(before, after any)
}

func newInformer() *Informer {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	return &Informer{idle: idle{sortedIndexer{cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, indexers)}}}
}

// Listen calls there with every object that is there, and the listener with the changes from now on.
func (i *Informer) Listen(there func(object any), l Listener) {
	for _, object := range i.indexer.List() {
		there(object)
	}
	i.listeners = append(i.listeners, l)
}

func (i *Informer) add(object any) error {
	if err := i.indexer.Add(object); err != nil {
		return fmt.Errorf("informer add: %w", err)
	}
	for _, l := range i.listeners {
		l.Added(object)
	}
	return nil
}

func (i *Informer) update(before, after any) error {
	if err := i.indexer.Update(after); err != nil {
		return fmt.Errorf("informer update: %w", err)
	}
	for _, l := range i.listeners {
		l.Updated(before, after)
	}
	return nil
}

func (i *Informer) remove(object any) error {
	if err := i.indexer.Delete(object); err != nil {
		return fmt.Errorf("informer delete: %w", err)
	}
	for _, l := range i.listeners {
		l.Deleted(object)
	}
	return nil
}

// idle is what an informer needs that never runs and never lags.
type idle struct{ indexer sortedIndexer }

func (i idle) GetStore() cache.Store                     { return i.indexer }
func (i idle) GetIndexer() cache.Indexer                 { return i.indexer }
func (i idle) AddIndexers(indexers cache.Indexers) error { return i.indexer.AddIndexers(indexers) }
func (idle) GetController() cache.Controller             { return nil }
func (idle) Run(<-chan struct{})                         {}
func (idle) HasSynced() bool                             { return true }
func (idle) LastSyncResourceVersion() string             { return "" }
