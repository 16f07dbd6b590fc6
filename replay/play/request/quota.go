package request

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
)

// KindQuota is the kind of a ResourceQuota, which no scheduler reads: the API server holds new pods to it.
const KindQuota cluster.Kind = "ResourceQuota"

// countPods is the count of pods as objects, those that are over too.
const countPods corev1.ResourceName = "count/pods"

// Hard is what a quota allows: what its controller has published, else what was written.
func Hard(q *corev1.ResourceQuota) corev1.ResourceList {
	if len(q.Status.Hard) > 0 {
		return q.Status.Hard
	}
	return q.Spec.Hard
}

// Charge is what a pod takes of the quotas of its namespace (podEvaluator, pkg/quota/v1/evaluator/core, 1.37): a pod
// that is over, or that is still there after its grace period, counts as an object alone.
func Charge(p *corev1.Pod, now time.Time) corev1.ResourceList {
	one := *resource.NewQuantity(1, resource.DecimalSI)
	all := corev1.ResourceList{countPods: one}
	if cluster.Finished(p) {
		return all
	}
	if p.DeletionTimestamp != nil && p.DeletionGracePeriodSeconds != nil &&
		now.After(p.DeletionTimestamp.Add(time.Duration(*p.DeletionGracePeriodSeconds)*time.Second)) {
		return all
	}
	all[corev1.ResourcePods] = one
	o := resourcehelper.PodResourcesOptions{UseStatusResources: true}
	charge(all, resourcehelper.PodRequests(p, o), resourcehelper.PodLimits(p, o))
	return all
}

// charge adds amounts under the names that quotas have for them (podComputeUsageHelper): requests of cpu, memory and
// ephemeral storage have two names, huge pages too, extended resources one.
func charge(into, requests, limits corev1.ResourceList) {
	const requested, limited = "requests.", "limits."
	for name, amount := range requests {
		switch {
		case isComputed(name), strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
			into[name], into[requested+name] = amount, amount
		case cluster.IsExtended(name):
			into[requested+name] = amount
		}
	}
	for name, amount := range limits {
		if isComputed(name) {
			into[limited+name] = amount
		}
	}
}

func isComputed(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	}
	return false
}

// Scoped reports whether a quota is about a pod: each of its scopes holds (podMatchesScopeFunc, 1.37).
func Scoped(q *corev1.ResourceQuota, p *corev1.Pod) bool {
	for _, scope := range q.Spec.Scopes {
		if !inScope(corev1.ScopedResourceSelectorRequirement{
			ScopeName: scope, Operator: corev1.ScopeSelectorOpExists,
		}, p) {
			return false
		}
	}
	if q.Spec.ScopeSelector == nil {
		return true
	}
	for _, r := range q.Spec.ScopeSelector.MatchExpressions {
		if !inScope(r, p) {
			return false
		}
	}
	return true
}

func inScope(r corev1.ScopedResourceSelectorRequirement, p *corev1.Pod) bool {
	ends := p.Spec.ActiveDeadlineSeconds != nil && *p.Spec.ActiveDeadlineSeconds >= 0
	switch r.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return ends
	case corev1.ResourceQuotaScopeNotTerminating:
		return !ends
	case corev1.ResourceQuotaScopeBestEffort:
		return isBestEffort(p)
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !isBestEffort(p)
	case corev1.ResourceQuotaScopePriorityClass:
		return matches(r, p.Spec.PriorityClassName)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return crossesNamespaces(p.Spec.Affinity)
	}
	return false
}

// matches holds the name of a class, "" for none, to a requirement.
func matches(r corev1.ScopedResourceSelectorRequirement, class string) bool {
	switch r.Operator {
	case corev1.ScopeSelectorOpIn:
		return class != "" && slices.Contains(r.Values, class)
	case corev1.ScopeSelectorOpNotIn:
		return !slices.Contains(r.Values, class)
	case corev1.ScopeSelectorOpExists:
		return class != ""
	case corev1.ScopeSelectorOpDoesNotExist:
		return class == ""
	}
	return false
}

// isBestEffort reports whether a pod requests and limits no cpu and no memory.
func isBestEffort(p *corev1.Pod) bool {
	o := resourcehelper.PodResourcesOptions{}
	for _, list := range []corev1.ResourceList{resourcehelper.PodRequests(p, o), resourcehelper.PodLimits(p, o)} {
		if !list.Cpu().IsZero() || !list.Memory().IsZero() {
			return false
		}
	}
	return true
}

