// Package hunt plays long drawn histories of a cluster to a whole scheduler, its queue and its caches included. It
// looks for what no history may bring about: a pod that sleeps though it would fit, one that is tried for ever, a node
// that stays nominated, an eviction that was not due, a cache that differs from the cluster, a backoff without end. The
// scheduler is behind an interface: package real has kube-scheduler, package ours has schedstep. The hunter compares no
// two schedulers; package compare does that.
//
// A history runs in virtual time, in a bubble of testing/synctest, so that goroutines and timers of kube-scheduler are
// its own. The package imports nothing of kube-scheduler, and is compiled with the client of each release from 1.29 on.
package hunt

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is an object of the API.
type Object interface {
	runtime.Object
	metav1.Object
}

// Scheduler is one process of a scheduler. Its methods are called one after the other, when nothing of it runs.
type Scheduler interface {
	// Hear takes in one notification of a watch.
	Hear(n Notice)
	// Lead begins to schedule. Until then the process listens alone, as one that waits for the lease does.
	Lead()
	// Stop ends the process.
	Stop()
	// Leap puts the clock of its queue forward. No timer goes off on the way.
	Leap(d time.Duration)
	// View is what it believes. Nodes are the names of all that there ever were.
	View(nodes []string) View
	// Fits has it try a waiting pod anew, by what it believes now: the node that it would choose, or why there is none.
	Fits(pod string) (node string, err error)
}

// New starts a process of a scheduler that knows of no object yet.
type New func(api *API) (Scheduler, error)

// Notice is a notification of a watch.
type Notice struct {
	Before Object // as the process knew it, or as it was deleted; nil: it is new
	After  Object // nil: it is gone
	// Unseen: that it is gone came out when the watch began again. Before is the last that was seen of it.
	Unseen bool
}

// View is what a scheduler believes at some moment. Pods are namespace/name, and lists are sorted.
type View struct {
	Active, Backoff, Parked []string          // in the queue; Parked has those behind gates too
	Nominated               map[string]string // the node that is kept for a pod
	Placed                  map[string]string // the node of a pod in the cache, assumed ones included
	Assumed                 []string
	Nodes                   []string
}

// Finding is something that no history may bring about.
type Finding struct {
	Invariant Invariant
	About     string // the pod or the node
	Text      string
	Reasons   string        // why the pod was refused last, without names and numbers; "": nothing is known of that
	At        time.Duration // since the history began
}

// String is the finding on one line.
func (f Finding) String() string {
	return string(f.Invariant) + ": " + f.About + " at " + f.At.String() + ": " + f.Text
}

// Kind is what stays the same of a finding while its history is made smaller.
func (f Finding) Kind() string { return strings.TrimSuffix(string(f.Invariant)+"; "+f.Reasons, "; ") }

// Invariant is what has to hold.
type Invariant string

// The invariants.
const (
	// Woken: once all is quiet, no pod is set aside that the scheduler itself would place.
	Woken Invariant = "a pod sleeps that would fit"
	// Kept: once all is quiet, every pod that waits for the scheduler is in its queue.
	Kept Invariant = "the queue has lost a pod"
	// Settled: where nothing happens, the scheduler comes to rest.
	Settled Invariant = "it does not come to rest"
	// Released: a node is kept only for a pod that waits and says so in its status.
	Released Invariant = "a nomination outlives its reason"
	// Due: a victim has a lower priority than a pod that its node was nominated for.
	Due Invariant = "an eviction that was not due"
	// Cached: once all is quiet, the cache has the nodes and pods of the cluster, and no others.
	Cached Invariant = "the cache differs from the cluster"
	// Bounded: no backoff is longer than the longest that is configured.
	Bounded Invariant = "a backoff does not end"
	// Alive: the process does not end by itself.
	Alive Invariant = "the process ends"
)
