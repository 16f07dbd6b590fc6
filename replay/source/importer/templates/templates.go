// Package templates does what the controllers of workloads do before a scheduler sees a pod: it makes the pods of
// Deployments, ReplicaSets, ReplicationControllers, StatefulSets, DaemonSets, Jobs and CronJobs. It makes all of them
// at once and goes no further: it rolls nothing out, restarts nothing, and admits nothing.
package templates

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// madeFrom is the annotation of every pod and claim made here. Its value is the workload: "Deployment/shop".
const madeFrom = "schedstep.dev/made-from"

// mostPods is how many pods Kubernetes is made for in one cluster.
const mostPods = 150_000

// Options of Make. The zero value makes the pods of workloads that were never applied.
type Options struct {
	// Applied makes the missing pods also of workloads that an API server has seen.
	Applied bool
	// Replicas overrules how many pods a workload wants, by "name" or "namespace/name". A workload named here makes
	// pods even if it was applied.
	Replicas map[string]int
	// Controllers keeps the workloads that no scheduler reads, and quotas, for Result.Workloads, and counts none as left
	// out.
	Controllers bool
}

// Made is one workload of which pods were made.
type Made struct {
	Kind, Namespace, Name string
	// Pods are the keys (namespace/name) of the pods that were made, in the order in which they are tried.
	Pods []string
	// There is how many pods of it the input held.
	There int
}

// Result of Make.
type Result struct {
	// Objects are those given, without the workloads no scheduler reads, and with pods, claims and ReplicaSets in the
	// place of the workload they were made from.
	Objects []importer.Object
	Made    []Made
	Left    []importer.LeftOut
	// Workloads are those that no scheduler reads, and the quotas of their pods, with Options.Controllers.
	Workloads []cluster.Object
	Claims    int // how many ResourceClaims were made of ResourceClaimTemplates
	// Problems list workloads whose pods cannot be made.
	Problems []importer.Problem
	// Unused are the keys of Options.Replicas that name nothing here, sorted.
	Unused []string
}

// Make makes pods. It owns the objects and changes no input object but by giving it its namespace.
func Make(objects []importer.Object, o Options) Result {
	m := maker{Options: o, pods: map[string][]*corev1.Pod{}, names: map[importer.Identity]bool{}, used: map[string]bool{}}
	var workloads []*workload
	at := map[int]*workload{}
	for i, from := range objects {
		object, is := from.Object.(cluster.Object)
		if !is {
			continue
		}
		m.see(object)
		if w := workloadOf(object); w != nil {
			w.source = from.Source
			workloads = append(workloads, w)
			at[i] = w
		}
	}
	m.workloads = workloads
	for i, from := range objects {
		w := at[i]
		if q, is := from.Object.(*corev1.ResourceQuota); is && m.Controllers {
			q.SetNamespace(namespaceOf(q))
			m.out.Workloads = append(m.out.Workloads, q)
			continue
		}
		if w == nil {
			m.out.Objects = append(m.out.Objects, from)
			continue
		}
		if w.scheduled {
			m.out.Objects = append(m.out.Objects, from)
		} else if m.Controllers {
			w.object.SetNamespace(w.namespace)
			m.out.Workloads = append(m.out.Workloads, w.object)
		}
		m.make(w)
	}
	for name := range o.Replicas {
		if !m.used[name] {
			m.out.Unused = append(m.out.Unused, name)
		}
	}
	slices.Sort(m.out.Unused)
	m.claims()
	return m.out
}

// maker is one call of Make.
type maker struct {
	Options
	nodes     []*corev1.Node
	pods      map[string][]*corev1.Pod // of the input, by namespace
	names     map[importer.Identity]bool
	used      map[string]bool // keys of Replicas that named a workload
	workloads []*workload
	out       Result
}

// see remembers what decides how many pods are made, and which names are taken.
func (m *maker) see(object cluster.Object) {
	if object.GetName() != "" {
		m.names[importer.IdentityOf(object)] = true
	}
	switch x := object.(type) {
	case *corev1.Node:
		m.nodes = append(m.nodes, x)
	case *corev1.Pod:
		ns := namespaceOf(x)
		m.pods[ns] = append(m.pods[ns], x)
	}
}

