package host

import (
	"encoding/json"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core/cluster"
)

// watch is one watch that a client has open.
type watch struct {
	of     request
	from   *http.Request
	lines  chan []byte
	unread []byte
	gone   chan struct{}
}

// watch opens a watch. With sendInitialEvents it begins with what is there.
func (o *objects) watch(r *http.Request, of request) (*http.Response, error) {
	w := &watch{of: of, from: r, lines: make(chan []byte, 1<<16), gone: make(chan struct{})}
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		for _, object := range o.all(of) {
			w.send("ADDED", object)
		}
		w.bookmark(o.kindOf(of.resource), o.now())
	}
	o.watches = append(o.watches, w)
	return &http.Response{
		StatusCode: http.StatusOK, Status: "OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: w, ContentLength: -1, Request: r,
	}, nil
}

func (w *watch) send(kind string, object cluster.Object) {
	if !selects(w.from, object) {
		return
	}
	w.line(map[string]any{"type": kind, "object": typed(object)})
}

func (w *watch) line(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return
	}
	select {
	case w.lines <- append(text, '\n'):
	default: // a client that reads nothing
	}
}

// bookmark marks the end of what was there.
func (w *watch) bookmark(kind, version string) {
	w.line(map[string]any{"type": "BOOKMARK", "object": map[string]any{
		"kind": kind, "apiVersion": schema.GroupVersion{Group: w.of.group, Version: w.of.version}.String(),
		"metadata": map[string]any{
			"resourceVersion": version,
			"annotations":     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		},
	}})
}

// notify informs the watches of a change.
func (o *objects) notify(kind string, object cluster.Object) {
	if len(o.watches) == 0 {
		return
	}
	r, _ := resourceOf(object)
	for _, w := range o.watches {
		if w.of.resource == r && (w.of.namespace == "" || w.of.namespace == object.GetNamespace()) {
			w.send(kind, object)
		}
	}
}

// Read waits for the next event.
func (w *watch) Read(into []byte) (int, error) {
	if len(w.unread) == 0 {
		select {
		case w.unread = <-w.lines:
		case <-w.gone:
			return 0, io.EOF
		case <-w.from.Context().Done():
			return 0, w.from.Context().Err()
		}
	}
	n := copy(into, w.unread)
	w.unread = w.unread[n:]
	return n, nil
}

// Close ends the watch.
func (w *watch) Close() error {
	select {
	case <-w.gone:
	default:
		close(w.gone)
	}
	return nil
}
