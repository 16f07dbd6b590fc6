package history

import (
	"reflect"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// Share has an object use the memory of an older version of it wherever the two are the same. Neither may be changed
// afterwards.
func Share(o, older cluster.Object) {
	a, b := reflect.ValueOf(o), reflect.ValueOf(older)
	if a.Type() == b.Type() && a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil() {
		share(a.Elem(), b.Elem())
	}
}

// share reports whether two values are the same, of which the first uses the memory of the second afterwards.
func share(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.String:
		same := a.String() == b.String()
		if same && a.CanSet() {
			a.Set(b)
		}
		return same
	case reflect.Struct:
		if a.Type() == moment { // its zone leads far away
			return a.Field(0).Equal(b.Field(0)) && a.Field(1).Equal(b.Field(1))
		}
		same := true
		for i := range a.NumField() {
			same = share(a.Field(i), b.Field(i)) && same
		}
		return same
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return shared(a, b, share(a.Elem(), b.Elem()))
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		same := true
		for i := range a.Len() {
			same = share(a.Index(i), b.Index(i)) && same
		}
		return shared(a, b, same)
	case reflect.Map:
		return shared(a, b, a.Len() == b.Len() && a.IsNil() == b.IsNil() && reflect.DeepEqual(a.Interface(), b.Interface()))
	case reflect.Interface:
		return a.IsNil() && b.IsNil()
	default:
		return a.Equal(b)
	}
}

var moment = reflect.TypeFor[time.Time]()

func shared(a, b reflect.Value, same bool) bool {
	if same && a.CanSet() {
		a.Set(b)
	}
	return same
}
