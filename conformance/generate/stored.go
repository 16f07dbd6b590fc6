package generate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"     // defaults of the kinds drawn
	_ "k8s.io/kubernetes/pkg/apis/core/install"     // defaults of the kinds drawn
	_ "k8s.io/kubernetes/pkg/apis/policy/install"   // defaults of the kinds drawn
	_ "k8s.io/kubernetes/pkg/apis/resource/install" // defaults of the kinds drawn
	_ "k8s.io/kubernetes/pkg/apis/storage/install"  // defaults of the kinds drawn
)

// epoch is before everything that happens in a case.
var epoch = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// stored is object as a watch delivers it: with the API server's defaults, and
// decoded from JSON, which gives quantities and empty maps their one form. A
// quantity written "0.7Gi" in Go shares memory between its copies, a decoded
// one does not.
func stored[T runtime.Object](object T) T {
	legacyscheme.Scheme.Default(object)
	data, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", object, err))
	}
	decoded := reflect.New(reflect.TypeOf(object).Elem()).Interface().(T)
	if err := json.Unmarshal(data, decoded); err != nil {
		panic(fmt.Sprintf("decoding %T: %v", object, err))
	}
	return decoded
}

// meta is the metadata the API server gives the serial-th object.
func (w *world) meta(namespace, name string) metav1.ObjectMeta {
	w.serial++
	return metav1.ObjectMeta{
		Namespace:         namespace,
		Name:              name,
		UID:               types.UID("00000000-0000-4000-8000-" + pad(w.serial)),
		CreationTimestamp: metav1.Time{Time: epoch.Add(time.Duration(w.serial) * time.Second)},
		Labels:            map[string]string{},
	}
}

// pad writes n as the last group of a UUID.
func pad(n int) string {
	digits := strconv.Itoa(n)
	return "000000000000"[:12-len(digits)] + digits
}
