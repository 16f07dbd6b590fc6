package importer

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// hint is what the name of a file suggests about the kind of objects without one.
type hint struct {
	row  *cluster.KindRow
	left string // a kind that is not read
}

// listKeys are the keys of a top-level object whose elements are API objects: those of lists, and those of the export
// of kube-scheduler-simulator, whose key is the only word on their kind.
var listKeys = map[string]string{
	"items":           "",
	"Items":           "",
	"pods":            "Pod",
	"nodes":           "Node",
	"pvs":             "PersistentVolume",
	"pvcs":            "PersistentVolumeClaim",
	"storageClasses":  "StorageClass",
	"priorityClasses": "PriorityClass",
	"namespaces":      "Namespace",
}

func isListKey(key string) bool {
	_, is := listKeys[key]
	return is
}

// leftNames are the files and folders of dumps whose objects are not read and often have no kind.
var leftNames = map[string]string{
	"apiservices":               "APIService",
	"authcanilist":              "access review",
	"clusterrolebindings":       "ClusterRoleBinding",
	"clusterroles":              "ClusterRole",
	"componentstatuses":         "ComponentStatus",
	"configmaps":                "ConfigMap",
	"controllerrevisions":       "ControllerRevision",
	"cronjobs":                  "CronJob",
	"customresourcedefinitions": "CustomResourceDefinition",
	"daemonsets":                "DaemonSet",
	"deployments":               "Deployment",
	"endpoints":                 "Endpoints",
	"endpointslices":            "EndpointSlice",
	"events":                    "Event",
	"groups":                    "API group",
	"horizontalpodautoscalers":  "HorizontalPodAutoscaler",
	"ingress":                   "Ingress",
	"ingresses":                 "Ingress",
	"jobs":                      "Job",
	"leases":                    "Lease",
	"networkpolicies":           "NetworkPolicy",
	"resourcequotas":            "ResourceQuota",
	"resources":                 "API resource list",
	"rolebindings":              "RoleBinding",
	"roles":                     "Role",
	"secrets":                   "Secret",
	"serviceaccounts":           "ServiceAccount",
	"volumeattributesclasses":   "VolumeAttributesClass",
}

// hintOf looks at a file's own name and at its folder's: nodes.json, pods/kube-system.json, core_v1_nodes.json. In a
// support bundle files are named after namespaces, so the folder goes first.
func hintOf(name string) hint {
	name = strings.ToLower(filepath.ToSlash(name))
	folder, base := path.Split(name)
	folder = strings.TrimSuffix(folder, "/")
	base, _, _ = strings.Cut(base, ".")
	own, around := wordHint(base), wordHint(path.Base(folder))
	if own == (hint{}) || around != (hint{}) && path.Base(path.Dir(folder)) == "cluster-resources" {
		return around
	}
	return own
}

// wordHint reads one word of a path. sonobuoy puts group and version before the name: core_v1_nodes.
func wordHint(word string) hint {
	if i := strings.LastIndexByte(word, '_'); i >= 0 && strings.Contains(word, "_v") {
		word = word[i+1:]
	}
	word = strings.NewReplacer("-", "", "_", "").Replace(word)
	if row := rowNamed(word); row != nil {
		return hint{row: row}
	}
	return hint{left: leftNames[word]}
}

// shapeRow guesses the kind of a bare object from fields that only one kind has.
func shapeRow(raw []byte) *cluster.KindRow {
	spec, status := text.Member(raw, "spec"), text.Member(raw, "status")
	switch {
	case hasKey(spec, "containers"):
		return cluster.RowOf("Pod")
	case hasKey(status, "allocatable") && hasKey(status, "capacity"), hasKey(status, "nodeInfo"):
		return cluster.RowOf("Node")
	case hasKey(spec, "accessModes") && hasKey(spec, "capacity"):
		return cluster.RowOf("PersistentVolume")
	case hasKey(spec, "accessModes") && hasKey(spec, "resources"):
		return cluster.RowOf("PersistentVolumeClaim")
	case hasKey(spec, "minAvailable"), hasKey(spec, "maxUnavailable"):
		return cluster.RowOf("PodDisruptionBudget")
	case hasKey(raw, "provisioner"):
		return cluster.RowOf("StorageClass")
	case hasKey(raw, "value") && (hasKey(raw, "globalDefault") || hasKey(raw, "preemptionPolicy")):
		return cluster.RowOf("PriorityClass")
	}
	return nil
}

func hasKey(raw []byte, key string) bool { return text.Member(raw, key) != nil }
