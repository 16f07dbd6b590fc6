// Package apiserver answers over HTTP as a Kubernetes API server does, for the lists and watches of the table of kinds,
// so that tests of a live cluster use the real client, and takes the writes of a scheduler. It admits nothing and has
// no users. The real API server is in conformance/e2e.
package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core/cluster"
)

// Server is an API server. Several goroutines may use it.
type Server struct {
	t    *testing.T
	http *httptest.Server

	mu       sync.Mutex
	version  int
	objects  map[string][]cluster.Object // by path of the list
	refused  map[string]int              // path -> status in place of an answer; "": all paths
	busy     string                      // the beginning of the paths of requests that are put off; "": none
	warning  string                      // is part of every answer; "": there is none
	garbage  bool
	absent   []string // prefixes of paths that are not there
	requests []string
	watchers map[string][]chan string // by path
	past     map[string][]event       // by path
	expired  int                      // watches cannot go on from before this version
	away     bool
	silent   string                    // the beginning of the paths of requests that get no answer; "": none
	answers  chan struct{}             // is closed when silence ends
	texts    map[string]map[string]any // by path: leases and events, which are no kinds of the table
	custom   []*cluster.KindRow        // besides the table of kinds
}

// event is one event of a watch.
type event struct {
	version int
	text    string
}

// New is a server that has every kind, and no objects. It ends with the test.
func New(t *testing.T) *Server {
	t.Helper()
	s := &Server{
		t: t, version: 1, objects: map[string][]cluster.Object{}, refused: map[string]int{},
		watchers: map[string][]chan string{}, past: map[string][]event{}, texts: map[string]map[string]any{},
		answers: make(chan struct{}),
	}
	s.http = httptest.NewServer(s)
	t.Cleanup(func() {
		s.HangUp()
		s.http.Close()
	})
	return s
}

// PathOf is where the objects of a kind are listed.
func PathOf(kind cluster.Kind) string { return pathOf(cluster.RowOf(kind)) }

func pathOf(row *cluster.KindRow) string {
	resource := row.GroupVersionResource()
	if resource.Group == "" {
		return "/api/" + resource.Version + "/" + resource.Resource
	}
	return "/apis/" + resource.Group + "/" + resource.Version + "/" + resource.Resource
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	method := r.Method
	if r.URL.Query().Get("watch") != "" {
		method = "WATCH"
	}
	s.requests = append(s.requests, method+" "+r.URL.Path)
	code, refused := s.refused[r.URL.Path]
	if !refused {
		code, refused = s.refused[""]
	}
	away, garbage := s.away, s.garbage
	busy := s.busy != "" && strings.HasPrefix(r.URL.Path, s.busy)
	answers := s.answers
	silent := s.silent != "" && strings.HasPrefix(r.URL.Path, s.silent)
	s.warn(w)
	absent := slices.ContainsFunc(s.absent, func(p string) bool { return strings.HasPrefix(r.URL.Path, p) })
	s.mu.Unlock()
	switch {
	case silent:
		select {
		case <-r.Context().Done():
		case <-answers:
			s.ServeHTTP(w, r)
		}
	case away:
		panic(http.ErrAbortHandler) // the connection is closed without an answer
	case garbage:
		fmt.Fprint(w, "<html>hello</html>")
	case busy:
		w.Header().Set("Retry-After", "1")
		status(w, http.StatusTooManyRequests)
	case refused:
		status(w, code)
	case absent:
		status(w, http.StatusNotFound)
	case r.URL.Path == "/version":
		fmt.Fprint(w, `{"major":"1","minor":"37","gitVersion":"v1.37.1"}`)
	case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		s.review(w, r)
	case strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"):
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(
			w,
			`{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"me"}}}`,
		)
	case r.URL.Query().Get("watch") != "":
		s.watch(w, r)
	case method != http.MethodGet || strings.HasPrefix(r.URL.Path, "/apis/coordination.k8s.io/"):
		s.write(w, r)
	case strings.Count(r.URL.Path, "/") < 4 && !s.isList(r.URL.Path):
		s.discover(w, r.URL.Path)
	default:
		name, named := strings.CutPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
		if !named {
			name = ""
		}
		s.list(w, r.URL.Path, name)
	}
}

