package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/rest"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// config is how clients reach the API server of an instance: by a transport that never leaves the process.
func (o *objects) config() *rest.Config {
	return &rest.Config{
		Host: "http://schedstep.invalid", Transport: o, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}
}

// request is a request to the API, taken apart.
type request struct {
	resource
	namespace, name, part string
}

// parse takes a path of the API apart; false when it names no resource.
func parse(path string) (request, bool) {
	p := strings.Split(strings.Trim(path, "/"), "/")
	var r request
	switch {
	case len(p) >= 3 && p[0] == "api":
		r.version, p = p[1], p[2:]
	case len(p) >= 4 && p[0] == "apis":
		r.group, r.version, p = p[1], p[2], p[3:]
	default:
		return r, false
	}
	if p[0] == "namespaces" && len(p) >= 3 && p[2] != "status" && p[2] != "finalize" {
		r.namespace, p = p[1], p[2:]
	}
	r.plural = p[0]
	if len(p) > 1 {
		r.name = p[1]
	}
	if len(p) > 2 {
		r.part = p[2]
	}
	return r, true
}

// RoundTrip answers a request. What it changes becomes acts of the plugin; the cluster has changed when an event shows
// it, but the plugin reads at once what it wrote.
func (o *objects) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	of, is := parse(r.URL.Path)
	if !is {
		return o.discover(r)
	}
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.want(of.resource)
	switch query := r.URL.Query(); {
	case r.Method == http.MethodGet && of.name == "" && (query.Get("watch") == "true" || query.Get("watch") == "1"):
		return o.watch(r, of)
	case r.Method == http.MethodGet && of.name == "":
		return reply(r, http.StatusOK, o.list(r, of))
	case r.Method == http.MethodGet:
		object, there := o.get(of)
		if !there {
			return refuse(r, apierrors.NewNotFound(of.groupResource(), of.name))
		}
		return reply(r, http.StatusOK, object)
	case r.Method == http.MethodPost && of.part == "binding":
		return o.bind(r, of, body)
	case r.Method == http.MethodPost:
		return o.create(r, of, body)
	case r.Method == http.MethodDelete:
		return o.delete(r, of)
	case r.Method == http.MethodPut:
		return o.change(r, of, func(map[string]any, cluster.Object) ([]byte, error) { return body, nil })
	case r.Method == http.MethodPatch:
		return o.patch(r, of, body)
	}
	return refuse(r, apierrors.NewMethodNotSupported(of.groupResource(), r.Method))
}

func (r request) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.group, Resource: r.plural}
}

// get is one object, as plugins wrote it if they did.
func (o *objects) get(r request) (cluster.Object, bool) {
	if written, has := o.written[r.path(r.namespace, r.name, r.namespace != "")]; has {
		return written, written != nil
	}
	i := o.ofResource(r.resource)
	if i == nil {
		return nil, false
	}
	key := r.name
	if r.namespace != "" {
		key = r.namespace + "/" + r.name
	}
	object, there, _ := i.indexer.GetByKey(key)
	if !there {
		return nil, false
	}
	return object.(cluster.Object), true
}

// list is the objects of a request, with those that plugins wrote.
func (o *objects) list(r *http.Request, of request) any {
	var items []any
	for _, object := range o.all(of) {
		if selects(r, object) {
			items = append(items, typed(object))
		}
	}
	if items == nil {
		items = []any{}
	}
	version := schema.GroupVersion{Group: of.group, Version: of.version}
	return map[string]any{
		"kind": o.kindOf(of.resource) + "List", "apiVersion": version.String(),
		"metadata": map[string]any{"resourceVersion": o.now()}, "items": items,
	}
}

func (o *objects) now() string { return strconv.FormatUint(o.version+1, 10) }

// all is the objects of a resource in a namespace, or in all.
func (o *objects) all(of request) []cluster.Object {
	i := o.ofResource(of.resource)
	if i == nil {
		return nil
	}
	var list []cluster.Object
	for _, object := range i.indexer.List() {
		object := object.(cluster.Object)
		if written, has := o.written[o.pathOf(object)]; has {
			object = written
		}
		if object != nil && (of.namespace == "" || object.GetNamespace() == of.namespace) {
			list = append(list, object)
		}
	}
	return list
}

