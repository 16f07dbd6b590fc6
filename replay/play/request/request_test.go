package request_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/request"
)

// shelf is an API server's objects, for tests.
type shelf []cluster.Object

func (s shelf) Find(o request.Object) (cluster.Object, bool) {
	for _, has := range s {
		if has.GetObjectKind().GroupVersionKind().Kind == string(o.Kind) && cluster.Key(has) == o.Key() {
			return has, true
		}
	}
	return nil, false
}

func (s shelf) EachBudget(namespace string, f func(*policyv1.PodDisruptionBudget) bool) {
	for _, has := range s {
		if b, is := has.(*policyv1.PodDisruptionBudget); is && b.Namespace == namespace && !f(b) {
			return
		}
	}
}

func meta(kind, name string) (metav1.TypeMeta, metav1.ObjectMeta) {
	return metav1.TypeMeta{Kind: kind}, metav1.ObjectMeta{Namespace: "shop", Name: name}
}

func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web", "tier": "front"}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: "web:1", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
				Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")},
			}}},
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, MaxSkew: 1, MinDomains: ptr.To[int32](2),
			}},
			Tolerations: []corev1.Toleration{{Key: "old", Operator: corev1.TolerationOpExists}},
		},
	}
}

// shop is a cluster with one object of each kind that a request can be about.
func shop() shelf {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	node.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: selector, Template: template()}}
	d.TypeMeta, d.ObjectMeta = meta("Deployment", "web")
	j := &batchv1.Job{Spec: batchv1.JobSpec{Template: template()}}
	j.TypeMeta, j.ObjectMeta = meta("Job", "job")
	held := j.DeepCopy()
	held.Name, held.Spec.Suspend = "held", ptr.To(true)
	p := &corev1.Pod{Spec: template().Spec}
	p.TypeMeta, p.ObjectMeta = meta("Pod", "web-1")
	p.Labels, p.Spec.NodeName, p.Status.Phase = map[string]string{"app": "web"}, "n1", corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	return shelf{node, d, j, held, p}
}

func on(kind cluster.Kind, name string) request.Object {
	if kind == cluster.KindNode {
		return request.Object{Kind: kind, Name: name}
	}
	return request.Object{Kind: kind, Namespace: "shop", Name: name}
}

func op(op, path string, value any) request.Operation {
	return request.Operation{Op: op, Path: path, Value: value}
}

const cpu = "/spec/template/spec/containers/0/resources/requests/cpu"

const podCPU = "/spec/containers/0/resources/requests/cpu"

// answer is the result of a request to the shop.
type answer struct {
	do             request.Request
	prints, refuse string // refuse is a part of the refusal; "" where it is carried out
}

func answers() []answer {
	return []answer{
		{request.Uncordon("n1"), "kubectl uncordon n1", ""},
		{request.Untaint("n1", "gpu=true:NoSchedule"), "kubectl taint nodes n1 gpu=true:NoSchedule-", ""},
		{request.Untaint("n1", "fpga:NoSchedule"), "kubectl taint nodes n1 fpga:NoSchedule-", "not found"},
		{request.Uncordon("n9"), "kubectl uncordon n9", `node "n9" not found`},
		{
			request.Label(on(cluster.KindNode, "n1"), "disk", "ssd"), "kubectl label nodes n1 disk=ssd --overwrite", "",
		},
		{request.Unlabel(on(cluster.KindPod, "web-1"), "app"), "kubectl label pod web-1 -n shop app-", ""},
		{
			request.Patch(on("Deployment", "web"), op("replace", cpu, "1")), "kubectl patch deployment web -n shop " +
				`--type=json -p '[{"op":"replace","path":"` + cpu + `","value":"1"}]'`, "",
		},
		{request.Patch(on("Deployment", "web"), op("replace", cpu, "9")), "", "less than or equal to cpu limit of 4"},
		{
			request.Patch(on("Deployment", "web"), op("remove", "/spec/template/spec/affinity/podAffinity", nil)), "",
			"the server rejected our request",
		},
		{
			request.Patch(on("Deployment", "web"), op("remove", "/spec/template/metadata/labels/app", nil)), "",
			"`selector` does not match template `labels`",
		},
		{request.Patch(on("Deployment", "web"), op("remove", "/spec/template/metadata/labels/tier", nil)), "", ""},
		{
			request.Patch(on("Deployment", "web"), op("add", "/spec/selector/matchLabels/tier", "front")), "",
			"field is immutable",
		},
		{
			request.Patch(on("Deployment", "web"), op("replace",
				"/spec/template/spec/topologySpreadConstraints/0/whenUnsatisfiable", "ScheduleAnyway")), "",
			"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
		},
		{request.Patch(on("Job", "job"), op("replace", cpu, "1")), "", "spec.template: Invalid value: field is immutable"},
		{request.Patch(on("Job", "held"), op("replace", cpu, "1")), "", ""},
		{
			request.Patch(on("Job", "held"), op("replace", "/spec/template/spec/containers/0/image", "web:2")), "",
			"field is immutable",
		},
		{request.Patch(on(cluster.KindPod, "web-1"), op("add", "/spec/tolerations/-", corev1.Toleration{Key: "gpu"})), "", ""},
		{request.Patch(on(cluster.KindPod, "web-1"), op("remove", "/spec/tolerations/0", nil)), "", "can not be modified"},
		{request.Patch(on(cluster.KindPod, "web-1"), op("replace", "/spec/containers/0/image", "web:2")), "", ""},
		{
			request.Patch(on(cluster.KindPod, "web-1"), op("add", "/spec/nodeSelector", map[string]string{"a": "b"})), "",
			"pod updates may not change fields other than",
		},
		{request.Remake(on(cluster.KindPod, "web-1"), op("add", "/spec/nodeSelector", map[string]string{"a": "b"})), "", ""},
		{request.Remark("one more node like n1"), "# one more node like n1", "a remark is no request"},
	}
}

