package live

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// ErrNoCluster says that no kubeconfig names a cluster.
var ErrNoCluster = errors.New(
	"there is no cluster: no kubeconfig names one ($KUBECONFIG, ~/.kube/config, --kubeconfig); " +
		"name a FILE instead, or try schedstep demo, which needs no cluster",
)

// errNotKubernetes is what answers when it does not answer as an API server.
var errNotKubernetes = errors.New("it answers, but not as a Kubernetes API server does")

// oneLine is an error with what it is about, on one line.
func oneLine(what string, err error) error {
	return fmt.Errorf("%s: %s", what, strings.Join(strings.Fields(err.Error()), " "))
}

// sentence says in one sentence why a server could not be asked. An error that ends everything is left as it is.
func (c *Cluster) sentence(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("the cluster %s (%s): %s", c.Context(), c.config.Host, c.reason(err))
}

// reason is why a server could not be asked, as the end of a sentence.
func (c *Cluster) reason(err error) string {
	var status apierrors.APIStatus
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var silent silence
	var network *net.OpError
	var request *url.Error
	switch {
	case apierrors.IsUnauthorized(err):
		return "it does not accept these credentials (401 Unauthorized); log in again, or choose another --context"
	case apierrors.IsForbidden(err):
		return "you may not do this (403 Forbidden): " + plain(err)
	case apierrors.IsNotFound(err):
		return errNotKubernetes.Error()
	case errors.As(err, &status) && status.Status().Code >= http.StatusBadRequest:
		code := int(status.Status().Code)
		return fmt.Sprintf("it answers %d %s: %s", code, http.StatusText(code), plain(err))
	case errors.As(err, &unknown):
		return "its certificate is signed by nobody the kubeconfig knows (certificate-authority)"
	case errors.As(err, &name):
		return "its certificate is for another name: " + plain(name)
	case errors.As(err, &silent):
		return silent.Error()
	case errors.As(err, &network):
		return "it cannot be reached: " + plain(network)
	case runtime.IsNotRegisteredError(err), strings.Contains(err.Error(), "couldn't get version/kind"):
		return errNotKubernetes.Error()
	case errors.Is(err, io.EOF):
		return "it closes the connection without an answer"
	case errors.As(err, &request):
		return plain(request.Err)
	}
	return plain(err)
}

// plain is the text of an error on one line.
func plain(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