// warn puts the warning into an answer. s.mu is held.
func (s *Server) warn(w http.ResponseWriter) {
	if s.warning != "" {
		w.Header().Set("Warning", fmt.Sprintf("299 - %q", s.warning))
	}
}

// Serve has the server have a kind that is not in the table, from before the first request on.
func (s *Server) Serve(row *cluster.KindRow) { s.custom = append(s.custom, row) }

// rows are the kinds that the server has.
func (s *Server) rows() []*cluster.KindRow {
	var rows []*cluster.KindRow
	for _, kind := range append(cluster.Kinds(), cluster.KindEvent) {
		rows = append(rows, cluster.RowOf(kind))
	}
	return append(rows, s.custom...)
}

func (s *Server) rowOf(kind cluster.Kind) *cluster.KindRow {
	for _, custom := range s.custom {
		if custom.Kind == kind {
			return custom
		}
	}
	return cluster.RowOf(kind)
}

// nameOf is the kind as its objects call it.
func nameOf(row *cluster.KindRow) string {
	if name, _, custom := strings.Cut(string(row.Kind), "."); custom {
		return name
	}
	return string(row.Kind)
}

func (s *Server) isList(path string) bool {
	return slices.ContainsFunc(s.rows(), func(row *cluster.KindRow) bool { return pathOf(row) == path })
}

// status is the answer of an API server that refuses.
func status(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	reason := map[int]metav1.StatusReason{
		401: metav1.StatusReasonUnauthorized, 403: metav1.StatusReasonForbidden, 404: metav1.StatusReasonNotFound,
		410: metav1.StatusReasonExpired, 429: metav1.StatusReasonTooManyRequests,
	}[code]
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: "refused by the test",
	})
}

// review answers whether the user may read a resource: unless its path is refused. Clients send it as protobuf.
func (s *Server) review(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var envelope runtime.Unknown
	var review authorizationv1.SelfSubjectAccessReview
	if err == nil {
		err = envelope.Unmarshal(bytes.TrimPrefix(body, []byte("k8s\x00")))
	}
	if err == nil {
		err = review.Unmarshal(envelope.Raw)
	}
	if err != nil {
		s.t.Errorf("a review that cannot be read: %v", err)
		return
	}
	wanted := review.Spec.ResourceAttributes
	review.Status.Allowed = true
	for _, row := range s.rows() {
		resource := row.GroupVersionResource()
		if resource.Group == wanted.Group && resource.Resource == wanted.Resource {
			s.mu.Lock()
			review.Status.Allowed = s.refused[pathOf(row)] != http.StatusForbidden
			s.mu.Unlock()
		}
	}
	review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SelfSubjectAccessReview"
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

func (s *Server) discover(w http.ResponseWriter, path string) {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}}
	for _, row := range s.rows() {
		if name, here := strings.CutPrefix(pathOf(row), path+"/"); here {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: name, Kind: nameOf(row), Namespaced: row.Namespaced,
			})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

// list answers with the objects of a path; only that of a name when one is given.
func (s *Server) list(w http.ResponseWriter, path, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	namespace := ""
	if in, is := strings.CutPrefix(path, "/api/v1/namespaces/"); is {
		namespace, path, _ = strings.Cut(in, "/")
		path = "/api/v1/" + path
	}
	row := s.rowAt(path)
	w.Header().Set("Content-Type", "application/json")
	items := []cluster.Object{}
	for _, o := range s.objects[path] {
		if (namespace == "" || o.GetNamespace() == namespace) && (name == "" || o.GetName() == name) {
			items = append(items, o)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"kind": nameOf(row) + "List", "apiVersion": row.GroupVersion().String(), "items": items,
		"metadata": map[string]string{"resourceVersion": fmt.Sprint(s.version)},
	})
}

func (s *Server) rowAt(path string) *cluster.KindRow {
	for _, row := range s.rows() {
		if pathOf(row) == path {
			return row
		}
	}
	s.t.Errorf("asked for %s", path)
	return cluster.RowOf(cluster.KindPod)
}

