package live

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core/cluster"
)

// Names are the names of the first objects of a kind, in a namespace or (empty) in no particular one, for a shell that
// completes a word. They come in the server's order.
func (c *Cluster) Names(ctx context.Context, kind cluster.Kind, namespace string) ([]string, error) {
	if at, is := unread(kind); is {
		return c.namesAt(ctx, at, namespace)
	}
	client, err := c.client(cluster.RowOf(kind).GroupVersion())
	if err != nil {
		return nil, err
	}
	list, err := client.Get().NamespaceIfScoped(namespace, namespace != "").Resource(c.served[kind].Resource).
		VersionedParams(&metav1.ListOptions{Limit: pageSize}, parameters).Do(ctx).Get()
	if err != nil {
		return nil, c.sentence(err)
	}
	var names []string
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object, err := meta.Accessor(item)
		if err == nil {
			names = append(names, object.GetName())
		}
		return err
	})
	return names, err
}

// unread is where an API server has workloads that no scheduler reads; false for other kinds.
func unread(kind cluster.Kind) (schema.GroupVersionResource, bool) {
	switch kind {
	case "Deployment":
		return schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, true
	case "DaemonSet":
		return schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}, true
	case "Job":
		return schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, true
	case "CronJob":
		return schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, true
	}
	return schema.GroupVersionResource{}, false
}

func (c *Cluster) namesAt(ctx context.Context, at schema.GroupVersionResource, namespace string) ([]string, error) {
	client, err := c.client(at.GroupVersion())
	if err != nil {
		return nil, err
	}
	text, err := client.Get().NamespaceIfScoped(namespace, namespace != "").Resource(at.Resource).
		SetHeader("Accept", "application/json").
		VersionedParams(&metav1.ListOptions{Limit: pageSize}, parameters).Do(ctx).Raw()
	if err != nil {
		return nil, c.sentence(err)
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, nil
}