// selects reports whether the selectors of a request have an object.
func selects(r *http.Request, object cluster.Object) bool {
	query := r.URL.Query()
	if text := query.Get("labelSelector"); text != "" {
		selector, err := labels.Parse(text)
		if err != nil || !selector.Matches(labels.Set(object.GetLabels())) {
			return false
		}
	}
	if text := query.Get("fieldSelector"); text != "" {
		selector, err := fields.ParseSelector(text)
		set := fields.Set{"metadata.name": object.GetName(), "metadata.namespace": object.GetNamespace()}
		if pod, is := object.(*corev1.Pod); is {
			set["spec.nodeName"], set["status.phase"] = pod.Spec.NodeName, string(pod.Status.Phase)
			set["spec.schedulerName"] = pod.Spec.SchedulerName
		}
		if err != nil || !selector.Matches(set) {
			return false
		}
	}
	return true
}

// bind notes the node of a Binding.
func (o *objects) bind(r *http.Request, of request, body []byte) (*http.Response, error) {
	var binding corev1.Binding
	if err := json.Unmarshal(body, &binding); err != nil {
		return refuse(r, apierrors.NewBadRequest(err.Error()))
	}
	if _, there := o.get(of); !there {
		return refuse(r, apierrors.NewNotFound(of.groupResource(), of.name))
	}
	o.of.binds[of.namespace+"/"+of.name] = binding.Target.Name
	return reply(r, http.StatusCreated, metav1.Status{Status: metav1.StatusSuccess})
}

// create is a new object.
func (o *objects) create(r *http.Request, of request, body []byte) (*http.Response, error) {
	object := blank(of.resource)
	if err := decode(body, object); err != nil {
		return refuse(r, apierrors.NewBadRequest(err.Error()))
	}
	if of.namespace != "" {
		object.SetNamespace(of.namespace)
	}
	if of.plural == "events" || of.part != "" { // events are seen by their recorder; reviews are answered with yes
		return reply(r, http.StatusCreated, typed(object))
	}
	of.name = object.GetName()
	if of.name == "" && object.GetGenerateName() != "" {
		of.name = object.GetGenerateName() + o.next()
		object.SetName(of.name)
	}
	if _, there := o.get(of); there {
		return refuse(r, apierrors.NewAlreadyExists(of.groupResource(), of.name))
	}
	object.SetUID(types.UID(o.pathOf(object)))
	object.SetResourceVersion(o.next())
	o.write(of, cluster.Add, object)
	return reply(r, http.StatusCreated, typed(object))
}

// delete is an object that goes.
func (o *objects) delete(r *http.Request, of request) (*http.Response, error) {
	object, there := o.get(of)
	if !there {
		return refuse(r, apierrors.NewNotFound(of.groupResource(), of.name))
	}
	pod, is := object.(*corev1.Pod)
	if !is {
		o.of.acts = append(o.of.acts, o.act(cluster.Delete, object))
		o.written[o.pathOf(object)] = nil
		return reply(r, http.StatusOK, metav1.Status{Status: metav1.StatusSuccess})
	}
	if pod.DeletionTimestamp == nil {
		o.of.delete(cluster.Key(pod))
		o.written[o.pathOf(object)] = nil
		if pod.Spec.NodeName != "" { // its kubelet stops it first; until then it is there, and may be deleted again
			going, now := pod.DeepCopy(), metav1.Now()
			going.DeletionTimestamp = &now
			o.written[o.pathOf(object)] = going
		}
	}
	return reply(r, http.StatusOK, metav1.Status{Status: metav1.StatusSuccess})
}

// patch changes an object by a patch of one of the three forms.
func (o *objects) patch(r *http.Request, of request, body []byte) (*http.Response, error) {
	return o.change(r, of, func(now map[string]any, as cluster.Object) ([]byte, error) {
		before, err := json.Marshal(now)
		if err != nil {
			return nil, err
		}
		switch types.PatchType(r.Header.Get("Content-Type")) {
		case types.JSONPatchType:
			patch, err := jsonpatch.DecodePatch(body)
			if err != nil {
				return nil, err
			}
			return patch.Apply(before)
		case types.StrategicMergePatchType:
			return strategicpatch.StrategicMergePatch(before, body, as)
		case types.MergePatchType:
			return jsonpatch.MergePatch(before, body)
		}
		return nil, fmt.Errorf("patches of type %s are not answered here", r.Header.Get("Content-Type"))
	})
}

