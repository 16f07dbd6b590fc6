package live

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/rest"

	"github.com/schedstep/schedstep/core/cluster"
)

// Request is one change to request of an API server.
type Request struct {
	Verb      string // "create", "patch" or "delete", as RBAC names them
	Resource  schema.GroupVersionResource
	Namespace string // "" for what has none
	Name      string // "" when the body has it
	part      string // such as "binding" or "status"; "": the object itself
	Body      []byte // JSON; of a patch the strategic merge, or the plain one
	plain     bool   // a patch is a JSON merge patch, which custom resources take

	retries func(error) bool // after which faults it is sent again, a few times; nil: after none
}

// String is the request as one line of text: kubectl-like, with its whole body.
func (r *Request) String() string {
	what := r.Resource.Resource
	if r.Name != "" {
		what += "/" + r.Name
	}
	if r.part != "" {
		what += "/" + r.part
	}
	if r.Namespace != "" {
		what += " -n " + r.Namespace
	}
	if len(r.Body) == 0 {
		return r.Verb + " " + what
	}
	return r.Verb + " " + what + " " + string(r.Body)
}

// to is the request as a client of its group and version sends it.
func (r *Request) to(client *rest.RESTClient) *rest.Request {
	var q *rest.Request
	switch {
	case r.Verb == "create":
		q = client.Post().SetHeader("Content-Type", "application/json")
	case r.Verb == "delete":
		q = client.Delete().SetHeader("Content-Type", "application/json")
	case r.plain:
		q = client.Patch(types.MergePatchType)
	default:
		q = client.Patch(types.StrategicMergePatchType)
	}
	q = q.NamespaceIfScoped(r.Namespace, r.Namespace != "").Resource(r.Resource.Resource)
	if r.Name != "" {
		q = q.Name(r.Name)
	}
	if r.part != "" {
		q = q.SubResource(r.part)
	}
	if len(r.Body) > 0 {
		q = q.Body(r.Body)
	}
	return q
}

// send has a server carry it out, or with dry only check it.
func (r *Request) send(ctx context.Context, client *rest.RESTClient, dry bool) error {
	q := r.to(client)
	if dry {
		q = q.Param("dryRun", metav1.DryRunAll)
	}
	return q.Do(ctx).Error()
}

// about is a request about an object of a kind.
func about(verb string, kind cluster.Kind, o metav1.Object, body any) Request {
	return Request{
		Verb: verb, Resource: cluster.RowOf(kind).GroupVersionResource(), Namespace: o.GetNamespace(), Name: o.GetName(),
		Body: jsonOf(body),
	}
}

// jsonOf is a value of ours or of Kubernetes as JSON.
func jsonOf(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("%T cannot be written as JSON: %v", v, err))
	}
	return text
}

// change is the content of a patch that makes an object another version of itself.
type change map[string]any

// changeOf compares two versions of an object, which are of one type. Versions and managed fields do not count.
func changeOf(before, after cluster.Object) (change, error) {
	patch, err := strategicpatch.CreateTwoWayMergePatch(jsonOf(before), jsonOf(after), before)
	if err != nil {
		return nil, err
	}
	c := change{}
	if err := json.Unmarshal(patch, &c); err != nil {
		return nil, err
	}
	c.split("metadata", "resourceVersion")
	return c, nil
}

// split takes a part out of a change, by its path, and returns it; nil when it is not there.
func (c change) split(path ...string) any {
	name := path[0]
	if len(path) == 1 {
		part := c[name]
		delete(c, name)
		return part
	}
	inner, is := c[name].(map[string]any)
	if !is {
		return nil
	}
	part := change(inner).split(path[1:]...)
	if len(inner) == 0 {
		delete(c, name)
	}
	return part
}

// of restricts the change to one object, so that a later one of the same name is safe; and with version to that version
// of it.
func (c change) of(o cluster.Object, version string) change {
	metadata, is := c["metadata"].(map[string]any)
	if !is {
		metadata = map[string]any{}
		c["metadata"] = metadata
	}
	if o.GetUID() != "" {
		metadata["uid"] = string(o.GetUID())
	}
	if version != "" {
		metadata["resourceVersion"] = version
	}
	return c
}

// statusPatch is a request that patches a pod's status as change does; none when nothing changes.
func statusPatch(p *corev1.Pod, change func(*corev1.PodStatus)) []Request {
	after := *p
	after.Status = *p.Status.DeepCopy()
	change(&after.Status)
	c, err := changeOf(p, &after)
	if err != nil || len(c) == 0 {
		return nil
	}
	r := about("patch", cluster.KindPod, p, c.of(p, ""))
	r.part, r.retries = "status", retriesConflict
	return []Request{r}
}
