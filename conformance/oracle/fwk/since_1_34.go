//go:build !before_1_34

package fwk

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kube-scheduler/framework"
)

//nolint:revive // one comment for all: what plugins are given and answer, as in kube-scheduler.
type (
	NodeInfo             = framework.NodeInfo
	PodInfo              = framework.PodInfo
	CycleState           = framework.CycleState
	Status               = framework.Status
	Code                 = framework.Code
	ClusterEvent         = framework.ClusterEvent
	EventResource        = framework.EventResource
	QueueingHintFn       = framework.QueueingHintFn
	ClusterEventWithHint = framework.ClusterEventWithHint
)

// The codes of a Status, and the answers of a hint.
const (
	Success       = framework.Success
	Unschedulable = framework.Unschedulable
	Queue         = framework.Queue
)

// What happens to what.
const (
	Add                   = framework.Add
	Delete                = framework.Delete
	Update                = framework.Update
	Pod                   = framework.Pod
	Node                  = framework.Node
	PersistentVolume      = framework.PersistentVolume
	PersistentVolumeClaim = framework.PersistentVolumeClaim
	StorageClass          = framework.StorageClass
	CSINode               = framework.CSINode
	CSIDriver             = framework.CSIDriver
	CSIStorageCapacity    = framework.CSIStorageCapacity
)

// AsStatus is kube-scheduler's.
func AsStatus(err error) *Status { return framework.AsStatus(err) }

// PodOf is the pod of an info.
func PodOf(info PodInfo) *corev1.Pod { return info.GetPod() }

// SkippedScores are the plugins that PreScore left out.
func SkippedScores(state CycleState) sets.Set[string] { return state.GetSkipScorePlugins() }
