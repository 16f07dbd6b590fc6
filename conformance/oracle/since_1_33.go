//go:build !before_1_33

package oracle

import "k8s.io/client-go/tools/cache"

// AddEventHandlerWithOptions is part of the informers since 1.33.
func (i informer) AddEventHandlerWithOptions(
	h cache.ResourceEventHandler, _ cache.HandlerOptions,
) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

// SetWatchErrorHandlerWithContext is part of the informers since 1.33.
func (informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}

// nominationsWake reports whether the deletion of a pod that had a node kept for it is an event.
const nominationsWake = true
