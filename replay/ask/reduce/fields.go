package reduce

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/core/cluster"
)

// smallerBy is a copy of an object without its n-th part that it may do without; false when it has no such part. A part
// comes before the parts of it. What the API requires stays: a field whose JSON tag has no omitempty, and the last
// element of a list that is such a field; and so do kind, name and namespace.
func smallerBy(object cluster.Object, n int) (cluster.Object, bool) {
	smaller, is := object.DeepCopyObject().(cluster.Object)
	if !is {
		return nil, false
	}
	w := walk{left: n}
	w.value(reflect.ValueOf(smaller).Elem(), false)
	return smaller, w.done
}

// walk counts parts and takes one out.
type walk struct {
	left int // parts to pass by
	done bool
}

// here reports whether the part that the walk is at is the one to take out.
func (w *walk) here() bool {
	if w.left == 0 {
		w.done = true
		return true
	}
	w.left--
	return false
}

// leaves are types whose insides are no fields of the API.
var leaves = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity](): true, reflect.TypeFor[metav1.Time](): true,
	reflect.TypeFor[metav1.MicroTime](): true, reflect.TypeFor[intstr.IntOrString](): true,
	reflect.TypeFor[metav1.TypeMeta](): true,
}

// value walks into a value. required: it may not become empty.
func (w *walk) value(v reflect.Value, required bool) {
	if w.done {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.value(v.Elem(), required)
		}
	case reflect.Struct:
		if !leaves[v.Type()] {
			w.fields(v)
		}
	case reflect.Slice:
		w.elements(v, required)
	case reflect.Map:
		w.entries(v, required)
	}
}

func (w *walk) fields(v reflect.Value) {
	for i := range v.NumField() {
		field, at := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if w.done || !field.IsExported() || at.IsZero() || name == "-" || stays(v.Type(), field.Name) {
			continue
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		embedded := field.Anonymous || strings.Contains(options, "inline")
		optional = optional && field.Type != reflect.TypeFor[corev1.PodSpec]() // a pod has a container
		if optional && !embedded && field.Type != reflect.TypeFor[metav1.ObjectMeta]() && w.here() {
			at.SetZero()
			return
		}
		w.value(at, !optional)
	}
}

// stays reports whether a field distinguishes an object from others, has the node of a pod, or selects devices. A pod
// without its node goes to any of the best ones, and what comes after it follows from that. The allocator of
// k8s.io/dynamic-resource-allocation searches pools in the order of a map, so a request that devices of several pools
// meet has no one answer.
func stays(of reflect.Type, field string) bool {
	switch of {
	case reflect.TypeFor[metav1.ObjectMeta]():
		return field == "Name" || field == "Namespace"
	case reflect.TypeFor[corev1.PodSpec]():
		return field == "NodeName"
	case reflect.TypeFor[resourcev1.DeviceClassSpec](), reflect.TypeFor[resourcev1.ExactDeviceRequest](),
		reflect.TypeFor[resourcev1.DeviceSubRequest]():
		return field == "Selectors"
	}
	return false
}

// elements takes out elements of a list, the last ones first.
func (w *walk) elements(v reflect.Value, required bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return
	}
	if !required || v.Len() > 1 {
		for i := v.Len() - 1; i >= 0; i-- {
			if w.here() {
				v.Set(reflect.AppendSlice(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()-1), v.Slice(0, i)),
					v.Slice(i+1, v.Len())))
				return
			}
		}
	}
	for i := range v.Len() {
		w.value(v.Index(i), false)
	}
}

// entries takes out entries of a map, in the order of keys.
func (w *walk) entries(v reflect.Value, required bool) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	if required && len(keys) < 2 {
		return
	}
	for _, key := range keys {
		if w.here() {
			v.SetMapIndex(key, reflect.Value{})
			return
		}
	}
	for _, key := range keys {
		if kind := v.Type().Elem().Kind(); w.done || kind != reflect.Struct || leaves[v.Type().Elem()] {
			return
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		entry.Set(v.MapIndex(key))
		w.value(entry, false)
		v.SetMapIndex(key, entry)
	}
}