// make makes the missing pods of a workload, or reports why it makes none.
func (m *maker) make(w *workload) {
	replicas, overruled := m.replicasOf(w)
	switch {
	case m.ownerIsHere(w):
		return
	case w.template == nil || len(w.template.Spec.Containers) == 0:
		m.leave(w, "its template has no container")
		return
	case w.refused != "":
		m.out.Problems = append(m.out.Problems, importer.Problem{
			Where: w.source,
			What:  phrase.Textf("%s %q: the API server refuses it: %s", strings.ToLower(w.kind), w.name, w.refused),
			Right: "a spec.selector that matches the labels of the template",
		})
		return
	case w.applied && !m.Applied && !overruled:
		m.leave(w, importer.WhyNoPods)
		return
	case w.kind == "DaemonSet" && overruled:
		m.out.Problems = append(m.out.Problems, importer.Problem{
			Where: w.source,
			What:  phrase.Textf("DaemonSet \"%s\" makes one pod for each node; --replicas says nothing about it", w.name),
		})
	case overruled:
		w.want = replicas
	}
	if w.want > mostPods {
		m.out.Problems = append(m.out.Problems, importer.Problem{
			Where: w.source, What: phrase.Textf("%s %q wants %d pods; none is made", w.kind, w.name, w.want),
			Right: phrase.Textf("at most %d are made of one workload", mostPods),
		})
		return
	}
	made := Made{Kind: w.kind, Namespace: w.namespace, Name: w.name}
	there := m.there(w)
	made.There = len(there)
	var pods []*corev1.Pod
	switch w.kind {
	case "DaemonSet":
		pods = m.onEveryNode(w, there)
	case "StatefulSet":
		pods = m.inOrder(w)
	default:
		pods = m.numbered(w, w.want-len(there))
	}
	for _, pod := range pods {
		m.add(w, pod)
		made.Pods = append(made.Pods, cluster.Key(pod))
	}
	if len(pods) > 0 || !w.applied {
		m.out.Made = append(m.out.Made, made)
	}
}

// replicasOf is the value of Options.Replicas for a workload.
func (m *maker) replicasOf(w *workload) (int, bool) {
	for _, name := range []string{w.namespace + "/" + w.name, w.name} {
		if n, is := m.Replicas[name]; is {
			m.used[name] = true
			return n, true
		}
	}
	return 0, false
}

// ownerIsHere reports whether another workload of the input makes the pods: the Deployment of a ReplicaSet, the CronJob
// of a Job.
func (m *maker) ownerIsHere(w *workload) bool {
	owner := metav1.GetControllerOf(w.object)
	return owner != nil && slices.ContainsFunc(m.workloads, func(o *workload) bool {
		return o.kind == owner.Kind && o.name == owner.Name && o.namespace == w.namespace
	})
}

// leave counts a workload that no scheduler reads, either.
func (m *maker) leave(w *workload, why phrase.Text) {
	if !w.scheduled && !m.Controllers {
		m.out.Left = append(m.out.Left, importer.LeftOut{What: w.kind, Count: 1, Why: why, First: w.source})
	}
}

// add marks an object as made here and puts it where its workload stands.
func (m *maker) add(w *workload, object cluster.Object) {
	annotations := map[string]string{madeFrom: w.kind + "/" + w.name}
	for key, value := range object.GetAnnotations() {
		annotations[key] = value
	}
	object.SetAnnotations(annotations)
	m.names[importer.IdentityOf(object)] = true
	m.out.Objects = append(m.out.Objects, importer.Object{
		Object: object, Source: w.source + " (made from " + w.kind + " " + w.name + ")",
	})
}

// there lists the pods of a workload that the input holds and that are not finished.
func (m *maker) there(w *workload) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(m.pods[w.namespace]), func(pod *corev1.Pod) bool {
		return cluster.Finished(pod) || pod.DeletionTimestamp != nil || !w.has(pod)
	})
}

// has reports whether a pod is one of a workload: its controller shows it, or, where it has none, its labels.
func (w *workload) has(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return !w.selector.Empty() && w.selector.Matches(labelsOf(pod))
	}
	switch w.kind {
	case "Deployment":
		return owner.Kind == "ReplicaSet" && strings.HasPrefix(owner.Name, w.name+"-") && w.selector.Matches(labelsOf(pod))
	case "CronJob":
		return owner.Kind == "Job" && strings.HasPrefix(owner.Name, w.name+"-")
	}
	return owner.Kind == w.kind && owner.Name == w.name
}
