package live

import (
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// requestsOf is the requests that make an object as a plugin wants it.
func (c *Cluster) requestsOf(e core.Write, known *cluster.State) ([]Request, error) {
	if kind, _ := cluster.KindOf(e.Object); kind.IsCustom() {
		return c.customWriteOf(e, known)
	}
	return writeOf(e, known)
}

// customWriteOf is the requests that make a custom resource as a plugin wants it. A change is sent for the version that
// the plugin saw, because its lists are replaced as a whole.
func (c *Cluster) customWriteOf(e core.Write, known *cluster.State) ([]Request, error) {
	kind, _ := cluster.KindOf(e.Object)
	at, read := c.served[kind]
	if !read {
		return nil, phrase.Errorf("no %s is written: they are not read from the cluster (--resource has them read)", kind)
	}
	r := Request{Resource: at, Namespace: e.Object.GetNamespace(), Name: e.Object.GetName(), plain: true}
	before, there := known.Objects().Custom(kind, cluster.Key(e.Object))
	switch {
	case e.Action == cluster.Add:
		bare := e.Object.DeepCopyObject().(cluster.Object)
		bare.SetResourceVersion("")
		bare.SetUID("")
		r.Verb, r.Name, r.Body = "create", "", jsonOf(bare)
		return []Request{r}, nil
	case !there:
		return nil, apierrors.NewNotFound(at.GroupResource(), r.Name)
	case e.Action == cluster.Delete:
		options := metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}}
		if uid := before.GetUID(); uid != "" {
			options.Preconditions = &metav1.Preconditions{UID: &uid}
		}
		r.Verb, r.Body = "delete", jsonOf(&options)
		return []Request{r}, nil
	}
	r.Verb = "patch"
	return c.customPatches(r, before, e.Object)
}

// customPatches are the requests that make a change: of the object itself first, then of its status where that is a
// resource of its own.
func (c *Cluster) customPatches(r Request, before, after cluster.Object) ([]Request, error) {
	text := jsonOf(before)
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(text, jsonOf(after), text)
	if err != nil {
		return nil, err
	}
	changed := change{}
	if err := json.Unmarshal(patch, &changed); err != nil {
		return nil, err
	}
	changed.split("metadata", "resourceVersion")
	kind, _ := cluster.KindOf(before)
	var status any
	if c.parts[kind] {
		status = changed.split("status")
	}
	version := before.GetResourceVersion()
	var all []Request
	if len(changed) > 0 {
		r.Body = jsonOf(changed.of(before, version))
		all, version = append(all, r), "" // it is another one by then
	}
	if status != nil {
		r.part, r.Body = "status", jsonOf(change{"status": status}.of(before, version))
		all = append(all, r)
	}
	return all, nil
}
