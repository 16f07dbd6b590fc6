// Package history turns the writes that a cluster's own logs kept into versions of objects with their moments: what was
// there at the beginning, what each write made of it, what is missing. It reads no file format (packages audit and etcd
// do), opens nothing, and plays nothing.
package history

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// Verb is what a write did to an object.
type Verb uint8

// The verbs.
const (
	Create Verb = iota
	Update
	Patch
	Delete
	DeleteCollection
)

// Write is one request to an API server that happened.
type Write struct {
	At       time.Time // when it was answered, by the clock of its API server
	Revision uint64    // resourceVersion of what was answered; 0: the log does not have it
	Before   uint64    // resourceVersion that the request named, of the version before; 0: none
	Verb     Verb
	Sub      string // the subresource: "status", "binding"; "": the object itself

	Row             *cluster.KindRow
	Namespace, Name string // Name is "" for an object that the API server named and no later entry does

	After   cluster.Object // the object as it was answered; nil: the log does not have it, or it is Packed
	Packed  Ref            // likewise, in the vault of the rebuilding; 0: it is not there
	Created bool           // a patch that created its object
	Gated   bool           // what was answered is a pod with scheduling gates
	placed  bool           // Revision is a free one near its moment, and may be another's
	Server  int32          // the file or stream that the entry stands in
	*Request
}

// Request is what is kept of a write besides, where the object that was answered is not all that is needed.
type Request struct {
	Sent   []byte      // JSON of the request; nil when After is enough, or the log does not have it
	Chosen *Collection // of DeleteCollection; nil: all of the kind, and no list
	Prefix string      // generateName of an object without a name
	ID     string      // of the log entry, for what has no uid
	By     string      // the user, where the write is a scheduler's decision
}

// NoRequest is that of a write of which nothing is kept besides. It is read only.
var NoRequest = &Request{}

// Collection is what a DeleteCollection takes.
type Collection struct {
	List           []cluster.Object // the objects as they were before; nil: the log does not have them
	Labels, Fields string           // the selectors of the request
}

// Shows reports whether the log has the object that was answered.
func (w *Write) Shows() bool { return w.After != nil || w.Packed != 0 }

// Mark is a revision whose moment is known, of an object that is not read.
type Mark struct {
	Revision uint64
	At       time.Time
}

// Origin is how much of a version is known.
type Origin uint8

// The origins, the best first.
const (
	Exact   Origin = iota // the log or a dump holds the body
	Derived               // the API server's rules make it of an exact version
	Guessed               // something in it is assumed
)

// Version is what an object was from a moment on.
type Version struct {
	At       time.Time
	Revision uint64 // 0: not known
	Event    cluster.Event
	Packed   Ref // where the vault has the same object; 0: nowhere
}

// key identifies an object among those that are alive.
type key struct {
	kind            cluster.Kind
	namespace, name string
}

func (w *Write) key() key { return key{w.Row.Kind, w.Namespace, w.Name} }

func keyOf(o cluster.Object) key {
	return key{cluster.Kind(o.GetObjectKind().GroupVersionKind().Kind), o.GetNamespace(), o.GetName()}
}
