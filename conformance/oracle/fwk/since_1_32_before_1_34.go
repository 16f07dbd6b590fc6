//go:build before_1_34 && !before_1_32

package fwk

import "k8s.io/kubernetes/pkg/scheduler/framework"

// EventResource is a kind of object that events are about.
type EventResource = framework.EventResource
