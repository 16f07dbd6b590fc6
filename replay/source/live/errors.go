package live

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/internal/phrase"
)

// ErrNoCluster is the error when no kubeconfig names a cluster.
var ErrNoCluster = phrase.Errorf(
	"there is no cluster: no kubeconfig names one ($KUBECONFIG, ~/.kube/config, --kubeconfig); " +
		"name a FILE instead, or try schedstep demo, which needs no cluster",
)

// errNotKubernetes is what answers when it does not answer as an API server.
var errNotKubernetes = phrase.Errorf(notKubernetes)

const notKubernetes = "it answers, but not as a Kubernetes API server does"

// oneLine is an error with what it is about, on one line.
func oneLine(what string, err error) error {
	return phrase.Errorf("%s: %s", what, strings.Join(strings.Fields(err.Error()), " "))
}

// sentence explains in one sentence why a request to a server failed. An error that ends everything is left as it is.
func (c *Cluster) sentence(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return phrase.Errorf("the cluster %s (%s): %s", c.Context(), c.config.Host, c.reason(err))
}

// reason is why a request to a server failed, as the end of a sentence.
func (c *Cluster) reason(err error) phrase.Phrase {
	var status apierrors.APIStatus
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var silent silence
	var network *net.OpError
	var request *url.Error
	switch {
	case strings.Contains(err.Error(), "getting credentials: "): // client-go's word for a login program that fails
		return c.loginFails(err)
	case apierrors.IsUnauthorized(err):
		if said := c.login.last(); said != "" {
			return phrase.New("it does not accept these credentials (401 Unauthorized); the login program says: %s", said)
		}
		return phrase.New(
			"it does not accept these credentials (401 Unauthorized); log in again, or choose another --context")
	case apierrors.IsForbidden(err):
		return phrase.New("you may not do this (403 Forbidden): %s", plain(err))
	case apierrors.IsNotFound(err):
		return phrase.New(notKubernetes)
	case errors.As(err, &status) && status.Status().Code >= http.StatusBadRequest:
		code := int(status.Status().Code)
		return phrase.New("it answers %d %s: %s", code, http.StatusText(code), plain(err))
	case errors.As(err, &unknown):
		return phrase.New("its certificate is signed by nobody the kubeconfig knows (certificate-authority)")
	case errors.As(err, &name):
		return phrase.New("its certificate is for another name: %s", plain(name))
	case errors.As(err, &silent):
		if put, is := c.later.worst(); is && put.err == nil {
			return phrase.New("it answers %d %s and asks to be asked later, for %s already",
				put.code, http.StatusText(put.code), time.Duration(silent))
		} else if is {
			return c.reason(put.err)
		}
		return silent.phrase()
	case errors.As(err, &network):
		return phrase.New("it cannot be reached: %s", plain(network))
	case isGarbage(err):
		return phrase.New(notKubernetes)
	case errors.Is(err, io.EOF):
		return phrase.New("it closes the connection without an answer")
	case errors.As(err, &request):
		return phrase.New("%s", phrase.OnOneLine(request.Err))
	}
	return phrase.New("%s", phrase.OnOneLine(err))
}

// isGarbage reports whether an error is about an answer that no API server gives.
func isGarbage(err error) bool {
	text := err.Error()
	return errors.Is(err, errNotKubernetes) || runtime.IsNotRegisteredError(err) ||
		strings.Contains(text, "couldn't get version/kind") || strings.Contains(text, "serializer") ||
		strings.Contains(text, "unable to decode an event")
}

// plain is the text of an error on one line.
func plain(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
