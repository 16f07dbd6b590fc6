package defaultbinder_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/defaultbinder"
)

func TestEveryPodIsBound(t *testing.T) {
	pod := cluster.NewState().ParsePod(&corev1.Pod{})
	if got := defaultbinder.New().Bind(pod, "n"); !got.OK() {
		t.Errorf("got %s, want Success", got)
	}
}
