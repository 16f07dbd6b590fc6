package beside

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// api serves custom resources to the plugin in kube-scheduler. It is none of package host's: what that one does to them
// would not show.
type api struct {
	objects map[string]*unstructured.Unstructured // by path
	watches []*watch
	version int
}

func (a *api) config() *rest.Config {
	return &rest.Config{Host: "http://api.invalid", Transport: a, QPS: -1}
}

// folder is where the objects of a kind are.
func folder(u *unstructured.Unstructured) string {
	plural, _ := meta.UnsafeGuessKindToResource(u.GroupVersionKind())
	path := "/apis/" + plural.Group + "/" + plural.Version + "/"
	if u.GetNamespace() != "" {
		path += "namespaces/" + u.GetNamespace() + "/"
	}
	return path + plural.Resource
}

func (a *api) put(u *unstructured.Unstructured) {
	u = u.DeepCopy()
	path := folder(u) + "/" + u.GetName()
	what := "ADDED"
	if a.objects[path] != nil {
		what = "MODIFIED"
	}
	a.version++
	u.SetResourceVersion(strconv.Itoa(a.version))
	a.objects[path] = u
	a.show(what, u)
}

func (a *api) remove(u *unstructured.Unstructured) {
	path := folder(u) + "/" + u.GetName()
	if was := a.objects[path]; was != nil {
		delete(a.objects, path)
		a.show("DELETED", was)
	}
}

func (a *api) show(what string, u *unstructured.Unstructured) {
	for _, w := range a.watches {
		if strings.HasPrefix(folder(u), w.of) {
			w.send(what, u.Object)
		}
	}
}

// RoundTrip answers get, list and watch.
func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	if u := a.objects[r.URL.Path]; u != nil {
		return answer(r, http.StatusOK, u.Object)
	}
	last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if last != "quotas" && last != "nodeloads" {
		return answer(r, http.StatusNotFound, map[string]any{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
		})
	}
	var list []any
	for _, path := range slices.Sorted(maps.Keys(a.objects)) {
		if strings.HasPrefix(path, r.URL.Path+"/") {
			list = append(list, a.objects[path].Object)
		}
	}
	if r.URL.Query().Get("watch") == "" {
		return answer(r, http.StatusOK, map[string]any{
			"kind": "List", "apiVersion": "v1", "items": list,
			"metadata": map[string]any{"resourceVersion": strconv.Itoa(a.version)},
		})
	}
	w := &watch{of: r.URL.Path, lines: make(chan []byte, 10_000), done: r.Context().Done()}
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		for _, object := range list {
			w.send("ADDED", object)
		}
		w.send("BOOKMARK", map[string]any{
			"kind": "Custom", "apiVersion": "v1", "metadata": map[string]any{
				"resourceVersion": strconv.Itoa(a.version),
				"annotations":     map[string]any{metav1.InitialEventsAnnotationKey: "true"},
			},
		})
	}
	a.watches = append(a.watches, w)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: w, Request: r,
	}, nil
}

func answer(r *http.Request, code int, value any) (*http.Response, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(text)), Request: r,
	}, nil
}

// watch is the body of a response that goes on.
type watch struct {
	of     string
	lines  chan []byte
	unread []byte
	done   <-chan struct{}
}

func (w *watch) send(what string, object any) {
	text, err := json.Marshal(map[string]any{"type": what, "object": object})
	if err == nil {
		w.lines <- append(text, '\n')
	}
}

func (w *watch) Read(into []byte) (int, error) {
	if len(w.unread) == 0 {
		select {
		case w.unread = <-w.lines:
		case <-w.done:
			return 0, io.EOF
		}
	}
	n := copy(into, w.unread)
	w.unread = w.unread[n:]
	return n, nil
}

func (w *watch) Close() error { return nil }
