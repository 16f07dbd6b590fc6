package cmd

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// auditPolicy is the smallest audit policy from whose log everything that a scheduler reads can be rebuilt: writes of
// the kinds that it reads, with bodies, and nothing else.
func auditPolicy() string {
	var groups []string
	resources := map[string][]string{}
	for _, row := range cluster.KindRows() {
		if row.Reader == cluster.ReadByNobody {
			continue
		}
		if resources[row.Group] == nil {
			groups = append(groups, row.Group)
		}
		name := row.GroupVersionResource().Resource
		resources[row.Group] = append(resources[row.Group], name)
		for _, sub := range subresourcesOf(row.Kind) {
			resources[row.Group] = append(resources[row.Group], name+"/"+sub)
		}
	}
	var b strings.Builder
	b.WriteString(`# What schedstep replay needs of an audit log. Give it to kube-apiserver with
# --audit-policy-file and --audit-log-path. Secrets, ConfigMaps and reads are not logged.
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
omitManagedFields: true
rules:
- level: RequestResponse
  verbs: [create, update, patch, delete, deletecollection]
  resources:
`)
	for _, group := range groups {
		fmt.Fprintf(&b, "  - group: %q\n    resources: [%s]\n", group, quotedList(resources[group]))
	}
	b.WriteString(`- level: Metadata # when leases were renewed: the moments that etcd lacks
  verbs: [update]
  resources:
  - group: "coordination.k8s.io"
    resources: ["leases"]
- level: None
`)
	return b.String()
}

// subresourcesOf are the subresources whose writes change an object. A star would log requests to exec and proxy too,
// whose URLs contain commands.
func subresourcesOf(kind cluster.Kind) []string {
	switch kind {
	case cluster.KindPod:
		return []string{"status", "binding", "eviction", "resize", "ephemeralcontainers"}
	case cluster.KindReplicationController, cluster.KindReplicaSet, cluster.KindStatefulSet:
		return []string{"status", "scale"}
	default:
		return []string{"status"}
	}
}

func quotedList(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}
