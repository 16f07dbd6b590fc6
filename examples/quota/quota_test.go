package quota

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// memory is a CycleState with one value.
type memory struct {
	fwk.CycleState
	data fwk.StateData
}

func (m *memory) Write(_ fwk.StateKey, data fwk.StateData) { m.data = data }
func (m *memory) Read(fwk.StateKey) (fwk.StateData, error) {
	if m.data == nil {
		return nil, fwk.ErrNotFound
	}
	return m.data, nil
}

// node is a NodeInfo with pods.
type node struct {
	fwk.NodeInfo
	pods []fwk.PodInfo
}

func (n node) GetPods() []fwk.PodInfo { return n.pods }

type podInfo struct {
	fwk.PodInfo
	pod *corev1.Pod
}

func (p podInfo) GetPod() *corev1.Pod { return p.pod }

func pod(namespace, cpu string) *corev1.Pod {
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: namespace},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: requests}}}},
	}
}

// made is the plugin where the namespace a has a quota.
func made(cpu string) *Quota {
	quota := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "quota.example.com/v1", "kind": "Quota",
		"metadata": map[string]any{"name": "cpu", "namespace": "a"}, "spec": map[string]any{"cpu": cpu},
	}}
	kinds := map[schema.GroupVersionResource]string{Quotas: "QuotaList"}
	return &Quota{client: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, quota)}
}

func TestAPodOverTheQuotaOfItsNamespaceIsRejected(t *testing.T) {
	q := made("2")
	nodes := []fwk.NodeInfo{node{pods: []fwk.PodInfo{podInfo{pod: pod("a", "1500m")}, podInfo{pod: pod("b", "4")}}}}
	state := &memory{}
	if _, status := q.PreFilter(t.Context(), state, pod("a", "1"), nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	want := "namespace a uses 1500m of its quota of 2000m"
	if got := q.Filter(t.Context(), state, pod("a", "1"), nil); got.Message() != want {
		t.Errorf("got %v", got)
	}
	gone := podInfo{pod: pod("a", "1500m")}
	if status := q.RemovePod(t.Context(), state, pod("a", "1"), gone, nil); !status.IsSuccess() {
		t.Error(status)
	}
	if got := q.Filter(t.Context(), state, pod("a", "1"), nil); !got.IsSuccess() {
		t.Errorf("without the other pod: %v", got)
	}
}

func TestANamespaceWithoutAQuotaIsFree(t *testing.T) {
	if _, status := made("2").PreFilter(t.Context(), &memory{}, pod("b", "9"), nil); !status.IsSkip() {
		t.Errorf("got %v", status)
	}
}

func TestAPodLargerThanTheQuotaIsRejectedForGood(t *testing.T) {
	_, status := made("2").PreFilter(t.Context(), &memory{}, pod("a", "3"), nil)
	if status.Code() != fwk.UnschedulableAndUnresolvable {
		t.Errorf("got %v", status)
	}
}

func TestAQuotaThatIsNoAmountIsAnError(t *testing.T) {
	if _, status := made("much").PreFilter(t.Context(), &memory{}, pod("a", "1"), nil); !status.IsError() {
		t.Errorf("got %v", status)
	}
}

// config is a Handle that has a configuration of clients and nothing else.
type config struct{ fwk.Handle }

func (config) KubeConfig() *rest.Config { return &rest.Config{Host: "http://api.invalid"} }

func TestItIsMade(t *testing.T) {
	if p, err := New(t.Context(), nil, config{}); err != nil || p.Name() != Name {
		t.Errorf("%v, %v", p, err)
	}
}

func TestOnlyItsOwnNamespaceWakesAPod(t *testing.T) {
	for namespace, want := range map[string]fwk.QueueingHint{"a": fwk.Queue, "b": fwk.QueueSkip} {
		if got, err := sameNamespace(klog.Background(), pod("a", "1"), pod(namespace, "1"), nil); got != want || err != nil {
			t.Errorf("%s: %v, %v", namespace, got, err)
		}
	}
}
