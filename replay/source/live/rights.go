package live

import (
	"context"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	eventsv1 "k8s.io/api/events/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Verbs are those that following a cluster needs of every kind; reading it once needs the first alone.
func Verbs() []string { return []string{"list", "watch"} }

// Right is whether the user may do something with all objects of a kind, in all namespaces or in one.
type Right struct {
	Kind      cluster.Kind // "" for what no scheduler reads
	Group     string
	Resource  string // with its part, as "pods/binding"
	Namespace string // "": all
	Name      string // of the one object that is meant; "": all
	Verb      string
	Allowed   bool
}

// DriveRights are those that drive needs besides, under a schedulerName: what kube-scheduler may write, without what no
// request of a Driver needs.
func DriveRights(schedulerName string) []Right {
	var rights []Right
	add := func(group, resource, name string, verbs ...string) {
		for _, verb := range verbs {
			rights = append(rights, Right{Group: group, Resource: resource, Name: name, Verb: verb})
		}
	}
	add("", "pods/binding", "", "create")
	add("", "pods/status", "", "patch")
	add("", "pods", "", "delete")
	add("", "persistentvolumes", "", "patch")
	add("", "persistentvolumeclaims", "", "patch")
	add(resourcev1.GroupName, "resourceclaims", "", "create", "patch", "delete")
	add(resourcev1.GroupName, "resourceclaims/status", "", "patch")
	add(resourcev1.GroupName, "resourceclaims/binding", "", "patch")
	add(schedulingv1beta1.GroupName, "podgroups/status", "", "patch")
	add(eventsv1.GroupName, "events", "", "create", "patch")
	add(coordinationv1.GroupName, "leases", "", "create")
	add(coordinationv1.GroupName, "leases", LeaseName(schedulerName), "get", "update")
	return rights
}

// PluginRights are those that the writes of plugins of others need under drive: to the pods that they run for, and to
// the custom resources that are read.
func (c *Cluster) PluginRights() []Right {
	rights := []Right{{Resource: "pods", Verb: "patch"}}
	for _, row := range c.custom {
		of := Right{Kind: row.Kind, Group: row.Group, Resource: c.served[row.Kind].Resource}
		for _, verb := range []string{"create", "patch", "delete"} {
			of.Verb = verb
			rights = append(rights, of)
		}
		if c.parts[row.Kind] {
			of.Resource, of.Verb = of.Resource+"/status", "patch"
			rights = append(rights, of)
		}
	}
	return rights
}

// Ask has the API server review rights of the user, and keeps the answers.
func (c *Cluster) Ask(ctx context.Context, rights []Right) error {
	faults := make([]error, len(rights))
	var all sync.WaitGroup
	for i := range rights {
		all.Go(func() { rights[i].Allowed, faults[i] = c.may(ctx, rights[i]) })
	}
	all.Wait()
	if i := slices.IndexFunc(faults, func(err error) bool { return err != nil }); i >= 0 {
		return c.sentence(faults[i])
	}
	return nil
}

// Rights has the server review which of the rights that following the cluster needs the user has, kind by kind and verb
// by verb. The server writes nothing because of it.
func (c *Cluster) Rights(ctx context.Context) ([]Right, error) {
	var rights []Right
	for _, row := range append(c.having(followed()), c.custom...) {
		for _, verb := range Verbs() {
			rights = append(rights, Right{Kind: row.Kind, Group: row.Group, Resource: c.served[row.Kind].Resource, Verb: verb})
		}
	}
	return rights, c.Ask(ctx, rights)
}

func (c *Cluster) may(ctx context.Context, r Right) (bool, error) {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	client, err := c.client(authorizationv1.SchemeGroupVersion)
	if err != nil {
		return false, err
	}
	resource, part, _ := strings.Cut(r.Resource, "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: r.Group, Resource: resource, Subresource: part, Namespace: r.Namespace, Name: r.Name, Verb: r.Verb,
		},
	}}
	var answer authorizationv1.SelfSubjectAccessReview
	err = client.Post().Resource("selfsubjectaccessreviews").VersionedParams(&metav1.CreateOptions{}, parameters).
		Body(review).Do(ctx).Into(&answer)
	return answer.Status.Allowed, err
}

// User is the user's name to the server; "" when the server does not return it.
func (c *Cluster) User(ctx context.Context) string {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	client, err := c.client(authenticationv1.SchemeGroupVersion)
	if err != nil {
		return ""
	}
	var answer authenticationv1.SelfSubjectReview
	if client.Post().Resource("selfsubjectreviews").VersionedParams(&metav1.CreateOptions{}, parameters).
		Body(&authenticationv1.SelfSubjectReview{}).Do(ctx).Into(&answer) != nil {
		return ""
	}
	return answer.Status.UserInfo.Username
}