// resizes are answers about requests that go by a subresource, or to annotations.
func resizes() []answer {
	return []answer{
		{
			request.Resize(on(cluster.KindPod, "web-1"), op("replace", podCPU, "1")), "kubectl patch pod web-1 -n shop " +
				`--subresource=resize --type=json -p '[{"op":"replace","path":"` + podCPU + `","value":"1"}]'`, "",
		},
		{request.Patch(on(cluster.KindPod, "web-1"), op("replace", podCPU, "1")), "", "pod updates may not change fields"},
		{request.Resize(on(cluster.KindPod, "web-1"), op("replace", podCPU, "4")), "", ""},
		{
			request.Resize(on(cluster.KindPod, "web-1"), op("replace", podCPU, "4"),
				op("add", "/spec/containers/0/resources/requests/memory", "1Gi"),
				op("add", "/spec/containers/0/resources/limits/memory", "1Gi")), "", "Pod QOS Class may not change",
		},
		{request.Resize(on(cluster.KindPod, "web-1"), op("remove", podCPU, nil)), "", "resource requests cannot be removed"},
		{
			request.Resize(on(cluster.KindPod, "web-1"), op("add", "/spec/nodeSelector", map[string]string{"a": "b"})), "",
			"only cpu and memory resources are mutable",
		},
		{request.Resize(on("Deployment", "web"), op("replace", cpu, "1")), "", "could not find the requested resource"},
		{
			request.Annotate(on(cluster.KindPod, "web-1"), "a", "b"), "kubectl annotate pod web-1 -n shop a=b --overwrite", "",
		},
	}
}

func TestARequestIsPrintedAndAnsweredAsAnAPIServerDoes(t *testing.T) {
	for _, test := range slices.Concat(answers(), resizes()) {
		if got := test.do.Kubectl(); test.prints != "" && got != test.prints {
			t.Errorf("printed %s\nwant    %s", got, test.prints)
		}
		events, err := test.do.Do(shop(), time.Unix(1_000_000, 0))
		switch {
		case test.refuse == "" && (err != nil || len(events) == 0):
			t.Errorf("%s: %d events, %v", test.do.Kubectl(), len(events), err)
		case test.refuse != "" && (err == nil || !strings.Contains(err.Error(), test.refuse)):
			t.Errorf("%s: %v, want %q", test.do.Kubectl(), err, test.refuse)
		}
	}
}

func TestAnEvictionIsDecidedByTheBudgetOverThePod(t *testing.T) {
	budget := func(name string, change func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
		b := &policyv1.PodDisruptionBudget{}
		b.TypeMeta, b.ObjectMeta = meta("PodDisruptionBudget", name)
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
		b.Status.DesiredHealthy, b.Status.CurrentHealthy = 1, 1
		change(b)
		return b
	}
	none := func(*policyv1.PodDisruptionBudget) {}
	unready := func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }
	for _, test := range []struct {
		name    string
		budgets []cluster.Object
		pod     func(*corev1.Pod)
		code    int // 0: evicted
		says    string
		events  int
	}{
		{"no budget", nil, nil, 0, "", 1},
		{"one disruption", []cluster.Object{budget("b", func(b *policyv1.PodDisruptionBudget) {
			b.Status.DisruptionsAllowed = 1
		})}, nil, 0, "", 2},
		{"none left", []cluster.Object{budget("b", none)}, nil, 429, "needs 1 healthy pods and has 1 currently", 0},
		{"two budgets", []cluster.Object{budget("a", none), budget("b", none)}, nil, 500, "more than one", 0},
		{"not seen yet", []cluster.Object{budget("b", func(b *policyv1.PodDisruptionBudget) {
			b.Generation, b.Status.DisruptionsAllowed = 2, 1
		})}, nil, 429, "still being processed", 0},
		{"of another app", []cluster.Object{budget("b", func(b *policyv1.PodDisruptionBudget) {
			b.Spec.Selector.MatchLabels["app"] = "db"
		})}, nil, 0, "", 1},
		{"not Ready, and enough are", []cluster.Object{budget("b", none)}, unready, 0, "", 1},
		{"not Ready, and too few are", []cluster.Object{budget("b", func(b *policyv1.PodDisruptionBudget) {
			b.Status.CurrentHealthy = 0
		})}, unready, 429, "needs 1 healthy pods and has 0", 0},
		{"not Ready, and always allowed", []cluster.Object{budget("b", func(b *policyv1.PodDisruptionBudget) {
			b.Status.CurrentHealthy, b.Spec.UnhealthyPodEvictionPolicy = 0, ptr.To(policyv1.AlwaysAllow)
		})}, unready, 0, "", 1},
		{"pending", []cluster.Object{budget("b", none)}, func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }, 0, "", 1},
	} {
		has := append(shop(), test.budgets...)
		if pod, _ := has.Find(on(cluster.KindPod, "web-1")); test.pod != nil {
			test.pod(pod.(*corev1.Pod))
		}
		events, err := request.Evict("shop", "web-1").Do(has, time.Unix(1_000_000, 0))
		var refused *request.Refused
		switch {
		case test.code == 0 && (err != nil || len(events) != test.events):
			t.Errorf("%s: %d events, %v", test.name, len(events), err)
		case test.code != 0 && (!errors.As(err, &refused) || refused.Code != test.code ||
			!strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: %v, want %d %s", test.name, err, test.code, test.says)
		}
	}
}