// crossesNamespaces reports whether a term of pod affinity names namespaces or selects them.
func crossesNamespaces(a *corev1.Affinity) bool {
	if a == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	weighted := func(all []corev1.WeightedPodAffinityTerm) {
		for _, w := range all {
			terms = append(terms, w.PodAffinityTerm)
		}
	}
	if a.PodAffinity != nil {
		terms = append(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		weighted(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a.PodAntiAffinity != nil {
		terms = append(terms, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		weighted(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
		return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
	})
}

// OverQuota is why a quota does not let an API server make a pod.
type OverQuota struct {
	Quota   string              // its name
	Raise   corev1.ResourceList // what the quota would have to allow for this pod; nil: the pod names too little
	Each    corev1.ResourceList // by the same resources: what the pod takes
	Message string              // of the API server
}

// For is what the quota would have to allow for that many pods alike, by resource.
func (o *OverQuota) For(pods int) corev1.ResourceList {
	all := corev1.ResourceList{}
	for name, sum := range o.Raise {
		sum, each := sum.DeepCopy(), o.Each[name]
		for range pods - 1 {
			sum.Add(each)
		}
		all[name] = sum
	}
	return all
}

// QuotaRefuses holds a new pod to a quota of its namespace that is about it, of which used is taken already (admission
// plugin ResourceQuota, 1.37). nil: the quota lets it be made.
func QuotaRefuses(q *corev1.ResourceQuota, used corev1.ResourceList, p *corev1.Pod, now time.Time) *OverQuota {
	hard := Hard(q)
	if missing := unnamed(hard, p); missing != "" {
		why := fmt.Sprintf("failed quota: %s: must specify %s", q.Name, missing)
		return &OverQuota{Quota: q.Name, Message: forbidden(p, why)}
	}
	raise := corev1.ResourceList{}
	requested, taken, limited := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for name, amount := range Charge(p, now) {
		most, is := hard[name]
		sum := used[name].DeepCopy()
		if sum.Add(amount); !is || sum.Cmp(most) <= 0 {
			continue
		}
		raise[name], requested[name], taken[name], limited[name] = sum, amount, used[name], most
	}
	if len(raise) == 0 {
		return nil
	}
	return &OverQuota{Quota: q.Name, Raise: raise, Each: requested, Message: forbidden(p, fmt.Sprintf(
		"exceeded quota: %s, requested: %s, used: %s, limited: %s", q.Name, listed(requested), listed(taken), listed(limited),
	))}
}

func forbidden(p *corev1.Pod, why string) string {
	return fmt.Sprintf("pods %q is forbidden: %s", p.Name, why)
}

// listed are amounts as the API server lists them.
func listed(all corev1.ResourceList) string {
	var parts []string
	for name, amount := range all {
		parts = append(parts, string(name)+"="+amount.String())
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// unnamed are the amounts of cpu and memory that a quota counts and a container leaves out, as the API server lists
// them: "limits.cpu for: a,b; limits.memory for: a". "": none. What the pod as a whole names, its containers need not.
func unnamed(hard corev1.ResourceList, p *corev1.Pod) string {
	lacks := map[corev1.ResourceName][]string{}
	whole := corev1.ResourceList{}
	if r := p.Spec.Resources; r != nil {
		charge(whole, r.Requests, r.Limits)
	}
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		has := corev1.ResourceList{}
		charge(has, c.Resources.Requests, c.Resources.Limits)
		for name := range hard {
			bare := corev1.ResourceName(strings.TrimPrefix(strings.TrimPrefix(string(name), "requests."), "limits."))
			if _, is := has[name]; is || bare != corev1.ResourceCPU && bare != corev1.ResourceMemory {
				continue
			}
			if _, is := whole[name]; !is {
				lacks[name] = append(lacks[name], c.Name)
			}
		}
	}
	var parts []string
	for name, containers := range lacks {
		slices.Sort(containers)
		parts = append(parts, string(name)+" for: "+strings.Join(containers, ","))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// Raised are the operations that have a quota allow amounts, the names in order.
func Raised(amounts corev1.ResourceList) []Operation {
	var all []Operation
	for name, amount := range amounts {
		all = append(all, Operation{
			Op: "replace", Path: "/spec/hard/" + Pointer(string(name)), Value: amount.String(),
		})
	}
	slices.SortFunc(all, func(a, b Operation) int { return strings.Compare(a.Path, b.Path) })
	return all
}
