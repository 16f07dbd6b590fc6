// Package inside describes the parts of kube-scheduler that do not change where a pod goes, release by release: its
// cache, and how it starts, with the files and functions of its source. It is data. The tests of conformance compare
// the places with that source.
package inside

import (
	"slices"

	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/schedstep/schedstep/core/cluster"
)

// Place is a function, a method or a type of kube-scheduler.
type Place struct {
	File string // below the root of Kubernetes
	Name string // Name, or Type.Name
}

// String is the place as it is looked up.
func (p Place) String() string { return p.File + " " + p.Name }

// Cache is how a release keeps nodes, and how a cycle gets its snapshot of them.
type Cache struct {
	Type Place // of the cache
	// Listed has the nodes in a list too, the one that changed last at its head, and generations that count the changes of
	// all nodes; else a map alone has them, and a generation counts the changes of one node.
	Listed bool
	Update Place // what copies nodes that changed into the snapshot
	Into   string
	// Tree is what lists nodes by zone; without a name: nothing does, and the informer's store of nodes has no order.
	Tree   Place
	Anew   bool // for every cycle; else only when a node is new, or missed
	Images bool // it knows which image is on how many nodes
}

// Stage is a part of the start.
type Stage uint8

// The stages.
const (
	Options Stage = iota
	Configuration
	Clients
	Informers
	Queue
	Handlers
	Sync
	Loop
)

// Step is a stage with where it is.
type Step struct {
	Stage Stage
	Place Place
	Calls []Place // what is gone through, in the order of the calls
}

// Start is how a release starts, up to the loop of its cycles.
type Start struct {
	Steps    []Step // in the order of the release
	Defaults Place  // what a configuration begins as
	Unsynced bool   // nothing waits for the lists
	Lister   bool   // what lists pods to predicates is the cache
	AnyPod   bool   // the queue gets the pods of every scheduler, and a pop drops those of others
	Watches  []Watch
	Parts    Parts
	Queue    []string // the methods of its queue's interface; nil: it has none, or it was not read
	Beside   bool     // the cycles have a goroutine of their own, beside the one that closes the queue
	// Workers is how many nodes are looked at at the same time; Fixed: that is a constant, else a default.
	Workers int
	Fixed   bool
}

// Parts are what a scheduler is made of.
type Parts struct {
	Type   Place // whose fields they are
	Fields []Part
	Folder string // with its packages; "": it was not read
	// Packages are the folders in it, in the order of the alphabet.
	Packages []Package
}

// Package is a folder with what it is there for.
type Package struct {
	Name string
	Job  Job
}

// Job is what a package is there for.
type Job uint8

// The jobs.
const (
	Judging     Job = iota // predicates and priorities
	Providing              // sets of them by name
	Configuring            // the types of a Policy
	Choosing               // the algorithm
	Assembling             // of a scheduler out of its parts
	Measuring
	Believing // the cache
	Testing
	Helping
	VolumeBinding
)

// Part is one of them.
type Part struct {
	Name string // of the field
	Role Role
}

// Role is what a part is there for.
type Role uint8

// The roles.
const (
	Keeps      Role = iota // the cache of nodes and pods
	Nexts                  // takes the next pod out of the queue
	Queues                 // the queue
	Decides                // one pod in, one node out
	Fails                  // puts back what was not placed
	Binds                  // writes the choice to the API server
	Conditions             // writes the condition PodScheduled
	ListsNodes             // for predicates and priorities
	Records                // records events
	Stops                  // ends the loop
	Syncs                  // waits for the lists
	Evicts                 // the victims of a preemption, and nominates
	BindsVolumes
	Remembers  // answers of predicates
	Configures // profiles
	Extends    // calls extenders
	Speaks     // the client of the API server
	Snapshots  // the nodes as one cycle sees them
	Suffices   // the share of nodes that is enough
	Turns      // where the next search begins
	Knows      // which handlers had their first list
)

// Watch is an informer.
type Watch struct {
	Kind cluster.Kind
	// For are the plugins that register it: it is there while a profile has one of them. None: it is there always.
	For  []string
	Does Handler
}

// Handler is what the handlers of an informer do.
type Handler uint8

// What handlers do.
const (
	Reads  Handler = iota // there are none: plugins read what it lists
	Wakes                 // they move pods of the queue that wait for such an event
	Caches                // they keep the cache
	Sorts                 // of pods: those with a node to the cache, those without to the queue
	Groups                // of pod groups: they keep the queue
)

// minorOf is the number of a release such as "1.36"; ok is false for one that was not read.
func minorOf(release string) (minor int, ok bool) {
	version, err := utilversion.ParseGeneric(release)
	if err != nil {
		return 0, false
	}
	minor = int(version.Minor()) //nolint:gosec // small
	return minor, slices.Contains(read, minor)
}

// read are the minor versions whose source was read.
var read = []int{6, 10, 17, 19, 29, 30, 31, 32, 33, 34, 35, 36, 37}

// CacheOf is the cache of a release such as "1.36"; false for one that was not read.
func CacheOf(release string) (Cache, bool) {
	minor, ok := minorOf(release)
	if !ok {
		return Cache{}, false
	}
	return newest(caches, minor), true
}

// StartOf is the start of a release such as "1.36"; false for one that was not read.
func StartOf(release string) (Start, bool) {
	minor, ok := minorOf(release)
	if !ok {
		return Start{}, false
	}
	start := newest(starts, minor)
	start.Parts = newest(parts, minor)
	start.Queue = newest(askedOfQueues, minor)
	start.Watches = nil
	for _, w := range watches {
		if minor >= w.from && minor <= w.to {
			start.Watches = append(start.Watches, w.Watch)
		}
	}
	return start, true
}

// since is what holds from a minor version on.
type since[T any] struct {
	minor int
	is    T
}

// newest is what holds for a minor version, out of a list with the newest first.
func newest[T any](list []since[T], minor int) T {
	i := slices.IndexFunc(list, func(s since[T]) bool { return minor >= s.minor })
	return list[i].is
}

// Places are all places that are named of a release.
func Places(release string) []Place {
	var all []Place
	if c, ok := CacheOf(release); ok {
		all = append(all, c.Type, c.Update)
		if c.Tree.Name != "" {
			all = append(all, c.Tree)
		}
	}
	if s, ok := StartOf(release); ok {
		all = append(all, s.Defaults, s.Parts.Type)
		for _, step := range s.Steps {
			all = append(append(all, step.Place), step.Calls...)
		}
	}
	return all
}
