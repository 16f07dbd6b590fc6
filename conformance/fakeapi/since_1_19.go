//go:build !before_1_19

package fakeapi

import "k8s.io/client-go/tools/cache"

// SetWatchErrorHandler does nothing: nothing is watched.
func (idle) SetWatchErrorHandler(cache.WatchErrorHandler) error { return nil }
