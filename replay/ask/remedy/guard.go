package remedy

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/session"
)

// Guard is something that a person or a controller set up so that a pod does not go to a node, and that a change goes
// around.
type Guard uint8

// The guards.
const (
	Unguarded         Guard = iota
	GuardCordon             // a node takes no new pods: it is drained or looked after
	GuardControlPlane       // a node is there for the control plane
	GuardGate               // a controller removes a scheduling gate when the pod may start
	GuardBudget             // a disruption budget lets no pod go
)

// String is the name of the guard in data; "" for none.
func (g Guard) String() string {
	return [...]string{"", "cordon", "control-plane", "gate", "disruption-budget"}[g]
}

// guardCost is what a change costs besides when it goes around a guard: more than one more node.
const guardCost = 400

// around marks a change that goes around a guard, and makes it cost more than others.
func (c Change) around(g Guard) Change {
	if g != Unguarded {
		c.Guard = g
		c.Cost += guardCost
	}
	return c
}

// guardOfTaint is the guard that a taint is.
func guardOfTaint(taint string) Guard {
	switch taintOf(taint).Key {
	case corev1.TaintNodeUnschedulable:
		return GuardCordon
	case "node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master":
		return GuardControlPlane
	}
	return Unguarded
}

// isOfController reports whether a controller puts a taint on a node and takes it off again.
func isOfController(taint string) bool { return owner.OfTaint(taintOf(taint).Key) != owner.User }

// onlyAround reports whether every change goes around a guard. What the next plugin rejects is looked at then: it may
// be cheaper to change that, and to add a node that has no such guard.
func onlyAround(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return c.Guard == Unguarded })
}

// Held is a node with a taint that a controller put there, so that no change was tried with it.
type Held struct {
	Node, Taint string
	// Condition is the node's condition behind the taint, as its type, status, reason and message, such as "Ready=False:
	// KubeletNotReady: cni plugin not initialized"; "" where the node has none for it.
	Condition string
}

// heldBy is a node that a taint of a controller holds.
func heldBy(node *cluster.Node, taint string) Held {
	h := Held{Node: node.API.Name, Taint: taint}
	for _, c := range node.API.Status.Conditions {
		if kind, known := owner.ConditionOf(taintOf(taint).Key); known && c.Type == kind {
			parts := []string{string(c.Type) + "=" + string(c.Status), c.Reason, c.Message}
			h.Condition = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
		}
	}
	return h
}

// note keeps the taints of controllers on a node, once each.
func (a *Answer) note(node *cluster.Node) {
	if session.IsAdded(node) {
		return
	}
	for i := range node.Taints {
		taint := cluster.TaintText(&node.Taints[i])
		if node.Taints[i].Effect == corev1.TaintEffectPreferNoSchedule || !isOfController(taint) {
			continue
		}
		if h := heldBy(node, taint); !slices.Contains(a.Held, h) {
			a.Held = append(a.Held, h)
		}
	}
}