// watch sends what happens until the client or the server hangs up. Lists by watch are refused, as older servers do.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("sendInitialEvents") != "" {
		status(w, http.StatusUnprocessableEntity)
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	events := make(chan string, 1000)
	s.mu.Lock()
	expired := from < s.expired
	for _, e := range s.past[r.URL.Path] {
		if e.version > from && !expired {
			events <- e.text
		}
	}
	if !expired {
		s.watchers[r.URL.Path] = append(s.watchers[r.URL.Path], events)
	}
	s.mu.Unlock()
	if expired {
		status(w, http.StatusGone)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.(http.Flusher).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e, open := <-events:
			if !open {
				return
			}
			fmt.Fprintln(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

// HangUp ends every watch, as a server that goes away does.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, watchers := range s.watchers {
		for _, w := range watchers {
			close(w)
		}
		delete(s.watchers, path)
	}
}

// Put adds or replaces an object. Watches get the event.
func (s *Server) Put(o cluster.Object) { s.change(o, true) }

// Remove takes an object away. Watches get the event.
func (s *Server) Remove(o cluster.Object) { s.change(o, false) }

func (s *Server) change(o cluster.Object, stays bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, _ := cluster.KindOf(o)
	row := s.rowOf(kind)
	path := pathOf(row)
	s.version++
	object := o.DeepCopyObject().(cluster.Object)
	object.SetResourceVersion(fmt.Sprint(s.version))
	object.GetObjectKind().SetGroupVersionKind(row.GroupVersion().WithKind(nameOf(row)))
	happened := "ADDED"
	s.objects[path] = slices.DeleteFunc(s.objects[path], func(old cluster.Object) bool {
		same := cluster.Key(old) == cluster.Key(o)
		if same {
			happened = "MODIFIED"
		}
		return same
	})
	if stays {
		s.objects[path] = append(s.objects[path], object)
	} else {
		happened = "DELETED"
	}
	text, err := json.Marshal(map[string]any{"type": happened, "object": object})
	if err != nil {
		s.t.Fatal(err)
	}
	s.past[path] = append(s.past[path], event{s.version, string(text)})
	for _, w := range s.watchers[path] {
		w <- string(text)
	}
}

// Vanish ends every connection, and answers no request until Return.
func (s *Server) Vanish() {
	s.mu.Lock()
	s.away = true
	s.mu.Unlock()
	s.HangUp()
}

// Return answers again. Watches cannot go on where they were, as after a compaction.
func (s *Server) Return() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away, s.expired = false, s.version
}

// Refuse makes a path answer with a status; 0 ends that. The path "" stands for all that are not refused by their own.
func (s *Server) Refuse(path string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.refused, path); status != 0 {
		s.refused[path] = status
	}
}

// Keep has the server take requests whose paths begin so, and answer none of them; "": it answers all, those that
// wait too.
func (s *Server) Keep(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent = prefix; prefix == "" {
		close(s.answers)
		s.answers = make(chan struct{})
	}
}

// Delay has the server answer requests whose paths begin so that it has no time, and that they may be sent again in
// a second; "": it has time again.
func (s *Server) Delay(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = prefix
}

// Warn makes the server put a warning into every answer, as an API server does for versions that go away; "" ends that.
func (s *Server) Warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warning = text
}

// Garble makes the server answer every request with a page that no client of Kubernetes understands; false ends that.
func (s *Server) Garble(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.garbage = on
}

// Lack has the server not know the paths that begin so.
func (s *Server) Lack(prefixes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.absent = prefixes
}

// Requests are the methods and paths of all requests so far, in order; the method of a watch is WATCH.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// URL is where the server is.
func (s *Server) URL() string { return s.http.URL }

// Kubeconfig writes a kubeconfig whose current context, "here" in the namespace "shop", is a server, and returns its
// name.
func Kubeconfig(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
clusters: [{name: here, cluster: {server: %q}}]
users: [{name: me, user: {token: secret}}]
contexts: [{name: here, context: {cluster: here, user: me, namespace: shop}}]
`, url)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Node is a node that is ready and has room for two pods of one core.
func Node(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			"cpu": resource.MustParse("2"), "memory": resource.MustParse("4Gi"), "pods": resource.MustParse("10"),
		}},
	}
}

// Pod is a pod in the namespace "shop" that requests one core; node "": it is to be placed.
func Pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name)},
		Spec: corev1.PodSpec{NodeName: node, SchedulerName: "default-scheduler", Containers: []corev1.Container{{
			Name: "c", Image: "x", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("1")},
			},
		}}},
	}
}
