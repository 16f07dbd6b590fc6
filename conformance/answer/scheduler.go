package answer

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Scheduler is a kube-scheduler over one cluster, which answers for one pod at a time.
type Scheduler interface {
	Put(objects ...runtime.Object) error
	Remove(objects ...runtime.Object) error
	At(cycle int64, now time.Time)
	Schedule(pod *corev1.Pod) (Answer, error)
	Assume(pod *corev1.Pod, node string) error
	Bind(key string)
	Forget(key string) error
	Placed() []string
	Gates(pod *corev1.Pod) []Verdict
	Hinting() bool
	Events(pod *corev1.Pod, change Change) []Event
	Plugins(profile, point string) []string
}
