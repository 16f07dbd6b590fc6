package live

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/core/cluster"
)

// Names are the names of the first objects of a kind, in a namespace or (empty) in no particular one, for a shell that
// completes a word. They come in the server's order.
func (c *Cluster) Names(ctx context.Context, kind cluster.Kind, namespace string) ([]string, error) {
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
