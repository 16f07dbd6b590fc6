//go:build before_1_34

package fwk

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// What plugins are given and answer, as in kube-scheduler.
type (
	NodeInfo             = *framework.NodeInfo
	PodInfo              = *framework.PodInfo
	CycleState           = *framework.CycleState
	Status               = framework.Status
	ClusterEvent         = framework.ClusterEvent
	ClusterEventWithHint = framework.ClusterEventWithHint
)

// The code of a Status, the answer of a hint, and what happens to something.
const (
	Unschedulable = framework.Unschedulable
	Queue         = framework.Queue
	Add           = framework.Add
	Delete        = framework.Delete
	Update        = framework.Update
)

// PodOf is the pod of an info.
func PodOf(info PodInfo) *corev1.Pod { return info.Pod }

// SkippedScores are the plugins that PreScore left out.
func SkippedScores(state CycleState) sets.Set[string] { return state.SkipScorePlugins }
