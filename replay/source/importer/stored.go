package importer

import (
	"reflect"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// The errors of Decode. They quote nothing of the object.
var (
	errOtherKind = phrase.Errorf("no scheduler reads objects of this kind")
	errMalformed = phrase.Errorf("the object cannot be decoded")
)

// Decode makes the typed object of one JSON value in the newest version of its kind, with the members left out that no
// scheduler reads; whole keeps those of pods. The error quotes nothing of the object, which may hold secrets.
func Decode(raw []byte, whole bool) (cluster.Object, error) {
	h, err := headOf(raw)
	if err != nil {
		return nil, errMalformed
	}
	row, version := rowOf(h.typeMeta)
	if row == nil || !reads(row, version) {
		return nil, errOtherKind
	}
	r := reading{o: Options{Whole: whole}}
	compact := text.Compact(nil, raw, r.skips(raw))
	if adapt := adapters[row.Kind]; adapt != nil && version != row.Version {
		if compact, err = adapt(version, compact); err != nil {
			return nil, errMalformed
		}
	}
	if amount.Check(compact, reflect.TypeOf(row.New())) != nil {
		return nil, errMalformed
	}
	object, _, err := decodeInto(row, compact)
	if err != nil {
		return nil, errMalformed
	}
	if finish := finishers[row.Kind]; finish != nil && version != "" && version != row.Version {
		finish(object)
	}
	object.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	dropCopies(object)
	return object, nil
}
