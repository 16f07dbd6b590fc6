package extender

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/phrase"
)

// defaultTimeout is how long a call may take when the configuration sets no httpTimeout (1.37).
const defaultTimeout = 5 * time.Second

// server is an extender that is called over HTTP.
type server struct {
	*configv1.Extender
	name   string          // that stands in the place of its URL wherever it is spoken of
	ctx    context.Context // of the whole replay
	client *http.Client
	binds  bool // bindings are sent; else they count as done
	calls  chan call
}

// call is one that is made outside of bubbles (testing/synctest). A plugin that is hosted may call an extender, or have
// the scheduler call it, in the middle of its own call, which runs in a bubble: what is made there, channels too, may
// not be used outside of it, and a connection that stays open keeps the bubble from coming to rest.
type call struct {
	what chan func()
	done chan struct{}
}

// offer hands out calls until ctx ends.
func (s *server) offer() {
	for {
		c := call{make(chan func()), make(chan struct{})}
		select {
		case s.calls <- c:
			go func() {
				defer close(c.done)
				(<-c.what)()
			}()
		case <-s.ctx.Done():
			return
		}
	}
}

// outside does f in a goroutine that is in no bubble, unless ctx has ended.
func (s *server) outside(f func()) error {
	select {
	case c := <-s.calls:
		c.what <- f
		<-c.done
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

func newServer(ctx context.Context, e *configv1.Extender, name string) (*server, error) {
	if config.IsExtenderName(e.URLPrefix) {
		return nil, errors.New("a recording has the name of an extender and no address to ask it at " +
			"(--config FILE gives the configuration that has)")
	}
	settings, err := tlsSettings(e)
	if err != nil {
		return nil, err
	}
	timeout := e.HTTPTimeout.Duration
	switch {
	case timeout < 0:
		return nil, phrase.Errorf("httpTimeout %s is negative (try 5s; 0 is %s)", timeout, defaultTimeout)
	case timeout == 0:
		timeout = defaultTimeout
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = settings
	client := &http.Client{Transport: transport, Timeout: timeout, CheckRedirect: stayOnHost}
	s := &server{Extender: e, name: name, ctx: ctx, client: client, calls: make(chan call)}
	go s.offer()
	return s, nil
}

// stayOnHost refuses to follow a redirect to another host: the request holds the whole pod and every node, and the user
// has named one server to send them to. kube-scheduler follows such redirects (1.37).
func stayOnHost(next *http.Request, before []*http.Request) error {
	if asked := before[0].URL; next.URL.Host != asked.Host || next.URL.Scheme != asked.Scheme {
		return refusal("it redirects to another server, to which the pod is not sent (kube-scheduler sends it)")
	}
	if len(before) >= mostRedirects {
		return refusal(fmt.Sprintf("it redirects more than %d times", mostRedirects))
	}
	return nil
}

// mostRedirects is how many redirects net/http follows by default.
const mostRedirects = 10

// tlsSettings are those of an extender; HTTPS without an authority to trust accepts any server (1.37).
func tlsSettings(e *configv1.Extender) (*tls.Config, error) {
	given := configv1.ExtenderTLSConfig{}
	if e.TLSConfig != nil {
		given = *e.TLSConfig
	}
	authority, err := content(given.CAData, "caFile", given.CAFile)
	if err != nil {
		return nil, err
	}
	if e.EnableHTTPS && len(authority) == 0 {
		given.Insecure = true
	}
	certificate, err := content(given.CertData, "certFile", given.CertFile)
	if err != nil {
		return nil, err
	}
	key, err := content(given.KeyData, "keyFile", given.KeyFile)
	if err != nil {
		return nil, err
	}
	if given.Insecure && len(authority) > 0 {
		return nil, phrase.Errorf("specifying a root certificates file with the insecure flag is not allowed")
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: given.Insecure, ServerName: given.ServerName}
	if len(authority) > 0 {
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(authority) {
			return nil, phrase.Errorf("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	if len(certificate)+len(key) > 0 {
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	return settings, nil
}

// mostOfACertificate is enough for every authority of a large system.
const mostOfACertificate = 16 << 20

// content is data, or what the file of a member of the configuration holds. An error has the member and not the path.
func content(data []byte, member, file string) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	held, err := bounded.ReadFile(file, mostOfACertificate)
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err
	}
	if err != nil {
		return nil, phrase.Errorf("tlsConfig.%s: %w", member, err)
	}
	return held, nil
}

// send posts arguments and decodes the result; the error is in kube-scheduler's words, as wordsOf has them.
func (s *server) send(verb string, arguments, result any) (err error) {
	if over := s.outside(func() { err = s.post(verb, arguments, result) }); over != nil {
		return over
	}
	return err
}

func (s *server) post(verb string, arguments, result any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	url := strings.TrimRight(s.URLPrefix, "/") + "/" + verb
	request, err := http.NewRequestWithContext(s.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return statusError(response.StatusCode)
	}
	return json.NewDecoder(response.Body).Decode(result)
}