// change replaces an object by what with makes of it.
func (o *objects) change(
	r *http.Request, of request, with func(now map[string]any, as cluster.Object) ([]byte, error),
) (*http.Response, error) {
	before, there := o.get(of)
	if !there {
		return refuse(r, apierrors.NewNotFound(of.groupResource(), of.name))
	}
	text, err := with(typed(before), blank(of.resource))
	if err != nil {
		return refuse(r, apierrors.NewBadRequest(err.Error()))
	}
	after := blank(of.resource)
	if err := decode(text, after); err != nil {
		return refuse(r, apierrors.NewBadRequest(err.Error()))
	}
	if v := after.GetResourceVersion(); r.Method == http.MethodPut && v != "" && v != before.GetResourceVersion() {
		return refuse(r, apierrors.NewConflict(of.groupResource(), of.name,
			fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again")))
	}
	after.SetResourceVersion(before.GetResourceVersion())
	if sameObject(before, after) { // as an API server has it: nothing is written, and the version stays
		return reply(r, http.StatusOK, typed(before))
	}
	after.SetResourceVersion(o.next())
	o.write(of, cluster.Update, after)
	return reply(r, http.StatusOK, typed(after))
}

// sameObject reports whether two objects of one kind are the same, except for the kind being noted in one of them.
func sameObject(a, b cluster.Object) bool {
	b = b.DeepCopyObject().(cluster.Object)
	b.GetObjectKind().SetGroupVersionKind(a.GetObjectKind().GroupVersionKind())
	return equality.Semantic.DeepEqual(a, b)
}

// write shows an object to the plugin as written, and makes an act of it.
func (o *objects) write(_ request, action cluster.Action, object cluster.Object) {
	if pod, is := object.(*corev1.Pod); is {
		o.writePod(action, pod)
	} else {
		o.of.acts = append(o.of.acts, o.act(action, object))
	}
	o.written[o.pathOf(object)] = object
}

// writePod is a write to a pod. kube-scheduler owns its status of scheduling and its nomination here too: what a plugin
// writes of them is seen by the plugin alone.
func (o *objects) writePod(action cluster.Action, pod *corev1.Pod) {
	if action != cluster.Update {
		o.of.notes.add(o.of.guestName(), "", "it created a pod; schedstep does not carry that out")
		return
	}
	before, there := o.get(request{
		resource: resource{"", "v1", "pods"}, namespace: pod.Namespace, name: pod.Name,
	})
	if was, is := before.(*corev1.Pod); there && is && sameButStatus(was, pod) &&
		was.Status.ExtendedResourceClaimStatus == pod.Status.ExtendedResourceClaimStatus {
		return
	}
	o.of.acts = append(o.of.acts, o.act(action, pod))
}

// act is a write of the plugin that is called.
func (o *objects) act(action cluster.Action, object cluster.Object) framework.Act {
	gvk := typeOf(object)
	object = object.DeepCopyObject().(cluster.Object)
	object.SetResourceVersion(o.known[o.pathOf(object)])
	if action == cluster.Add {
		object.SetUID("")
	}
	if _, custom := object.(*unstructured.Unstructured); !custom {
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return framework.WriteObject{Plugin: cmp.Or(o.of.guestName(), AnyGuest), Pod: o.of.pod, Write: framework.Write{
		Action: action, Object: object, Note: trace.Wordingf("the plugin wrote a %s", gvk.Kind),
	}}
}

// sameButStatus reports whether two versions of a pod differ in their status alone.
func sameButStatus(a, b *corev1.Pod) bool {
	x, y := *a, *b
	x.Status, y.Status = corev1.PodStatus{}, corev1.PodStatus{}
	x.TypeMeta, y.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
	left, _ := json.Marshal(x)
	right, _ := json.Marshal(y)
	return bytes.Equal(left, right)
}

// decode reads JSON into an object.
func decode(text []byte, into cluster.Object) error {
	if u, is := into.(*unstructured.Unstructured); is {
		return u.UnmarshalJSON(text)
	}
	return json.Unmarshal(text, into)
}

// typed is an object as JSON has it, with its kind.
func typed(object cluster.Object) map[string]any {
	if u, is := object.(*unstructured.Unstructured); is {
		return u.DeepCopy().Object
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil
	}
	decoded := map[string]any{}
	if json.Unmarshal(text, &decoded) != nil {
		return nil
	}
	gvk := typeOf(object)
	decoded["kind"], decoded["apiVersion"] = gvk.Kind, gvk.GroupVersion().String()
	return decoded
}

// reply is an answer in JSON.
func reply(r *http.Request, code int, value any) (*http.Response, error) {
	if object, is := value.(cluster.Object); is {
		value = typed(object)
	}
	if status, is := value.(metav1.Status); is {
		status.Kind, status.APIVersion = "Status", "v1"
		value = status
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)),
		ContentLength: int64(len(text)), Request: r,
	}, nil
}

func refuse(r *http.Request, why *apierrors.StatusError) (*http.Response, error) {
	return reply(r, int(why.ErrStatus.Code), why.ErrStatus)
}
