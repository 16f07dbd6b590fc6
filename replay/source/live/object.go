package live

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// transform makes an object as the server sends it one as a dump has it: with its kind, and without what no plugin
// reads. The object is changed; nothing else may hold it.
func (c *Cluster) transform(row *cluster.KindRow, item runtime.Object) (cluster.Object, error) {
	object, is := item.(cluster.Object)
	if !is {
		return nil, phrase.Errorf("a list of %s holds %T", row.Kind, item)
	}
	if !row.Kind.IsCustom() { // its objects know their own
		object.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(string(row.Kind)))
	}
	object.SetManagedFields(nil)
	if notes := object.GetAnnotations(); notes[corev1.LastAppliedConfigAnnotation] != "" {
		delete(notes, corev1.LastAppliedConfigAnnotation)
		object.SetAnnotations(notes)
	}
	switch o := object.(type) {
	case *corev1.Pod:
		lighten(o)
	case *eventsv1.Event:
		o.ReportingInstance, o.DeprecatedSource.Host = "", "" // the machine of the scheduler
	}
	return object, nil
}

// lighten takes out of a pod what is large and what no scheduler reads: what its containers run. Redaction takes out
// the same fields of containers, and a test of it shows that no verdict depends on them.
func lighten(p *corev1.Pod) {
	for _, list := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			c := &list[i]
			c.Command, c.Args, c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil, nil, nil
			for j := range c.Env {
				c.Env[j].Value = ""
			}
		}
	}
}

// inOrder puts objects into the order in which those of a dump arrive at a scheduler.
func inOrder(objects []cluster.Object) {
	all := make([]importer.Object, len(objects))
	for i, o := range objects {
		all[i].Object = o
	}
	importer.Sort(all)
	for i := range all {
		objects[i] = all[i].Object.(cluster.Object)
	}
}
