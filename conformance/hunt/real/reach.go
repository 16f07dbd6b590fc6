package real

import (
	"reflect"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

// What differs between the releases in name and type alone is reached by reflection, so that this package has no file
// for each.

// open is a field of a struct, readable and writable whatever its name.
func open(of reflect.Value, name string) reflect.Value {
	field := of.FieldByName(name)
	if !field.IsValid() {
		return field
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // of this very field
}

// refresh has the snapshot see what the cache has, as a cycle does before it looks for a node.
func (p *process) refresh() error {
	snapshot := open(reflect.ValueOf(p.scheduler).Elem(), "nodeInfoSnapshot")
	out := reflect.ValueOf(p.scheduler.Cache).MethodByName("UpdateSnapshot").Call(
		[]reflect.Value{reflect.ValueOf(logger(p.ctx)), snapshot},
	)
	err, _ := out[0].Interface().(error)
	return err
}

// queued lists the pods in the three queues of kube-scheduler's own queue: a planted fault may be around it.
func (p *process) queued() (active, backoff, parked []string) {
	list := func(method string) []string {
		return keys(p.queue.MethodByName(method).Call(nil)[0].Interface().([]*corev1.Pod))
	}
	return list("PodsInActiveQ"), list("PodsInBackoffQ"), list("UnschedulablePods")
}

// podIn is the pod of a PodInfo, which was a struct before it was an interface.
func podIn(info reflect.Value) *corev1.Pod {
	for info.Kind() == reflect.Interface {
		info = info.Elem()
	}
	return info.Elem().FieldByName("Pod").Interface().(*corev1.Pod)
}

// podsIn are the pods of a list of PodInfos.
func podsIn(infos any) []*corev1.Pod {
	var list []*corev1.Pod
	for v := reflect.ValueOf(infos); len(list) < v.Len(); {
		list = append(list, podIn(v.Index(len(list))))
	}
	return list
}
