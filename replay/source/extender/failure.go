package extender

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/address"
)

// refusal is a sentence of the extender itself, or of this package, about an answer. It stays as it is.
type refusal string

// Error is the sentence.
func (r refusal) Error() string { return string(r) }

// statusError is an answer with a status other than 200.
type statusError int

// Error is the status.
func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// wordsOf is why a call failed, in kube-scheduler's words (1.37) with the name of the extender in the place of its URL
// and the call in the place of its verb. An error that is not known here gives none of its words away: it may quote the
// URL with a password or a token, an address, or a certificate.
func (s *server) wordsOf(call framework.Call, err error) string {
	at := s.name + "/" + string(call)
	var status statusError
	var own refusal
	var request *url.Error
	switch {
	case errors.As(err, &own):
		if errors.As(err, &request) {
			return fmt.Sprintf("Post %q: %s", at, own)
		}
		return string(own)
	case errors.As(err, &status):
		return fmt.Sprintf("failed %s with extender at URL %s, code %d", call, at, int(status))
	case errors.As(err, &request) && request.Op == "parse":
		return fmt.Sprintf("parse %q: it is no URL", at)
	case errors.As(err, &request) && request.Timeout() && !errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("Post %q: context deadline exceeded (Client.Timeout exceeded while awaiting headers)", at)
	case errors.As(err, &request):
		return fmt.Sprintf("Post %q: %s", at, known(request.Err))
	}
	return known(err)
}

// known is an error of the network or of JSON in Go's words, without addresses.
func known(err error) string {
	for _, fixed := range []error{
		io.EOF, io.ErrUnexpectedEOF, context.Canceled, http.ErrSchemeMismatch, net.ErrClosed,
	} {
		if errors.Is(err, fixed) {
			return fixed.Error()
		}
	}
	if text := knownJSON(err); text != "" {
		return text
	}
	if text := knownTLS(err); text != "" {
		return text
	}
	if text := knownNetwork(err); text != "" {
		return text
	}
	return "the server cannot be asked"
}

func knownJSON(err error) string {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Error()
	case errors.As(err, &shape):
		return shape.Error()
	}
	return ""
}

func knownTLS(err error) string {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &verification):
		return "tls: failed to verify certificate: " + knownCertificate(verification.Err)
	case errors.As(err, &record):
		return "tls: first record does not look like a TLS handshake"
	case errors.As(err, &alert):
		return "remote error: " + alert.Error()
	}
	return ""
}

func knownCertificate(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.As(err, &authority):
		return "x509: certificate signed by unknown authority"
	case errors.As(err, &host):
		return "x509: certificate is valid for another name"
	}
	return "x509: certificate is not valid"
}

func knownNetwork(err error) string {
	var lookup *net.DNSError
	var operation *net.OpError
	var system *os.SyscallError
	switch {
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return "dial tcp: lookup " + address.Hidden + ": no such host"
	case errors.As(err, &lookup):
		return "dial tcp: lookup " + address.Hidden + ": the name server does not answer"
	case errors.As(err, &operation) && errors.As(operation.Err, &system):
		return operation.Op + " " + operation.Net + " " + address.Hidden + ": " + system.Syscall + ": " + system.Err.Error()
	case errors.As(err, &operation) && operation.Timeout():
		return operation.Op + " " + operation.Net + " " + address.Hidden + ": i/o timeout"
	}
	return ""
}
