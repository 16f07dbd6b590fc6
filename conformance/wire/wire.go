// Package wire speaks with the oracle of another release of kube-scheduler, which cannot be linked with this one: a
// program of its own that answers on lines of JSON. It knows how to carry questions and answers, and not what they
// mean.
package wire

import (
	"encoding/json"
	"time"

	"github.com/schedstep/schedstep/conformance/answer"
)

// question is a line to the oracle. One field is set, and those that belong to it.
type question struct {
	Begin    *begin   `json:"begin,omitempty"`    // a cluster with nothing in it; answered by Kinds, Version and Hinting
	Known    object   `json:"known,omitempty"`    // an object; answered by Object
	Put      object   `json:"put,omitempty"`      // an object
	Remove   object   `json:"remove,omitempty"`   // an object
	At       *at      `json:"at,omitempty"`       // which cycle comes next
	Schedule string   `json:"schedule,omitempty"` // a pod that was put; answered by Answer
	Assume   string   `json:"assume,omitempty"`   // the pod scheduled last, on Node
	Node     string   `json:"node,omitempty"`
	Bind     string   `json:"bind,omitempty"`   // a pod that was assumed
	Forget   string   `json:"forget,omitempty"` // a pod that was assumed
	Placed   bool     `json:"placed,omitempty"` // answered by Names
	Gates    string   `json:"gates,omitempty"`  // a pod that was put; answered by Verdicts
	Change   *change  `json:"change,omitempty"` // the change for which Events is answered from now on
	Events   object   `json:"events,omitempty"` // a pod; answered by Events
	Plugins  *plugins `json:"plugins,omitempty"`
	Features bool     `json:"features,omitempty"` // answered by Features
	Points   string   `json:"points,omitempty"`   // a profile; answered by Points
}

// object is a Kubernetes object as JSON, with its apiVersion and kind.
type object = json.RawMessage

type begin struct {
	Configuration []byte `json:"configuration,omitempty"` // none: the release's default
	Gates         string `json:"gates,omitempty"`         // NAME=true,...
}

type at struct {
	Cycle int64     `json:"cycle"`
	Now   time.Time `json:"now"`
}

type change struct {
	Before object `json:"before,omitempty"`
	After  object `json:"after,omitempty"`
}

type plugins struct {
	Profile string `json:"profile"`
	Point   string `json:"point"`
}

// reply is a line from the oracle, one for each question.
type reply struct {
	Error    string                      `json:"error,omitempty"`
	Kinds    []string                    `json:"kinds,omitempty"`
	Version  string                      `json:"version,omitempty"`
	Hinting  bool                        `json:"hinting,omitempty"`
	Object   object                      `json:"object,omitempty"`
	Answer   *answer.Answer              `json:"answer,omitempty"`
	Names    []string                    `json:"names,omitempty"`
	Verdicts []answer.Verdict            `json:"verdicts,omitempty"`
	Events   []answer.Event              `json:"events,omitempty"`
	Features []answer.Gate               `json:"features,omitempty"`
	Points   map[string][]answer.Enabled `json:"points,omitempty"`
}
