package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/rest"

	"github.com/schedstep/schedstep/core/cluster"
)

// api is the API server that plugins in kube-scheduler have. What they write is noted, and read by them; in the cluster
// it is once an event shows it. It is none of the API that hosted plugins have (package host): a fault of that one has
// to show as a difference.
type api struct {
	mu      sync.Mutex
	objects map[string]*entry // by path
	watches []*watch
	version int
	writes  []write
	evicted []string // pods, by key
	binds   []string // "namespace/name node"
}

// entry is an object at its path, and what a plugin wrote over it.
type entry struct {
	now     map[string]any // nil: it is not there
	written map[string]any
	changed bool // written counts; nil in it: deleted
}

// seen is what plugins read.
func (e *entry) seen() map[string]any {
	switch {
	case e == nil:
		return nil
	case e.changed:
		return e.written
	}
	return e.now
}

// write is a change by a plugin.
type write struct {
	action cluster.Action
	object map[string]any // as it is to be
}

func newAPI() *api { return &api{objects: map[string]*entry{}} }

func (a *api) config() *rest.Config {
	return &rest.Config{Host: "http://api.invalid", Transport: a, QPS: -1, ContentConfig: rest.ContentConfig{
		ContentType: "application/json", AcceptContentTypes: "application/json",
	}}
}

// request is a request for objects.
type request struct {
	root                        string // such as /apis/apps/v1
	namespace, plural, name, at string // at is a subresource
}

func (r request) folder() string {
	if r.namespace == "" {
		return r.root + "/" + r.plural + "/"
	}
	return r.root + "/namespaces/" + r.namespace + "/" + r.plural + "/"
}

func (r request) path() string { return r.folder() + r.name }

// parse takes a path apart; false when it names no resource.
func parse(path string) (request, bool) {
	p := strings.Split(strings.Trim(path, "/"), "/")
	var r request
	switch {
	case len(p) >= 3 && p[0] == "api":
		r.root, p = "/api/"+p[1], p[2:]
	case len(p) >= 4 && p[0] == "apis":
		r.root, p = "/apis/"+p[1]+"/"+p[2], p[3:]
	default:
		return r, false
	}
	if p[0] == "namespaces" && len(p) >= 3 {
		r.namespace, p = p[1], p[2:]
	}
	r.plural = p[0]
	if len(p) > 1 {
		r.name = p[1]
	}
	if len(p) > 2 {
		r.at = p[2]
	}
	return r, true
}

// requestFor is where an object is.
func requestFor(o cluster.Object) request {
	_, custom := o.(*unstructured.Unstructured)
	gvk := o.GetObjectKind().GroupVersionKind()
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	if kind, known := cluster.KindOf(o); known && !custom {
		plural = cluster.RowOf(kind).GroupVersionResource()
	}
	r := request{root: "/apis/" + plural.Group + "/" + plural.Version, plural: plural.Resource}
	if plural.Group == "" {
		r.root = "/api/" + plural.Version
	}
	r.namespace, r.name = o.GetNamespace(), o.GetName()
	return r
}

// fields is an object as JSON has it, with its kind.
func fieldsOf(o cluster.Object) map[string]any {
	if u, custom := o.(*unstructured.Unstructured); custom {
		return u.DeepCopy().Object
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return map[string]any{}
	}
	if kind, known := cluster.KindOf(o); known {
		m["apiVersion"], m["kind"] = cluster.RowOf(kind).GroupVersion().String(), string(kind)
	}
	return m
}

func (a *api) next() string {
	a.version++
	return strconv.Itoa(a.version)
}

// put is an object as the cluster has it.
func (a *api) put(o cluster.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, m, what := requestFor(o), fieldsOf(o), "ADDED"
	(&unstructured.Unstructured{Object: m}).SetResourceVersion(a.next())
	if e := a.objects[r.path()]; e != nil && e.now != nil {
		what = "MODIFIED"
	}
	a.objects[r.path()] = &entry{now: m}
	a.show(what, r, m)
}

func (a *api) remove(o cluster.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := requestFor(o)
	if e := a.objects[r.path()]; e != nil && e.now != nil {
		delete(a.objects, r.path())
		a.show("DELETED", r, e.now)
	}
}

