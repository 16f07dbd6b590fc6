package remedy

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/session"
)

// priorityClasses give the pod the lowest class with which it may preempt a pod of the node that it may not preempt
// now, and the highest. Classes of Kubernetes itself, and those that never preempt, are left out.
func (a at) priorityClasses() []Change {
	if a.node == nil || ptr.Deref(a.pod.API.Spec.PreemptionPolicy, "") == corev1.PreemptNever {
		return nil
	}
	var classes []*schedulingv1.PriorityClass
	a.state.Objects().PriorityClasses.Each(func(c *schedulingv1.PriorityClass) bool {
		mayPreempt := func(p *cluster.Pod) bool { return p.Priority >= a.pod.Priority && p.Priority < c.Value }
		if !strings.HasPrefix(c.Name, "system-") && ptr.Deref(c.PreemptionPolicy, "") != corev1.PreemptNever &&
			slices.ContainsFunc(a.node.Pods, mayPreempt) {
			classes = append(classes, c)
		}
		return true
	})
	if len(classes) == 0 {
		return nil
	}
	slices.SortFunc(classes, func(x, y *schedulingv1.PriorityClass) int {
		return cmp.Or(cmp.Compare(x.Value, y.Value), cmp.Compare(x.Name, y.Name))
	})
	all := []Change{prioritizing(a.pod, classes[0])}
	if last := classes[len(classes)-1]; last.Value > classes[0].Value {
		all = append(all, prioritizing(a.pod, last))
	}
	return all
}

// prioritizing gives the pod a PriorityClass. In a template the class alone is written, and an API server fills in the
// number; a pod that is made again has the number already, and an API server refuses another than that of the class
// (plugin/pkg/admission/priority, 1.37).
func prioritizing(p *cluster.Pod, class *schedulingv1.PriorityClass) Change {
	named := patch{Op: "add", Path: "/spec/priorityClassName", Value: class.Name}
	patches := []patch{named}
	if owner.PlaceOf(p).Follows == owner.ItIsMade {
		patches = append(patches, patch{Op: "add", Path: "/spec/priority", Value: class.Value})
	}
	return Change{
		Kind: Prioritize, What: phrase.New("%[1]s (%[2]d)", class.Name, class.Value),
		Line:     "set priority " + p.Key + " " + class.Name,
		Commands: kubectl(patchTemplate(p, patches...)...), Cost: costs[Prioritize],
		Edit: session.SetPriorityClass(p.Key, class.Name), slow: true, Template: []patch{named},
	}
}

// storageClasses name a class in the claims of the pod that name none and have no volume, or mark a class default.
// Where a class is the default, the API server or the volume controller names it.
func (a at) storageClasses(k Kind) []Change {
	var classes []*storagev1.StorageClass
	byDefault := false
	a.state.Objects().StorageClasses.Each(func(c *storagev1.StorageClass) bool {
		byDefault = byDefault || cluster.IsDefaultClass(c)
		classes = append(classes, c)
		return true
	})
	if byDefault {
		return nil
	}
	slices.SortFunc(classes, func(x, y *storagev1.StorageClass) int { return cmp.Compare(x.Name, y.Name) })
	var all []Change
	for _, v := range a.pod.API.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		key := a.pod.Namespace() + "/" + v.PersistentVolumeClaim.ClaimName
		claim, is := a.state.Objects().VolumeClaims.Find(key)
		if !is || claim.Spec.VolumeName != "" || claim.Spec.StorageClassName != nil || cluster.ClaimClass(claim) != "" {
			continue
		}
		if k == MarkClass {
			return marked(classes)
		}
		for _, class := range classes {
			all = append(all, namingClass(claim, class.Name))
		}
	}
	return all
}

// marked are changes that mark one of these classes default.
func marked(classes []*storagev1.StorageClass) []Change {
	all := make([]Change, len(classes))
	for i, class := range classes {
		on := request.Object{Kind: cluster.KindStorageClass, Name: class.Name}
		all[i] = Change{
			Kind: MarkClass, What: called(class.Name), Line: "set default-class " + class.Name,
			Commands: kubectl(request.Annotate(on, cluster.DefaultClassAnnotation, "true")),
			Cost:     costs[MarkClass],
			Edit:     session.SetDefaultClass(class.Name),
		}
	}
	return all
}

// namingClass names a class in a claim. An API server lets a claim without one get one (gate
// RetroactiveDefaultStorageClass, on since 1.26). A claim that was made here of a template is in no cluster: its class
// is named in the manifest.
func namingClass(claim *corev1.PersistentVolumeClaim, class string) Change {
	to := request.Patch(
		request.Object{Kind: cluster.KindVolumeClaim, Namespace: claim.Namespace, Name: claim.Name},
		patch{Op: "add", Path: "/spec/storageClassName", Value: class},
	)
	if claim.UID == "" {
		to = request.Remark(phrase.Textf(
			"in the manifest that claim %s is made from: %s", cluster.Key(claim), to.Operations(),
		))
	}
	return Change{
		Kind: NameClass, What: phrase.New("%[2]s in claim %[1]s", cluster.Key(claim), class),
		Line:     "set class " + cluster.Key(claim) + " " + class,
		Commands: kubectl(to), Cost: costs[NameClass], Edit: session.SetClass(cluster.Key(claim), class),
	}
}
