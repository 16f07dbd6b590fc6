package recording_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/schedstep/schedstep/core/cluster"
)

// samples are empty objects of every kind.
var samples = []cluster.Object{
	&corev1.Pod{}, &corev1.Node{}, &corev1.Namespace{}, &corev1.Service{}, &corev1.ReplicationController{},
	&appsv1.ReplicaSet{}, &appsv1.StatefulSet{},
	&schedulingv1.PriorityClass{}, &policyv1.PodDisruptionBudget{}, &corev1.PersistentVolume{},
	&corev1.PersistentVolumeClaim{}, &storagev1.StorageClass{},
	&storagev1.CSINode{}, &storagev1.CSIDriver{}, &storagev1.CSIStorageCapacity{}, &storagev1.VolumeAttachment{},
	&resourcev1.ResourceClaim{},
	&resourcev1.ResourceSlice{}, &resourcev1.DeviceClass{}, &resourcev1.DeviceTaintRule{}, &schedulingv1beta1.PodGroup{},
}

// filled is an object in which every field has a value.
func filled(t testing.TB, kind cluster.Kind) cluster.Object {
	t.Helper()
	for _, sample := range samples {
		if is, _ := cluster.KindOf(sample); is != kind {
			continue
		}
		o, ok := sample.DeepCopyObject().(cluster.Object)
		if !ok {
			t.Fatalf("a copy of %T is no object", sample)
		}
		fill(reflect.ValueOf(o).Elem(), "")
		o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return o
	}
	t.Fatalf("no sample of kind %s: add one", kind)
	return nil
}

// fill gives every field below a value a value: texts are their own path, lists and maps have one element.
func fill(v reflect.Value, path string) {
	if fillKnown(v, path) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				fill(v.Field(i), strings.TrimPrefix(strings.TrimSuffix(path+"."+name, "."), "."))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("bytes"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path+"[]")
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, "key")
		fill(value, path+"[]")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(path)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint8:
		v.SetUint(3)
	default:
		panic(fmt.Sprintf("%s: a %s", path, v.Type()))
	}
}

// fillKnown fills the types that have their own JSON.
func fillKnown(v reflect.Value, path string) bool {
	switch into := v.Addr().Interface().(type) {
	case *metav1.Time:
		*into = metav1.NewTime(morning)
	case *metav1.MicroTime:
		*into = metav1.NewMicroTime(morning.Add(5 * time.Microsecond))
	case *metav1.Duration:
		into.Duration = time.Minute
	case *resource.Quantity:
		*into = resource.MustParse("3")
	case *intstr.IntOrString:
		*into = intstr.FromInt32(3)
	case *runtime.RawExtension:
		into.Raw = []byte(`{"path":"` + path + `"}`)
	case *metav1.FieldsV1:
		into.Raw = []byte(`{}`)
	default:
		return false
	}
	return true
}

// asJSON is an object as indented text.
func asJSON(o cluster.Object) string {
	b, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
