package live

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// ByHand makes the request that binds a pod to a node because a person wants it, whatever the plugins' verdicts, and
// the function that sends it. The pod is looked up anew, so that another one that has its name by then is not bound.
func (d *Driver) ByHand(ctx context.Context, pod, node string) (request string, send func() error, err error) {
	client, err := d.client(corev1.SchemeGroupVersion)
	if err != nil {
		return "", nil, err
	}
	namespace, name, _ := strings.Cut(pod, "/")
	limit, cancel := context.WithTimeoutCause(ctx, requestTime, silence(requestTime))
	defer cancel()
	var found corev1.PodList // a list: drive need not be allowed to get one
	err = client.Get().Namespace(namespace).Resource("pods").
		VersionedParams(&metav1.ListOptions{FieldSelector: "metadata.name=" + name}, parameters).Do(limit).Into(&found)
	switch {
	case err != nil:
		return "", nil, d.cluster.sentence(err)
	case len(found.Items) == 0:
		return "", nil, phrase.Errorf("the cluster has no pod %s any more", pod)
	case found.Items[0].Spec.NodeName != "":
		return "", nil, phrase.Errorf("pod %s is on node %s by now", pod, found.Items[0].Spec.NodeName)
	}
	r := bindingOf(&found.Items[0], node)
	return r.String(), func() error {
		d.mu.Lock()
		ended := d.ended
		d.mu.Unlock()
		if ended != nil {
			return ended
		}
		err := d.send(&r)
		d.note("bind "+pod+" to "+node+" by hand", []Request{r}, err)
		if err != nil {
			return phrase.Errorf("%s", d.cluster.reason(err))
		}
		return nil
	}, nil
}