func (a *api) show(what string, r request, object map[string]any) {
	for _, w := range a.watches {
		if strings.HasPrefix(r.folder(), w.of.root) && w.of.plural == r.plural &&
			(w.of.namespace == "" || w.of.namespace == r.namespace) && w.selects(object) {
			w.send(what, object)
		}
	}
}

// RoundTrip answers a request.
func (a *api) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	of, is := parse(r.URL.Path)
	if !is {
		return a.discover(r)
	}
	switch e := a.objects[of.path()]; {
	case r.Method == http.MethodGet && of.name == "":
		return a.list(r, of)
	case r.Method == http.MethodPost:
		return a.create(r, of, body)
	case e.seen() == nil:
		return refuse(r, http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.Method == http.MethodGet:
		return answer(r, http.StatusOK, e.seen())
	case r.Method == http.MethodDelete:
		return a.delete(r, of, e)
	case r.Method == http.MethodPut:
		return a.change(r, e, body, nil)
	case r.Method == http.MethodPatch:
		after, err := patched(e.seen(), types.PatchType(r.Header.Get("Content-Type")), body, of)
		return a.change(r, e, after, err)
	}
	return refuse(r, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed)
}

// patched is an object after a patch.
func patched(now map[string]any, kind types.PatchType, patch []byte, of request) ([]byte, error) {
	before, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	switch kind {
	case types.JSONPatchType:
		p, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			return nil, err
		}
		return p.Apply(before)
	case types.StrategicMergePatchType:
		for _, row := range cluster.KindRows() {
			if row.GroupVersionResource().Resource == of.plural {
				return strategicpatch.StrategicMergePatch(before, patch, row.New())
			}
		}
	}
	return jsonpatch.MergePatch(before, patch)
}

// change is an object with other fields.
func (a *api) change(r *http.Request, e *entry, text []byte, err error) (*http.Response, error) {
	after := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &after)
	}
	if err != nil {
		return refuse(r, http.StatusBadRequest, metav1.StatusReasonBadRequest)
	}
	u, before := unstructured.Unstructured{Object: after}, unstructured.Unstructured{Object: e.seen()}
	if v := u.GetResourceVersion(); r.Method == http.MethodPut && v != "" && v != before.GetResourceVersion() {
		return refuse(r, http.StatusConflict, metav1.StatusReasonConflict)
	}
	a.writes = append(a.writes, write{cluster.Update, u.DeepCopy().Object})
	u.SetResourceVersion(a.next())
	e.written, e.changed = after, true
	return answer(r, http.StatusOK, after)
}

