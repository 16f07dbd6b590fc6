package host

import (
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/release"
)

// discover answers what the API serves.
func (o *objects) discover(r *http.Request) (*http.Response, error) {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	served := o.served()
	switch p := strings.Split(strings.Trim(r.URL.Path, "/"), "/"); {
	case r.URL.Path == "/version":
		linked := release.Newest()
		major, minor, _ := strings.Cut(linked.Version, ".")
		return reply(r, http.StatusOK, version.Info{Major: major, Minor: minor, GitVersion: "v" + linked.Patch})
	case len(p) == 1 && p[0] == "api":
		core := metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
		return reply(r, http.StatusOK, core)
	case len(p) == 1 && p[0] == "apis":
		return reply(r, http.StatusOK, groupsOf(served))
	case len(p) == 2 && p[0] == "api":
		return reply(r, http.StatusOK, resourcesOf(served, "", p[1]))
	case len(p) == 3 && p[0] == "apis":
		return reply(r, http.StatusOK, resourcesOf(served, p[1], p[2]))
	}
	return refuse(r, apierrors.NewNotFound(schema.GroupResource{}, r.URL.Path))
}

type servedKind struct {
	resource
	kind       string
	namespaced bool
}

// served is all resources: those of the table, then those of CustomResourceDefinitions, by name. One without objects is
// said to have namespaces: clients then read objects with a namespace from it, and objects without.
func (o *objects) served() []servedKind {
	var all []servedKind
	for _, row := range cluster.KindRows() {
		r := row.GroupVersionResource()
		all = append(all, servedKind{resource{r.Group, r.Version, r.Resource}, string(row.Kind), row.Namespaced})
	}
	known := len(all)
	for gvk, i := range o.custom {
		r, namespaced := customResource(gvk), true
		if list := i.indexer.List(); len(list) > 0 {
			namespaced = list[0].(cluster.Object).GetNamespace() != ""
		}
		all = append(all, servedKind{r, gvk.Kind, namespaced})
	}
	slices.SortFunc(all[known:], func(a, b servedKind) int {
		return strings.Compare(a.root()+"/"+a.plural, b.root()+"/"+b.plural)
	})
	return all
}

func groupsOf(served []servedKind) metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, s := range served {
		if s.group == "" {
			continue
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: s.group + "/" + s.version, Version: s.version}
		at := slices.IndexFunc(list.Groups, func(g metav1.APIGroup) bool { return g.Name == s.group })
		if at < 0 {
			list.Groups = append(list.Groups, metav1.APIGroup{Name: s.group, PreferredVersion: version})
			at = len(list.Groups) - 1
		}
		if !slices.Contains(list.Groups[at].Versions, version) {
			list.Groups[at].Versions = append(list.Groups[at].Versions, version)
		}
	}
	return list
}

func resourcesOf(served []servedKind, group, version string) metav1.APIResourceList {
	list := metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: schema.GroupVersion{Group: group, Version: version}.String(), APIResources: []metav1.APIResource{},
	}
	for _, s := range served {
		if s.group == group && s.version == version {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: s.plural, Kind: s.kind, Namespaced: s.namespaced, SingularName: strings.ToLower(s.kind),
				Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"},
			})
		}
	}
	return list
}
