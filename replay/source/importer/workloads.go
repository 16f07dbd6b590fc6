package importer

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// Workloads sets which Deployments, DaemonSets, Jobs and CronJobs are read. No scheduler reads them: they are for a
// caller that makes pods of their templates. The others are counted.
type Workloads uint8

// The choices.
const (
	NoWorkloads Workloads = iota
	// UnappliedWorkloads are those no API server has handed out: without uid and resourceVersion.
	UnappliedWorkloads
	AllWorkloads
)

// workloadRows are the kinds whose controllers make pods and that no scheduler reads.
var workloadRows = []*cluster.KindRow{
	{
		Kind: "Deployment", Group: "apps", Version: "v1", Older: []string{"v1beta2", "v1beta1"}, OlderGroup: "extensions",
		Namespaced: true, New: func() cluster.Object { return &appsv1.Deployment{} },
	},
	{
		Kind: "DaemonSet", Group: "apps", Version: "v1", Older: []string{"v1beta2", "v1beta1"}, OlderGroup: "extensions",
		Namespaced: true, New: func() cluster.Object { return &appsv1.DaemonSet{} },
	},
	{
		Kind: "Job", Group: "batch", Version: "v1",
		Namespaced: true, New: func() cluster.Object { return &batchv1.Job{} },
	},
	{
		Kind: "CronJob", Group: "batch", Version: "v1", Older: []string{"v1beta1", "v2alpha1"},
		Namespaced: true, New: func() cluster.Object { return &batchv1.CronJob{} },
	},
}

// quotaRows are what API servers hold the pods of controllers to.
var quotaRows = []*cluster.KindRow{{
	Kind: "ResourceQuota", Version: "v1", Namespaced: true,
	New: func() cluster.Object { return &corev1.ResourceQuota{} },
}}

// rowOf finds the row of a kind that is to be read. Quotas are for a caller that has all workloads.
func (d *decoder) rowOf(h head) (row *cluster.KindRow, version string) {
	row, version = rowOf(h.typeMeta)
	if row == nil && d.workloads == AllWorkloads {
		row, version = rowAmong(quotaRows, h.typeMeta)
	}
	if row == nil && d.workloads != NoWorkloads {
		return rowAmong(workloadRows, h.typeMeta)
	}
	return row, version
}

// isLeftAlone reports whether an object is a workload of a running cluster, whose missing pods are not to be made.
func (d *decoder) isLeftAlone(h head) bool {
	return d.workloads == UnappliedWorkloads && isWorkload(h.kind) &&
		(text.Unquote(text.Member(h.metadata, "uid")) != "" ||
			text.Unquote(text.Member(h.metadata, "resourceVersion")) != "")
}

// isWorkload reports whether a kind is one of workloadRows.
func isWorkload(kind string) bool {
	for _, row := range workloadRows {
		if string(row.Kind) == kind {
			return true
		}
	}
	return false
}
