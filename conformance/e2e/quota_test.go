//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/replay/play/request"
)

// drawnQuotas are two of a namespace, of which one may have a scope.
func drawnQuotas(r *rand.Rand, namespace string) []*corev1.ResourceQuota {
	amount := func(least, most int64, unit string) resource.Quantity {
		return resource.MustParse(fmt.Sprint(least+r.Int64N(most-least+1), unit))
	}
	names := []corev1.ResourceName{
		"cpu", "requests.cpu", "limits.cpu", "memory", "requests.memory", "limits.memory", "pods", "count/pods",
		"requests.example.com/gpu", "requests.ephemeral-storage",
	}
	var all []*corev1.ResourceQuota
	for i := range 2 {
		q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("q%d", i), Namespace: namespace}}
		q.Spec.Hard = corev1.ResourceList{}
		for range 1 + r.IntN(3) {
			switch name := names[r.IntN(len(names))]; name {
			case "pods", "count/pods", "requests.example.com/gpu":
				q.Spec.Hard[name] = amount(1, 5, "")
			case "cpu", "requests.cpu", "limits.cpu":
				q.Spec.Hard[name] = amount(500, 4000, "m")
			default:
				q.Spec.Hard[name] = amount(1, 6, "Gi")
			}
		}
		if i == 1 && r.IntN(2) == 0 {
			scopes := []corev1.ResourceQuotaScope{
				corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating,
				corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
			}
			q.Spec.Scopes = []corev1.ResourceQuotaScope{scopes[r.IntN(len(scopes))]}
			q.Spec.Hard = corev1.ResourceList{"pods": amount(1, 4, "")} // scopes do not go with all resources
			if q.Spec.Scopes[0] != corev1.ResourceQuotaScopeBestEffort {
				q.Spec.Hard[names[r.IntN(3)]] = amount(500, 3000, "m")
			}
		}
		all = append(all, q)
	}
	return all
}

// drawnPod is a pod of one or two containers that name some of their amounts.
func drawnPod(r *rand.Rand, namespace string, number int) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%02d", number), Namespace: namespace}}
	if r.IntN(3) == 0 {
		p.Spec.ActiveDeadlineSeconds = ptr.To(int64(60))
	}
	for i := range 1 + r.IntN(2) {
		requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{"cpu", "memory", "ephemeral-storage"} {
			n, unit := 1+r.IntN(9), "00Mi"
			if name == "cpu" {
				unit = "00m"
			}
			switch r.IntN(3) {
			case 1:
				requests[name] = resource.MustParse(fmt.Sprint(n, unit))
			case 2:
				requests[name] = resource.MustParse(fmt.Sprint(n, unit))
				limits[name] = resource.MustParse(fmt.Sprint(n+r.IntN(3), unit))
			}
		}
		if r.IntN(4) == 0 {
			requests["example.com/gpu"], limits["example.com/gpu"] = resource.MustParse("1"), resource.MustParse("1")
		}
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{
			Name: fmt.Sprintf("c%d", i), Image: "x", Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits},
		})
	}
	return p
}

// quotaTime is now for what counts only pods that are being deleted by the time; here none is.
var quotaTime = time.Date(2026, 11, 28, 3, 0, 0, 0, time.UTC)

// answers is how many pods were made, and refused; alone: by one quota only.
type answers struct{ made, refused, alone int }

// TestPlansHoldPodsToQuotasAsAnAPIServerDoes makes pods in namespaces with quotas. What the API server refuses, a plan
// refuses, in the same words; where two quotas refuse a pod, the API server reports either.
func TestPlansHoldPodsToQuotasAsAnAPIServerDoes(t *testing.T) {
	r := start(t, 1)
	draw := rand.New(rand.NewPCG(28, 11))
	var n answers
	for round := range 40 {
		namespace := fmt.Sprintf("quota-%02d", round)
		r.make(r.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: namespace},
		}, metav1.CreateOptions{}))
		quotas, used := drawnQuotas(draw, namespace), map[string]corev1.ResourceList{}
		for i, q := range quotas {
			quotas[i], used[q.Name] = r.quota(q), corev1.ResourceList{}
		}
		for number := range 12 {
			r.heldTo(quotas, used, drawnPod(draw, namespace, number), &n)
		}
	}
	t.Logf("%d pods made, %d refused, %d of them by one quota alone", n.made, n.refused, n.alone)
	if n.made < 50 || n.alone < 50 {
		t.Error("too few pods are made or refused")
	}
}

// quota makes a quota of which nothing is used, as its controller would publish it.
func (r *running) quota(q *corev1.ResourceQuota) *corev1.ResourceQuota {
	r.Helper()
	all := r.client.CoreV1().ResourceQuotas(q.Namespace)
	fresh, err := all.Create(r.Context(), q, metav1.CreateOptions{})
	r.make(nil, err)
	fresh.Status.Hard, fresh.Status.Used = fresh.Spec.Hard, corev1.ResourceList{}
	for name := range fresh.Spec.Hard {
		fresh.Status.Used[name] = resource.MustParse("0")
	}
	fresh, err = all.UpdateStatus(r.Context(), fresh, metav1.UpdateOptions{})
	r.make(nil, err)
	return fresh
}

// heldTo makes a pod, and holds the answer of the API server to that of a plan.
func (r *running) heldTo(
	quotas []*corev1.ResourceQuota, used map[string]corev1.ResourceList, p *corev1.Pod, n *answers,
) {
	r.Helper()
	var ours []string
	for _, q := range quotas {
		if why := request.QuotaRefuses(q, used[q.Name], p, quotaTime); request.Scoped(q, p) && why != nil {
			ours = append(ours, why.Message)
		}
	}
	var err error
	r.await("the API server knows its quotas", func(ctx context.Context) bool {
		_, err = r.client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
		return err == nil || !strings.Contains(err.Error(), "status unknown for quota")
	})
	switch {
	case err == nil && len(ours) == 0:
		n.made++
		for _, q := range quotas {
			if !request.Scoped(q, p) {
				continue
			}
			for name, amount := range request.Charge(p, quotaTime) {
				sum := used[q.Name][name].DeepCopy()
				sum.Add(amount)
				used[q.Name][name] = sum
			}
		}
	case apierrors.IsForbidden(err) && slices.Contains(ours, err.Error()):
		if n.refused++; len(ours) == 1 {
			n.alone++
		}
	default:
		r.Errorf("%s/%s: the API server: %v\nhere: %q", p.Namespace, p.Name, err, ours)
	}
}