// create is a new object, or what is done by creating one.
func (a *api) create(r *http.Request, of request, body []byte) (*http.Response, error) {
	made := map[string]any{}
	if json.Unmarshal(body, &made) != nil {
		return refuse(r, http.StatusBadRequest, metav1.StatusReasonBadRequest)
	}
	u := unstructured.Unstructured{Object: made}
	switch {
	case of.at == "binding":
		node, _, _ := unstructured.NestedString(made, "target", "name")
		a.binds = append(a.binds, of.namespace+"/"+of.name+" "+node)
		return answer(r, http.StatusCreated, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	case of.at == "eviction":
		a.evicted = append(a.evicted, of.namespace+"/"+of.name)
		return answer(r, http.StatusCreated, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	case of.plural == "events" || of.at != "":
		return answer(r, http.StatusCreated, made)
	}
	if of.namespace != "" {
		u.SetNamespace(of.namespace)
	}
	of.name = u.GetName()
	if a.objects[of.path()].seen() != nil {
		return refuse(r, http.StatusConflict, metav1.StatusReasonAlreadyExists)
	}
	a.writes = append(a.writes, write{cluster.Add, u.DeepCopy().Object})
	u.SetUID(types.UID(of.path()))
	u.SetResourceVersion(a.next())
	a.objects[of.path()] = &entry{written: made, changed: true}
	return answer(r, http.StatusCreated, made)
}

// delete is an object that goes. A pod on a node goes when its kubelet has stopped it.
func (a *api) delete(r *http.Request, of request, e *entry) (*http.Response, error) {
	now := unstructured.Unstructured{Object: e.seen()}
	if of.plural != "pods" || of.root != "/api/v1" {
		a.writes = append(a.writes, write{cluster.Delete, now.DeepCopy().Object})
		e.written, e.changed = nil, true
		return answer(r, http.StatusOK, now.Object)
	}
	a.evicted = append(a.evicted, of.namespace+"/"+of.name)
	if now.GetDeletionTimestamp() != nil {
		return answer(r, http.StatusOK, now.Object)
	}
	going := now.DeepCopy()
	at := metav1.Now()
	going.SetDeletionTimestamp(&at)
	e.written, e.changed = going.Object, true
	if node, _, _ := unstructured.NestedString(now.Object, "spec", "nodeName"); node == "" {
		e.written = nil
	}
	return answer(r, http.StatusOK, now.Object)
}

// list answers with all objects of a kind, or watches them.
func (a *api) list(r *http.Request, of request) (*http.Response, error) {
	w := &watch{of: of, query: r.URL.Query(), lines: make(chan []byte, 10_000), done: r.Context().Done()}
	items := []any{}
	for _, path := range slices.Sorted(maps.Keys(a.objects)) {
		at, _ := parse(path)
		object := a.objects[path].seen()
		if object != nil && at.root == of.root && at.plural == of.plural &&
			(of.namespace == "" || of.namespace == at.namespace) && w.selects(object) {
			items = append(items, object)
		}
	}
	version := map[string]any{"resourceVersion": strconv.Itoa(a.version)}
	group := strings.TrimPrefix(strings.TrimPrefix(of.root, "/apis/"), "/api/")
	if w.query.Get("watch") == "" {
		return answer(r, http.StatusOK, map[string]any{
			"kind": a.kindOf(of) + "List", "apiVersion": group, "items": items, "metadata": version,
		})
	}
	if w.query.Get("sendInitialEvents") == "true" {
		for _, object := range items {
			w.send("ADDED", object)
		}
		version["annotations"] = map[string]any{metav1.InitialEventsAnnotationKey: "true"}
		w.send("BOOKMARK", map[string]any{"kind": a.kindOf(of), "apiVersion": group, "metadata": version})
	}
	a.watches = append(a.watches, w)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: w, Request: r,
	}, nil
}

// kindOf is the kind of the objects of a request: that of one that is there, or of the table.
func (a *api) kindOf(of request) string {
	for _, s := range a.served() {
		if s.root() == of.root && s.resource.Resource == of.plural {
			return s.kind
		}
	}
	return "Custom"
}

// selects reports whether selectors of a list have an object.
func (w *watch) selects(object map[string]any) bool {
	u := unstructured.Unstructured{Object: object}
	if text := w.query.Get("labelSelector"); text != "" {
		s, err := labels.Parse(text)
		if err != nil || !s.Matches(labels.Set(u.GetLabels())) {
			return false
		}
	}
	text := w.query.Get("fieldSelector")
	if text == "" {
		return true
	}
	set := fields.Set{"metadata.name": u.GetName(), "metadata.namespace": u.GetNamespace()}
	for _, at := range [][]string{{"spec", "nodeName"}, {"status", "phase"}, {"spec", "schedulerName"}} {
		set[strings.Join(at, ".")], _, _ = unstructured.NestedString(object, at...)
	}
	s, err := fields.ParseSelector(text)
	return err == nil && s.Matches(set)
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

func refuse(r *http.Request, code int, reason metav1.StatusReason) (*http.Response, error) {
	return answer(r, code, map[string]any{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": string(reason), "code": code,
		"message": fmt.Sprintf("%s %s: %s", r.Method, r.URL.Path, reason),
	})
}

// servedKind is a resource that is served.
type servedKind struct {
	resource   schema.GroupVersionResource
	kind       string
	namespaced bool
}

func (s servedKind) root() string {
	if s.resource.Group == "" {
		return "/api/" + s.resource.Version
	}
	return "/apis/" + s.resource.Group + "/" + s.resource.Version
}

// isPod reports whether an object of a plugin is a pod.
func isPod(object map[string]any) bool {
	return object["kind"] == "Pod" && object["apiVersion"] == corev1.SchemeGroupVersion.String()
}
