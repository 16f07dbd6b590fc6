package request_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/replay/play/request"
)

func amounts(pairs ...string) corev1.ResourceList {
	all := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		all[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return all
}

func limitedPod(requests, limits corev1.ResourceList) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits},
		}}},
	}
}

var quotaTime = time.Date(2026, 11, 28, 3, 0, 0, 0, time.UTC)

// TestAQuotaRefusesInTheWordsOfTheAPIServer: the messages are those of the admission plugin ResourceQuota, 1.37.
func TestAQuotaRefusesInTheWordsOfTheAPIServer(t *testing.T) {
	small := limitedPod(amounts("cpu", "1", "memory", "1Gi", "nvidia.com/gpu", "1"), amounts("nvidia.com/gpu", "1"))
	for name, test := range map[string]struct {
		hard, used corev1.ResourceList
		pod        *corev1.Pod
		want       string
	}{
		"room": {amounts("cpu", "3", "pods", "4"), amounts("cpu", "2", "pods", "3"), small, ""},
		"two short, by name": {
			amounts("requests.memory", "2Gi", "cpu", "3"), amounts("requests.memory", "1536Mi", "cpu", "2500m"), small,
			`pods "web" is forbidden: exceeded quota: q, requested: cpu=1,requests.memory=1Gi, used: ` +
				`cpu=2500m,requests.memory=1536Mi, limited: cpu=3,requests.memory=2Gi`,
		},
		"devices under one name": {
			amounts("requests.nvidia.com/gpu", "1"), amounts("requests.nvidia.com/gpu", "1"), small,
			`pods "web" is forbidden: exceeded quota: q, requested: requests.nvidia.com/gpu=1, used: ` +
				`requests.nvidia.com/gpu=1, limited: requests.nvidia.com/gpu=1`,
		},
		"pods as objects": {
			amounts("count/pods", "2"), amounts("count/pods", "2"), small,
			`pods "web" is forbidden: exceeded quota: q, requested: count/pods=1, used: count/pods=2, limited: count/pods=2`,
		},
		"too little named": {
			amounts("limits.cpu", "4", "limits.memory", "4Gi"), nil, small,
			`pods "web" is forbidden: failed quota: q: must specify limits.cpu for: c; limits.memory for: c`,
		},
	} {
		q := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "q", Namespace: "shop"}, Spec: corev1.ResourceQuotaSpec{Hard: test.hard},
		}
		got := ""
		if refused := request.QuotaRefuses(q, test.used, test.pod, quotaTime); refused != nil {
			got = refused.Message
		}
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

func TestAPodCountsUntilItIsOver(t *testing.T) {
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		p := limitedPod(amounts("cpu", "1"), nil)
		change(p)
		return p
	}
	grace := ptr.To(int64(30))
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want bool
	}{
		"running": {pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }), true},
		"failed":  {pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), false},
		"deleting": {pod(func(p *corev1.Pod) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: quotaTime}, grace
		}), true},
		"deleting too long": {pod(func(p *corev1.Pod) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: quotaTime.Add(-31 * time.Second)}, grace
		}), false},
	} {
		charged := request.Charge(test.pod, quotaTime)
		if _, is := charged["requests.cpu"]; is != test.want || charged.Name("count/pods", "").Value() != 1 {
			t.Errorf("%s: %v", name, charged)
		}
	}
}

func TestScopesOfAQuota(t *testing.T) {
	effort, class := limitedPod(nil, nil), limitedPod(amounts("cpu", "1"), nil)
	class.Spec.PriorityClassName = "high"
	class.Spec.ActiveDeadlineSeconds = ptr.To(int64(5))
	high := func(o corev1.ScopeSelectorOperator, values ...string) corev1.ResourceQuotaSpec {
		return corev1.ResourceQuotaSpec{ScopeSelector: &corev1.ScopeSelector{
			MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{
				ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: o, Values: values,
			}},
		}}
	}
	of := func(s ...corev1.ResourceQuotaScope) corev1.ResourceQuotaSpec {
		return corev1.ResourceQuotaSpec{Scopes: s}
	}
	for name, test := range map[string]struct {
		spec          corev1.ResourceQuotaSpec
		effort, class bool
	}{
		"none":            {corev1.ResourceQuotaSpec{}, true, true},
		"best effort":     {of(corev1.ResourceQuotaScopeBestEffort), true, false},
		"not best effort": {of(corev1.ResourceQuotaScopeNotBestEffort), false, true},
		"terminating":     {of(corev1.ResourceQuotaScopeTerminating), false, true},
		"not terminating": {of(corev1.ResourceQuotaScopeNotTerminating), true, false},
		"class in":        {high(corev1.ScopeSelectorOpIn, "high"), false, true},
		"class not in":    {high(corev1.ScopeSelectorOpNotIn, "high"), true, false},
		"a class":         {high(corev1.ScopeSelectorOpExists), false, true},
		"no class":        {high(corev1.ScopeSelectorOpDoesNotExist), true, false},
		"both":            {of(corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeBestEffort), false, false},
	} {
		q := &corev1.ResourceQuota{Spec: test.spec}
		if a, b := request.Scoped(q, effort), request.Scoped(q, class); a != test.effort || b != test.class {
			t.Errorf("%s: %v and %v", name, a, b)
		}
	}
}
