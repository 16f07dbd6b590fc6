package live

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/internal/apiserver"
)

// scheduler is the pod of a kube-scheduler with arguments.
func scheduler(arguments ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kube-scheduler-n1", Namespace: "kube-system", Labels: map[string]string{"component": "kube-scheduler"},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Command: append([]string{"kube-scheduler"}, arguments...)}}},
	}
}

func ownOf(t *testing.T, pods ...*corev1.Pod) Own {
	t.Helper()
	s := apiserver.New(t)
	for _, p := range pods {
		s.Put(p)
	}
	t.Setenv("KUBECONFIG", apiserver.Kubeconfig(t, s.URL()))
	c, err := NewFlags().Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own, err := c.OwnScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestTheClusterShowsItsScheduler(t *testing.T) {
	if own := ownOf(t, apiserver.Pod("web", "")); own.Pod != "" {
		t.Errorf("a cluster without the pod shows %+v", own)
	}
	own := ownOf(t, scheduler("--leader-elect", "--feature-gates=A=true,B=false"))
	if own.Pod != "kube-system/kube-scheduler-n1" || own.Gates != "A=true,B=false" || own.Hidden != "" {
		t.Errorf("%+v", own)
	}
	own = ownOf(t, scheduler("--config", "/etc/kubernetes/scheduler.yaml"))
	if own.Hidden.String() != "its --config is /etc/kubernetes/scheduler.yaml, a file of the node" {
		t.Errorf("%+v", own)
	}
}
