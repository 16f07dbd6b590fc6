package compare

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// Store is the API server of a release, as far as it decides what of an object is kept.
type Store interface {
	// Known is an object with the fields that the release knows; false for one whose kind it does not know.
	Known(o runtime.Object) (stored runtime.Object, known bool, err error)
}

// Known is a script as the API server of a release would have stored it: objects of kinds that the release has, with
// only the fields that it knows. without lists the kinds that were left out.
func Known(store Store, script source.Script) (known source.Script, without []string, err error) {
	for _, t := range script {
		object, is := t.Event.Object.(runtime.Object)
		if !is {
			known = append(known, t) // an object without a Go type, which no kube-scheduler reads
			continue
		}
		stored, is, err := store.Known(object)
		if err != nil {
			return nil, nil, err
		}
		if is {
			t.Event.Object = stored.(cluster.Object)
			known = append(known, t)
			continue
		}
		if kind := fmt.Sprintf("%T", object); !slices.Contains(without, kind) {
			without = append(without, kind)
		}
	}
	return known, without, nil
}
