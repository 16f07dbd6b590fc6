package main

import (
	"fmt"
	"slices"
	"time"

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

// informer is a SharedIndexInformer whose events are delivered before the call
// that caused them returns: no watch, no goroutine, no waiting.
type informer struct {
	indexer  sortedIndexer
	handlers []cache.ResourceEventHandler
}

var _ cache.SharedIndexInformer = (*informer)(nil)

func newInformer() *informer {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	return &informer{indexer: sortedIndexer{cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)}}
}

func (i *informer) add(object any) error {
	if err := i.indexer.Add(object); err != nil {
		return fmt.Errorf("informer add: %w", err)
	}
	for _, h := range i.handlers {
		h.OnAdd(object)
	}
	return nil
}

func (i *informer) update(before, after any) error {
	if err := i.indexer.Update(after); err != nil {
		return fmt.Errorf("informer update: %w", err)
	}
	for _, h := range i.handlers {
		h.OnUpdate(before, after)
	}
	return nil
}

func (i *informer) remove(object any) error {
	if err := i.indexer.Delete(object); err != nil {
		return fmt.Errorf("informer delete: %w", err)
	}
	for _, h := range i.handlers {
		h.OnDelete(object)
	}
	return nil
}

// AddEventHandler tells h of what is there.
func (i *informer) AddEventHandler(h cache.ResourceEventHandler) {
	for _, object := range i.indexer.List() {
		h.OnAdd(object)
	}
	i.handlers = append(i.handlers, h)
}

func (i *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) {
	i.AddEventHandler(h)
}

func (i *informer) GetStore() cache.Store     { return i.indexer }
func (i *informer) GetIndexer() cache.Indexer { return i.indexer }

func (i *informer) AddIndexers(indexers cache.Indexers) error {
	return i.indexer.AddIndexers(indexers)
}
func (i *informer) GetController() cache.Controller                    { return nil }
func (i *informer) Run(<-chan struct{})                                {}
func (i *informer) HasSynced() bool                                    { return true }
func (i *informer) LastSyncResourceVersion() string                    { return "" }
func (i *informer) SetWatchErrorHandler(cache.WatchErrorHandler) error { return nil }
