package live

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// TestWritesThatNoBuildMakesAreRefusedByKind: plugins of others may write anything.
func TestWritesThatNoBuildMakesAreRefusedByKind(t *testing.T) {
	quota := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "quota.example.com/v1", "kind": "Quota", "metadata": map[string]any{"name": "cpu", "namespace": "a"},
	}}
	const unread = "no Quota.quota.example.com is written: they are not read from the cluster (--resource has them read)"
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	for _, c := range []struct {
		action cluster.Action
		object cluster.Object
		want   string
	}{
		{cluster.Add, quota, unread},
		{cluster.Update, quota, unread},
		{cluster.Delete, quota, unread},
		{cluster.Update, node, "this build changes no Node"},
		{cluster.Add, node, "this build creates no Node"},
	} {
		write := core.Write{Write: framework.Write{Action: c.action, Object: c.object}}
		requests, err := new(Cluster).requestsOf(write, cluster.NewState())
		if len(requests) > 0 || err == nil || err.Error() != c.want {
			t.Errorf("%s %T: %v, %v", c.action, c.object, requests, err)
		}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "a"}}
	write := core.Write{Write: framework.Write{Action: cluster.Update, Object: pod}}
	if _, err := writeOf(write, cluster.NewState()); !apierrors.IsNotFound(err) {
		t.Errorf("a pod that is gone: %v", err)
	}
}
