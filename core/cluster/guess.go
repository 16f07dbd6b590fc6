package cluster

import "github.com/schedstep/schedstep/core/trace"

// GuessMark is the annotation of an object of which something is assumed. Its value is a trace.Guess. What rebuilds a
// past sets it; a scheduler does not read it.
const GuessMark = "schedstep.dev/guess"

// GuessOf is what is assumed of an object; "" when it is known.
func GuessOf(o Object) trace.Guess { return trace.Guess(o.GetAnnotations()[GuessMark]) }

// Doubted reports whether an object ever came of which something is assumed.
func (v *Snapshot) Doubted() bool { return v.state.doubted }

// EachOf calls f with every object of a kind that is no pod and no node, in the order of keys.
func (v *Snapshot) EachOf(kind Kind, f func(Object)) {
	if of := v.state.objects.of(kind); of != nil {
		of.byKey.Scan(func(_ string, o Object) bool { f(o); return true })
	}
}
