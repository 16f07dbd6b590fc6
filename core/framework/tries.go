package framework

import (
	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Tried is the result of trying to make room for a pod on a node: which pods would have to leave, or why that would not
// help.
type Tried struct {
	Victims   []*cluster.Pod                  // none: Refusal says why
	Budgets   []*policyv1.PodDisruptionBudget // one for each victim: which protects it; nil where none does
	Reprieved []*cluster.Pod                  // pods that may stay
	Refusal   trace.Failure
}

// Tries keeps what a PostFilter plugin tried, for pods that are alike, until the node changes.
type Tries interface {
	// On drops everything that was tried with other disruption budgets. It comes before the others.
	On(budgets []*policyv1.PodDisruptionBudget)
	// Tried is the result for a node, by its index in the snapshot; nil: it was not tried, or has changed since.
	Tried(node int) *Tried
	// KeepTried keeps it. It must rest on nothing but the node with its pods, the budgets, and what pods that are alike
	// share. The result for a node with nominated pods is not kept.
	KeepTried(node int, t *Tried)
}
