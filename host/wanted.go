package host

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes/scheme"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
)

// isCustom reports whether a resource is one of a CustomResourceDefinition: of a group that Kubernetes has no types of.
func isCustom(r resource) bool {
	if _, known := rowOf(r); known || !strings.Contains(r.group, ".") {
		return false
	}
	return !scheme.Scheme.IsGroupRegistered(r.group)
}

// create makes a plugin. Where its New asks for a kind of a CustomResourceDefinition of which there is no object, that
// kind is served, as by a cluster that has the definition alone, and New is called once more.
func (i *instance) create(g *guest) (fwk.Plugin, error) {
	for {
		made, err := g.create(i.ctx, g.args, i.handles[g.profile])
		var lacks *meta.NoKindMatchError
		if err == nil || !errors.As(err, &lacks) || len(lacks.SearchedVersions) == 0 {
			return made, err
		}
		kind := lacks.GroupKind.WithVersion(lacks.SearchedVersions[0])
		if i.objects.custom[kind] != nil || !isCustom(customResource(kind)) {
			return made, err
		}
		i.objects.define(kind)
	}
}

// event is what plugins call a resource in their events.
func (r resource) event() string { return r.plural + "." + r.version + "." + r.group }

// want keeps that a plugin reads a resource. Where a plugin names a resource only while it runs for a pod, its objects
// may not have been read: that is noted where there are none.
func (o *objects) want(r resource) {
	if o.wanted[r.event()] || !isCustom(r) {
		return
	}
	o.wanted[r.event()] = true
	if g := o.of.asked; g != nil && o.ofResource(r) == nil {
		o.of.notes.add(g.name, "", "it reads "+r.event()+", of which there is none here; of a live cluster it is read with "+
			"--resource "+r.event())
	}
}

// wait keeps that a plugin waits for events of custom resources.
func (o *objects) wait(events []fwk.ClusterEventWithHint) {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	for _, e := range events {
		plural, rest, _ := strings.Cut(string(e.Event.Resource), ".")
		version, group, _ := strings.Cut(rest, ".")
		if cluster.Resource(e.Event.Resource).IsCustom() && isCustom(resource{group, version, plural}) {
			o.wanted[string(e.Event.Resource)] = true
		}
	}
}
