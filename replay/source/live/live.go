// Package live reads a cluster that runs now. A live cluster is a recording that is still being written: Follow appends
// what happens to a source.Log, and a player that follows the end of that log does the rest; List reads everything
// once. It is the only package that imports client-go. It writes nothing to the cluster unless a Driver is made, which
// carries out the effects of a scheduler, or CreateJob is called; it runs no scheduler itself, and draws nothing.
package live

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Cluster is a connection to an API server that has answered. Several goroutines may use it.
type Cluster struct {
	context   string // of the kubeconfig; "" inside a cluster
	namespace string
	version   version.Info
	timeout   time.Duration // of one request that ends; 0: none
	config    *rest.Config
	wrap      transport.WrapperFunc // of the kubeconfig, without the guard that lets only reads pass
	http      *http.Client
	writing   *http.Client // like http, without the guard
	later     later
	login     *login // where a screen is drawn later; nil: the login program keeps the terminal, or there is none
	served    map[cluster.Kind]schema.GroupVersionResource
	custom    []*cluster.KindRow    // of CustomResourceDefinitions, by ReadCustom
	parts     map[cluster.Kind]bool // those of them whose status is a resource of its own
	stale     []cluster.Kind        // kinds that the server has only in a version this build does not read from a server
}

// answerTime is how long an answer, or the beginning of a watch, may take before that counts as silence, when
// --request-timeout is not set. A list of 50,000 pods takes a few seconds.
const answerTime = 15 * time.Second

// connect reads the server's version and the kinds it has.
func connect(ctx context.Context, config *rest.Config, contextName, namespace string, screen bool) (*Cluster, error) {
	c := &Cluster{
		context: contextName, namespace: namespace, timeout: config.Timeout, config: rest.CopyConfig(config),
	}
	c.prepare()
	var err error
	if screen {
		if c.login, err = newLogin(c.config); err != nil {
			return nil, c.sentence(err)
		}
	}
	if err := c.login.during(c.makeClients); err != nil {
		return nil, c.sentence(err)
	}
	if err := c.meet(ctx); err != nil {
		return nil, c.sentence(err)
	}
	if err := c.discover(ctx); err != nil {
		return nil, c.sentence(err)
	}
	c.login.detach()
	return c, nil
}

// makeClients makes what sends requests. All of them log in by the same program, which runs once.
func (c *Cluster) makeClients() (err error) {
	if c.http, err = rest.HTTPClientFor(c.config); err != nil {
		return err
	}
	c.writing, err = rest.HTTPClientFor(c.writingConfig())
	return err
}

// Context is the context of the kubeconfig, or where the server is when there is none.
func (c *Cluster) Context() string {
	if c.context == "" {
		return c.config.Host
	}
	return c.context
}

// Namespace is the one that the user's names are in: that of -n, else of the context, else "default".
func (c *Cluster) Namespace() string { return c.namespace }

// Version is the server's release of Kubernetes, such as "1.37"; "" when its version cannot be parsed.
func (c *Cluster) Version() string {
	v, err := parseVersion(c.version.GitVersion)
	if err != nil {
		return ""
	}
	return v
}

// meet requests the version, which nearly every user may read, so that wrong credentials and wrong addresses show.
func (c *Cluster) meet(ctx context.Context) error {
	ctx, cancel := c.withinAnswerTime(ctx)
	defer cancel()
	client, err := c.client(schema.GroupVersion{Version: "v1"})
	if err != nil {
		return err
	}
	answer := client.Get().AbsPath("/version").Do(ctx)
	var status int
	answer.StatusCode(&status)
	text, err := answer.Raw()
	switch {
	case err != nil && status == http.StatusForbidden:
		return nil // this user may not read the version; the lists show what they may read
	case err != nil:
		return c.endOf(ctx, err)
	}
	if json.Unmarshal(text, &c.version) != nil || c.version.GitVersion == "" {
		return errNotKubernetes
	}
	return nil
}

// withinAnswerTime is a context for one of the first requests.
func (c *Cluster) withinAnswerTime(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := c.answerTime()
	return context.WithTimeoutCause(ctx, limit, silence(limit))
}

func (c *Cluster) answerTime() time.Duration {
	if c.timeout == 0 {
		return answerTime
	}
	return c.timeout
}

// endOf is why one of the first requests has failed: because its context has ended, or would before client-go may send
// it again, or by the error that it came back with.
func (c *Cluster) endOf(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case strings.Contains(err.Error(), "would exceed context deadline"):
		return silence(c.answerTime())
	}
	return err
}

// silence is the end of waiting for a server.
type silence time.Duration

// Error names how long it was waited.
func (s silence) Error() string { return s.phrase().String() }

func (s silence) phrase() phrase.Phrase {
	return phrase.New("no answer came within %s (--request-timeout changes it)", time.Duration(s))
}
