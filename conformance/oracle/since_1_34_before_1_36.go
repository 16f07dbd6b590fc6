//go:build before_1_36 && !before_1_34

package oracle

import (
	"k8s.io/apimachinery/pkg/runtime"
	kubescheduler "k8s.io/kube-scheduler/framework"
)

func kindsOfRelease() []runtime.Object { return devices() }

func resourceOfRelease(object runtime.Object) (kubescheduler.EventResource, bool) {
	return resourceOfDevice(object)
}
