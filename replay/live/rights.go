package live

import (
	"context"
	"slices"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
)

// Verbs are those that following a cluster needs of every kind; reading it once needs the first alone.
func Verbs() []string { return []string{"list", "watch"} }

// Right is whether the user may do something with all objects of a kind, in all namespaces.
type Right struct {
	Kind     cluster.Kind
	Group    string
	Resource string
	Verb     string
	Allowed  bool
}

// Rights asks the server what the user may do of all that following the cluster needs, kind by kind and verb by verb.
// The server writes nothing because of it.
func (c *Cluster) Rights(ctx context.Context) ([]Right, error) {
	var rights []Right
	for _, row := range c.rows() {
		for _, verb := range Verbs() {
			rights = append(rights, Right{Kind: row.Kind, Group: row.Group, Resource: c.served[row.Kind].Resource, Verb: verb})
		}
	}
	faults := make([]error, len(rights))
	var all sync.WaitGroup
	for i := range rights {
		all.Go(func() { rights[i].Allowed, faults[i] = c.may(ctx, rights[i]) })
	}
	all.Wait()
	if i := slices.IndexFunc(faults, func(err error) bool { return err != nil }); i >= 0 {
		return nil, c.sentence(faults[i])
	}
	return rights, nil
}

func (c *Cluster) may(ctx context.Context, r Right) (bool, error) {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	client, err := c.client(authorizationv1.SchemeGroupVersion)
	if err != nil {
		return false, err
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: r.Group, Resource: r.Resource, Verb: r.Verb},
	}}
	var answer authorizationv1.SelfSubjectAccessReview
	err = client.Post().Resource("selfsubjectaccessreviews").VersionedParams(&metav1.CreateOptions{}, parameters).
		Body(review).Do(ctx).Into(&answer)
	return answer.Status.Allowed, err
}

// User is who the server takes the user for; "" when it does not tell.
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
