package live

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// ParseResource takes the name of a resource apart, as kubectl takes it: quotas.v1.quota.example.com. False: it is none
// of a CustomResourceDefinition.
func ParseResource(name string) (schema.GroupVersionResource, bool) {
	plural, rest, _ := strings.Cut(name, ".")
	version, group, _ := strings.Cut(rest, ".")
	at := schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
	return at, plural != "" && version != "" && strings.Contains(group, ".") && !strings.Contains(name, "/")
}

// ReadCustom has resources of CustomResourceDefinitions read and followed besides the table of kinds. It is called
// before List, Follow and Rights. What is not read, and why, is in the notes.
func (c *Cluster) ReadCustom(ctx context.Context, resources []string) (notes []phrase.Text, err error) {
	for _, name := range resources {
		at, is := ParseResource(name)
		if !is {
			return notes, phrase.Errorf("%q is no resource of a CustomResourceDefinition (try quotas.v1.example.com)", name)
		}
		served, err := c.resourcesOf(ctx, at.GroupVersion())
		if apierrors.IsForbidden(err) {
			notes = append(notes, phrase.Textf("not read: %s (you may not see which resources the server has)", name))
			continue
		}
		if err != nil {
			return notes, c.sentence(err)
		}
		if note := c.addCustom(at, name, served); note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// addCustom makes the row of a resource; the note is why there is none.
func (c *Cluster) addCustom(at schema.GroupVersionResource, name string, served []metav1.APIResource) phrase.Text {
	i := slices.IndexFunc(served, func(r metav1.APIResource) bool { return r.Name == at.Resource })
	if i < 0 {
		return phrase.Textf("the cluster has no resource %s: plugins that read it find none, also when it comes later", name)
	}
	guessed, _ := meta.UnsafeGuessKindToResource(at.GroupVersion().WithKind(served[i].Kind))
	if guessed.Resource != at.Resource {
		return phrase.Textf("not read: %s (its kind %s does not say how its resource is called)", name, served[i].Kind)
	}
	row := cluster.NewCustomRow(at, served[i].Kind, served[i].Namespaced)
	if _, known := c.served[row.Kind]; known {
		return ""
	}
	c.custom, c.served[row.Kind] = append(c.custom, row), at
	if c.parts == nil {
		c.parts = map[cluster.Kind]bool{}
	}
	c.parts[row.Kind] = slices.ContainsFunc(served, func(r metav1.APIResource) bool {
		return r.Name == at.Resource+"/status"
	})
	return ""
}

// listWatchCustom requests the objects of a kind that no type of Kubernetes is of.
func (c *Cluster) listWatchCustom(row *cluster.KindRow) (*cache.ListWatch, error) {
	client, err := dynamic.NewForConfigAndClient(c.config, c.http)
	if err != nil {
		return nil, err
	}
	from := client.Resource(c.served[row.Kind])
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return from.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return from.Watch(ctx, o)
		},
	}, nil
}
