package main

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// byName lists what kube-scheduler assumes of volumes by name, where it lists them in the order of a map: of several
// volumes of one size it takes the first.
type byName struct{ cache.Indexer }

// Index lists the objects that share a value with one.
func (b byName) Index(index string, like any) ([]any, error) {
	objects, err := b.Indexer.Index(index, like)
	slices.SortFunc(objects, func(a, b any) int {
		return cmp.Compare(*hidden[string](a, "name"), *hidden[string](b, "name"))
	})
	return objects, err
}

// sortVolumes has a plugin for volumes look at them by name.
func sortVolumes(of *volumebinding.VolumeBinding) {
	volumes := reflect.ValueOf(of.Binder).Elem().FieldByName("pvCache").Elem() // a *pvAssumeCache
	assumed := volumes.Elem().FieldByName("AssumeCache").Elem()                // an *assumeCache
	store := reflect.NewAt(reflect.TypeFor[cache.Indexer](), assumed.Elem().FieldByName("store").Addr().UnsafePointer())
	store.Elem().Set(reflect.ValueOf(byName{store.Elem().Interface().(cache.Indexer)}))
}
