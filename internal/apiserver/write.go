package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/schedstep/schedstep/core/cluster"
)

// isText reports whether what is at a path is kept as it was sent: leases and events.
func (s *Server) isText(path string) bool {
	return strings.HasPrefix(path, "/apis/coordination.k8s.io/") || strings.HasPrefix(path, "/apis/events.k8s.io/")
}

// write answers a request that changes something, or that reads a lease.
func (s *Server) write(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && bytes.HasPrefix(body, []byte("k8s\x00")) {
		body, err = leaseOf(body)
	}
	if err != nil {
		s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		return
	}
	if s.isText(r.URL.Path) {
		s.text(w, r, body)
		return
	}
	before, name, part := s.objectAt(r.URL.Path)
	switch {
	case before == nil && r.Method == http.MethodPost && part == "":
		s.create(w, name, body)
	case before == nil:
		status(w, http.StatusNotFound)
	case r.URL.Query().Get("dryRun") != "":
		answer(w, before)
	case part == "binding":
		s.bind(w, before.(*corev1.Pod), body)
	case r.Method == http.MethodDelete:
		s.Remove(before)
		answer(w, before)
	default:
		s.patch(w, before, body)
	}
}

// leaseOf is a lease as JSON: the only thing that clients write as protobuf.
func leaseOf(body []byte) ([]byte, error) {
	var envelope runtime.Unknown
	var lease coordinationv1.Lease
	if err := envelope.Unmarshal(body[4:]); err != nil {
		return nil, err
	}
	if err := lease.Unmarshal(envelope.Raw); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": lease.ObjectMeta, "spec": lease.Spec,
	})
}

// objectAt finds the object of a path such as /api/v1/namespaces/shop/pods/web/status; nil when it is not there, and
// then the path of the list.
func (s *Server) objectAt(path string) (o cluster.Object, list, part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	head, rest, namespaced := strings.Cut(path, "/namespaces/")
	words := strings.Split(rest, "/")
	namespace := ""
	if namespaced {
		namespace, words = words[0], words[1:]
	} else {
		at := strings.LastIndex(strings.TrimSuffix(path, "/status"), "/")
		at = strings.LastIndex(path[:at], "/")
		head, words = path[:at], strings.Split(path[at+1:], "/")
	}
	list = head + "/" + words[0]
	if len(words) < 2 {
		return nil, list, ""
	}
	if len(words) > 2 {
		part = words[2]
	}
	for _, o := range s.objects[list] {
		if o.GetNamespace() == namespace && o.GetName() == words[1] {
			return o, list, part
		}
	}
	return nil, list, part
}

func (s *Server) create(w http.ResponseWriter, list string, body []byte) {
	s.mu.Lock()
	object := s.rowAt(list).New()
	s.mu.Unlock()
	if err := json.Unmarshal(body, object); err != nil {
		s.t.Errorf("POST %s: %v in %s", list, err, body)
		return
	}
	object.SetUID("made-" + object.GetUID())
	s.Put(object)
	answer(w, object)
}

// bind is what the API server does with a Binding: a pod that is on a node stays there.
func (s *Server) bind(w http.ResponseWriter, p *corev1.Pod, body []byte) {
	var b corev1.Binding
	if err := json.Unmarshal(body, &b); err != nil || b.UID != p.UID {
		s.t.Errorf("a binding of %s that cannot be: %v in %s", p.Name, err, body)
	}
	if p.Spec.NodeName != "" {
		status(w, http.StatusConflict)
		return
	}
	bound := p.DeepCopy()
	bound.Spec.NodeName = b.Target.Name
	s.Put(bound)
	answer(w, metav1.Status{Status: metav1.StatusSuccess, TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}})
}

// patch makes a strategic merge. If the patch names a resource version, the object must still have that version.
func (s *Server) patch(w http.ResponseWriter, before cluster.Object, body []byte) {
	text, err := json.Marshal(before)
	if err != nil {
		s.t.Error(err)
	}
	var wanted struct {
		Metadata struct{ UID, ResourceVersion string }
	}
	if err := json.Unmarshal(body, &wanted); err != nil {
		s.t.Errorf("a patch that cannot be read: %s", body)
	}
	if m := wanted.Metadata; m.ResourceVersion != "" && m.ResourceVersion != before.GetResourceVersion() ||
		m.UID != "" && m.UID != string(before.GetUID()) {
		status(w, http.StatusConflict)
		return
	}
	kind, _ := cluster.KindOf(before)
	after := cluster.RowOf(kind).New()
	merge := func(text, body []byte) ([]byte, error) { return strategicpatch.StrategicMergePatch(text, body, after) }
	if kind.IsCustom() {
		merge = mergePatch
	}
	merged, err := merge(text, body)
	if err == nil {
		err = json.Unmarshal(merged, after)
	}
	if err != nil {
		s.t.Errorf("patch of %s: %v", cluster.Key(before), err)
		return
	}
	s.Put(after)
	answer(w, after)
}

// text keeps what is sent, whatever it is, and gives it a version. It refuses to replace any version but the last.
func (s *Server) text(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content := map[string]any{}
	if len(body) > 0 && json.Unmarshal(body, &content) != nil {
		s.t.Errorf("%s %s: %s", r.Method, r.URL.Path, body)
	}
	metadata, _ := content["metadata"].(map[string]any)
	path := r.URL.Path
	if r.Method == http.MethodPost {
		path += "/" + fmt.Sprint(metadata["name"])
	}
	kept, there := s.texts[path]
	switch {
	case r.Method == http.MethodGet && there:
		answer(w, kept)
		return
	case r.Method != http.MethodPost && !there:
		status(w, http.StatusNotFound)
		return
	case r.Method == http.MethodPut && fmt.Sprint(metadata["resourceVersion"]) != versionOf(kept):
		status(w, http.StatusConflict)
		return
	case r.Method == http.MethodPatch:
		for key, value := range content {
			kept[key] = value
		}
		content, metadata = kept, kept["metadata"].(map[string]any)
	}
	s.version++
	metadata["resourceVersion"] = fmt.Sprint(s.version)
	s.texts[path] = content
	answer(w, content)
}

func versionOf(content map[string]any) string {
	metadata, _ := content["metadata"].(map[string]any)
	return fmt.Sprint(metadata["resourceVersion"])
}

// Texts are what is kept of what was sent to paths that contain a word, by path: leases or events.
func (s *Server) Texts(word string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for path, content := range s.texts {
		if text, err := json.Marshal(content); err == nil && strings.Contains(path, word) {
			all = append(all, string(text))
		}
	}
	slices.Sort(all)
	return all
}

// Get is an object as it is now; nil when there is none.
func (s *Server) Get(kind cluster.Kind, key string) cluster.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects[pathOf(s.rowOf(kind))] {
		if cluster.Key(o) == key {
			return o
		}
	}
	return nil
}

func answer(w http.ResponseWriter, content any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(content)
}

// mergePatch is JSON with a merge patch (RFC 7386) applied to it.
func mergePatch(text, patch []byte) ([]byte, error) {
	var object, changes map[string]any
	if err := errors.Join(json.Unmarshal(text, &object), json.Unmarshal(patch, &changes)); err != nil {
		return nil, err
	}
	merge(object, changes)
	return json.Marshal(object)
}

func merge(object, changes map[string]any) {
	for name, value := range changes {
		inner, is := value.(map[string]any)
		before, was := object[name].(map[string]any)
		switch {
		case value == nil:
			delete(object, name)
		case is && was:
			merge(before, inner)
		default:
			object[name] = value
		}
	}
}
