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

// queued lists the pods in the three queues of kube-scheduler's own queue: a planted fault may be around it. What no
// method lists before 1.33 is read from the fields; the scheduler is at rest.
func (p *process) queued() (active, backoff, parked []string) {
	listed := func(method string, otherwise func(queue reflect.Value) reflect.Value) []string {
		if m := p.queue.MethodByName(method); m.IsValid() {
			return keys(m.Call(nil)[0].Interface().([]*corev1.Pod))
		}
		return keys(podsIn(otherwise(p.queue.Elem()).Interface()))
	}
	return listed("PodsInActiveQ", nil),
		listed("PodsInBackoffQ", func(queue reflect.Value) reflect.Value {
			return open(queue, "podBackoffQ").MethodByName("List").Call(nil)[0]
		}),
		listed("UnschedulablePods", func(queue reflect.Value) reflect.Value {
			all := open(open(queue, "unschedulablePods").Elem(), "podInfoMap")
			list := reflect.MakeSlice(reflect.SliceOf(all.Type().Elem()), 0, all.Len())
			for pods := all.MapRange(); pods.Next(); {
				list = reflect.Append(list, pods.Value())
			}
			return list
		})
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
