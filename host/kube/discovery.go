package kube

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedstep/schedstep/core/cluster"
)

// served is all resources: those of the table, then those of which there are objects.
func (a *api) served() []servedKind {
	var all []servedKind
	known := map[string]bool{}
	for _, row := range cluster.KindRows() {
		s := servedKind{row.GroupVersionResource(), string(row.Kind), row.Namespaced}
		all, known[s.root()+"/"+s.resource.Resource] = append(all, s), true
	}
	for _, path := range slices.Sorted(maps.Keys(a.objects)) {
		of, _ := parse(path)
		object := a.objects[path].seen()
		if object == nil || known[of.root+"/"+of.plural] {
			continue
		}
		known[of.root+"/"+of.plural] = true
		gvk := (&unstructured.Unstructured{Object: object}).GroupVersionKind()
		all = append(all, servedKind{
			schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: of.plural},
			gvk.Kind,
			of.namespace != "",
		})
	}
	return all
}

// discover answers what is served.
func (a *api) discover(r *http.Request) (*http.Response, error) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch path {
	case "/version":
		return answer(r, http.StatusOK, map[string]string{"major": "1", "minor": "37", "gitVersion": "v1.37.1"})
	case "/api":
		return answer(r, http.StatusOK, map[string]any{"kind": "APIVersions", "versions": []string{"v1"}})
	}
	groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	var resources []metav1.APIResource
	version := ""
	for _, s := range a.served() {
		of := s.resource.GroupVersion().String()
		if s.root() == path {
			version = of
			resources = append(resources, metav1.APIResource{
				Name: s.resource.Resource, Kind: s.kind, Namespaced: s.namespaced, SingularName: strings.ToLower(s.kind),
				Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"},
			})
		}
		if s.resource.Group != "" {
			groups.Groups = inGroup(groups.Groups, s.resource.Group, metav1.GroupVersionForDiscovery{
				GroupVersion: of, Version: s.resource.Version,
			})
		}
	}
	switch {
	case path == "/apis":
		return answer(r, http.StatusOK, groups)
	case version != "":
		return answer(r, http.StatusOK, metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: version, APIResources: resources,
		})
	}
	return refuse(r, http.StatusNotFound, metav1.StatusReasonNotFound)
}

func inGroup(groups []metav1.APIGroup, name string, v metav1.GroupVersionForDiscovery) []metav1.APIGroup {
	at := slices.IndexFunc(groups, func(g metav1.APIGroup) bool { return g.Name == name })
	if at < 0 {
		groups = append(groups, metav1.APIGroup{Name: name, PreferredVersion: v})
		at = len(groups) - 1
	}
	if !slices.Contains(groups[at].Versions, v) {
		groups[at].Versions = append(groups[at].Versions, v)
	}
	return groups
}

// watch is the body of a response that goes on.
type watch struct {
	of     request
	query  url.Values
	lines  chan []byte
	unread []byte
	done   <-chan struct{}
}

func (w *watch) send(what string, object any) {
	text, err := json.Marshal(map[string]any{"type": what, "object": object})
	if err != nil {
		return
	}
	select {
	case w.lines <- append(text, '\n'):
	default: // a client that reads nothing
	}
}

// Read waits for the next event.
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

// Close is called by clients that are done.
func (w *watch) Close() error { return nil }
