package hunt

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// History is what happens to a cluster and to its scheduler, in chapters. After each chapter the mishaps end, and once
// all is quiet the invariants are judged.
type History struct {
	Seed     uint64  `json:"seed"` // decides delays and which calls fail
	Standby  bool    `json:"standby,omitempty"`
	Chapters [][]Act `json:"chapters"`
}

// Act is one thing that happens. Exactly one of the fields after After is set.
type Act struct {
	After  time.Duration                 `json:"after"` // since the beginning of the chapter
	Node   *corev1.Node                  `json:"node,omitempty"`
	Pod    *corev1.Pod                   `json:"pod,omitempty"` // added by a user, or by a controller under its old name
	Budget *policyv1.PodDisruptionBudget `json:"budget,omitempty"`
	Edit   *Edit                         `json:"edit,omitempty"`
	Drop   string                        `json:"drop,omitempty"` // kind/name of the node, pod or budget that is deleted
	Mishap *Mishap                       `json:"mishap,omitempty"`
}

// Edit changes a pod that is there.
type Edit struct {
	Pod      string            `json:"pod"`
	Labels   map[string]string `json:"labels,omitempty"`
	Ungate   bool              `json:"ungate,omitempty"`
	Tolerate string            `json:"tolerate,omitempty"` // the key of a taint
	CPU      string            `json:"cpu,omitempty"`      // the request of its first container, resized in place
	End      bool              `json:"end,omitempty"`      // its containers have ended
}

// Mishap is what goes wrong around the scheduler.
type Mishap struct {
	What Trouble       `json:"what"`
	Kind string        `json:"kind,omitempty"` // of the objects that a watch is about
	For  time.Duration `json:"for,omitempty"`
}

// Trouble is a kind of mishap.
type Trouble string

// The mishaps.
const (
	// Late: what a watch has to say comes all at once, at the end.
	Late Trouble = "late"
	// lost: a watch is broken off and what it had to say is lost; at the end the objects are listed anew.
	lost Trouble = "lost"
	// restart: the scheduler is killed, and another begins with a list of all objects.
	restart Trouble = "restart"
	// handover: the scheduler is killed, and the one that stood by goes on.
	handover Trouble = "handover"
	// hold: pods that are being deleted stay.
	hold Trouble = "hold"
	// refuse: some calls of the scheduler fail, some are carried out and their answer is lost.
	refuse Trouble = "refuse"
	// leap: the clock of the scheduler's queue is put forward.
	leap Trouble = "leap"
)

// Document is the history as YAML, which Read reads.
func (h History) Document() (string, error) {
	data, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	data, err = yaml.JSONToYAML(data)
	return string(data), err
}

// Read reads a Document.
func Read(document []byte) (History, error) {
	var h History
	if err := yaml.UnmarshalStrict(document, &h); err != nil {
		return h, fmt.Errorf("history: %w", err)
	}
	return h, nil
}

// acts is how many there are.
func (h History) acts() int {
	n := 0
	for _, chapter := range h.Chapters {
		n += len(chapter)
	}
	return n
}

// String is the act in a line.
func (a Act) String() string {
	at := "+" + a.After.String() + " "
	switch {
	case a.Node != nil:
		return at + "node " + a.Node.Name
	case a.Pod != nil:
		return at + "pod " + a.Pod.Name
	case a.Budget != nil:
		return at + "budget " + a.Budget.Name
	case a.Edit != nil:
		data, err := json.Marshal(a.Edit)
		if err != nil {
			return at + "edit " + a.Edit.Pod
		}
		return at + "edit " + string(data)
	case a.Mishap != nil:
		return strings.TrimSpace(fmt.Sprintf("%s%s %s", at, a.Mishap.What, a.Mishap.Kind)) + " for " + a.Mishap.For.String()
	}
	return at + "delete " + a.Drop
}
