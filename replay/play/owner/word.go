package owner

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
)

// words are what kubectl calls the kinds of workloads: the first is offered to shells.
var words = []struct {
	kind  cluster.Kind
	names []string
}{
	{KindDeployment, []string{"deploy", "deployment", "deployments", "deployment.apps", "deployments.apps"}},
	{cluster.KindStatefulSet, []string{"sts", "statefulset", "statefulsets", "statefulset.apps", "statefulsets.apps"}},
	{KindDaemonSet, []string{"ds", "daemonset", "daemonsets", "daemonset.apps", "daemonsets.apps"}},
	{cluster.KindReplicaSet, []string{"rs", "replicaset", "replicasets", "replicaset.apps", "replicasets.apps"}},
	{KindJob, []string{"job", "jobs", "job.batch", "jobs.batch"}},
	{KindCronJob, []string{"cronjob", "cj", "cronjobs", "cronjob.batch", "cronjobs.batch"}},
	{cluster.KindReplicationController, []string{"rc", "replicationcontroller", "replicationcontrollers"}},
}

// Words are the short words for the kinds of workloads, and the kinds.
func Words() (short []string, kinds []cluster.Kind) {
	for _, w := range words {
		short, kinds = append(short, w.names[0]), append(kinds, w.kind)
	}
	return short, kinds
}

// Word is the short word of a kind; "" for one that is no workload here, such as the Workflow of another program.
func Word(kind cluster.Kind) string {
	for _, w := range words {
		if w.kind == kind {
			return w.names[0]
		}
	}
	return ""
}

// KindOf is the kind that a word of kubectl means; false where it is no workload.
func KindOf(word string) (cluster.Kind, bool) {
	for _, w := range words {
		if slices.Contains(w.names, strings.ToLower(word)) {
			return w.kind, true
		}
	}
	return "", false
}

// Parse reads KIND/NAME, KIND/NAMESPACE/NAME or NAMESPACE/KIND/NAME; false where no part is the word of a kind.
func Parse(text string) (kind cluster.Kind, name string, is bool) {
	parts := strings.Split(text, "/")
	for i := range min(len(parts)-1, 2) {
		if kind, is := KindOf(parts[i]); is {
			return kind, strings.Join(slices.Delete(slices.Clone(parts), i, i+1), "/"), true
		}
	}
	return "", "", false
}
