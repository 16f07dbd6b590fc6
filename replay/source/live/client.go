package live

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// How many requests a second are sent, and how many at once: as kubectl and its kin do.
const (
	requestsPerSecond = 50
	requestBurst      = 100
)

// known holds the types of the table of kinds, those of access reviews, and Jobs.
var known = knownTypes()

func knownTypes() *runtime.Scheme {
	s := runtime.NewScheme()
	metav1.AddToGroupVersion(s, schema.GroupVersion{Version: "v1"})
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, storagev1.AddToScheme, policyv1.AddToScheme, resourcev1.AddToScheme,
		schedulingv1.AddToScheme, schedulingv1beta1.AddToScheme, authorizationv1.AddToScheme,
		authenticationv1.AddToScheme, coordinationv1.AddToScheme, eventsv1.AddToScheme, batchv1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(fmt.Sprintf("the types of the table of kinds: %v", err))
		}
	}
	return s
}

// parameters writes the options of a request into its address.
var parameters = runtime.NewParameterCodec(known)

// prepare sets what is the same for every request.
func (c *Cluster) prepare() {
	c.config.Timeout = 0 // a watch has no end; requests that end get theirs one by one
	c.config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(requestsPerSecond, requestBurst)
	c.config.UserAgent = "schedstep"
	c.config.ContentType = runtime.ContentTypeProtobuf
	c.config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	c.config.NegotiatedSerializer = serializer.NewCodecFactory(known).WithoutConversion()
	c.config.WarningHandlerWithContext = warnings{}
	c.config.WarningHandler = nil
	c.wrap = c.config.WrapTransport
	c.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return readOnly{next, &c.later} })
}

// client talks about the kinds of one group and version. It only reads.
func (c *Cluster) client(version schema.GroupVersion) (*rest.RESTClient, error) {
	return clientFor(c.config, c.http, version)
}

func clientFor(like *rest.Config, over *http.Client, version schema.GroupVersion) (*rest.RESTClient, error) {
	config := rest.CopyConfig(like)
	config.GroupVersion = &version
	config.APIPath = "/apis"
	if version.Group == "" {
		config.APIPath = "/api"
	}
	return rest.RESTClientForConfigAndClient(config, over)
}

// readOnly lets nothing pass that could change a cluster. Questions about the user's own rights are posted, and change
// nothing.
type readOnly struct {
	next  http.RoundTripper
	later *later
}

// RoundTrip sends a request that reads.
func (r readOnly) RoundTrip(q *http.Request) (*http.Response, error) {
	asks := q.Method == http.MethodPost && strings.HasPrefix(path.Base(q.URL.Path), "selfsubject")
	if q.Method != http.MethodGet && !asks {
		return nil, phrase.Errorf("%s %s would change the cluster, and only drive mode does", q.Method, q.URL.Path)
	}
	answer, err := r.next.RoundTrip(q)
	if q.Context().Err() == nil { // else the caller has given up
		r.later.heard(q.URL.Path, answer, err)
	}
	return answer, err
}

// scheduled are the rows of the kinds that kube-scheduler reads.
func scheduled() []*cluster.KindRow {
	return slices.DeleteFunc(cluster.KindRows(), func(r *cluster.KindRow) bool {
		return r.Reader != cluster.ReadByScheduler
	})
}

// followed are those, and that of the events in which schedulers record their decisions.
func followed() []*cluster.KindRow { return append(scheduled(), cluster.RowOf(cluster.KindEvent)) }

// discover finds out which kinds the server has. A kind that it has in no version cannot be missed: there are no
// objects of it.
func (c *Cluster) discover(ctx context.Context) error {
	asked := map[schema.GroupVersion]map[string]bool{}
	has := func(version schema.GroupVersion, plural string) (bool, error) {
		if asked[version] == nil {
			found, err := c.resources(ctx, version)
			if err != nil {
				return false, err
			}
			asked[version] = found
		}
		return asked[version][plural] || asked[version][anything], nil
	}
	c.served = map[cluster.Kind]schema.GroupVersionResource{}
	for _, row := range followed() {
		resource := row.GroupVersionResource()
		there, err := has(row.GroupVersion(), resource.Resource)
		if err != nil {
			return err
		}
		if there {
			c.served[row.Kind] = resource
			continue
		}
		for _, older := range row.Older {
			there, err := has(schema.GroupVersion{Group: row.Group, Version: older}, resource.Resource)
			if err != nil {
				return err
			}
			if there {
				c.stale = append(c.stale, row.Kind)
				break
			}
		}
	}
	return nil
}

// anything stands for all resources of a version whose discovery is forbidden to the user. The lists show what is
// there.
const anything = "*"

// resources are the names of what a server has in a version; none when it does not have the version.
func (c *Cluster) resources(ctx context.Context, version schema.GroupVersion) (map[string]bool, error) {
	list, err := c.resourcesOf(ctx, version)
	names := map[string]bool{}
	switch {
	case apierrors.IsForbidden(err):
		names[anything] = true
		return names, nil
	case err != nil:
		return nil, err
	}
	for i := range list {
		names[list[i].Name] = true
	}
	return names, nil
}

// resourcesOf is what a server has in a version; nothing when it does not have the version.
func (c *Cluster) resourcesOf(ctx context.Context, version schema.GroupVersion) ([]metav1.APIResource, error) {
	ctx, cancel := c.withinAnswerTime(ctx)
	defer cancel()
	client, err := c.client(version)
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	switch err := client.Get().AbsPath(pathOf(version)).Do(ctx).Into(&list); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case apierrors.IsForbidden(err):
		return nil, err
	case err != nil:
		return nil, c.endOf(ctx, err)
	}
	return list.APIResources, nil
}

// limited is a context for one request that ends.
func (c *Cluster) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.timeout, silence(c.timeout))
}

// parseVersion makes 1.37 of v1.37.1 and of what vendors add to it.
func parseVersion(text string) (string, error) {
	v, err := utilversion.ParseGeneric(text)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%d", v.Major(), v.Minor()), nil
}

// warnings writes down what an API server warns of.
type warnings struct{}

// HandleWarningHeaderWithContext writes down a warning.
func (warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	klog.Background().Info("The API server warns", "warning", text)
}
