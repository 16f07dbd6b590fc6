package cmd

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/internal/words"
)

// runTotal is the summary of a run, as the JSON of the contract.
type runTotal struct {
	Cycles int64 `json:"cycles"`
	Nodes  int   `json:"nodes"`
	Pods   int   `json:"pods"`
	// Unplaced are the pods without a node that decide the exit code; Waiting those of them that schedstep places, by
	// queue.
	Unplaced int         `json:"unplaced"`
	Waiting  waitingPods `json:"waiting"`
	Foreign  int         `json:"otherSchedulers"` // pods without a node that other schedulers are to place
	Says     string      `json:"says"`            // the same in a sentence
	// Replicas are the workloads of which pods were made.
	Replicas []replicasTotal `json:"replicas,omitempty"`
}

// waitingPods counts pods by the queue they wait in.
type waitingPods struct {
	Active        int `json:"active"`
	Backoff       int `json:"backoff"`
	Unschedulable int `json:"unschedulable"`
	Gated         int `json:"gated"`
	Incomplete    int `json:"withoutGroup"`
}

// total is the summary of a run with this end.
func (e end) total(s *core.Scheduler, replicas []fitting) *runTotal {
	t := &runTotal{
		Cycles: s.Cycles(), Nodes: len(s.State().Snapshot().Nodes), Pods: s.State().PodCount(), Unplaced: e.unplaced(),
		Waiting: waitingPods{
			Active: e.waiting[queue.ActiveQ], Backoff: e.waiting[queue.BackoffQ],
			Unschedulable: e.waiting[queue.Unschedulable], Gated: e.waiting[queue.Gated],
			Incomplete: e.waiting[queue.Incomplete],
		},
		Foreign: e.foreign, Says: e.summary(s, words.English),
	}
	for _, r := range replicas {
		t.Replicas = append(t.Replicas, r.total())
	}
	return t
}

// isList reports whether the cycles are the items of one JSON document.
func (d *documents) isList() bool { return d.format == "json" && !d.alone }

const (
	listHead = "{\n  \"apiVersion\": \"schedstep.dev/v1\",\n  \"kind\": \"CycleList\",\n  \"items\": ["
	inItems  = "\n    "
)

// list prints one more item. It may indent every line of the item, because in JSON no string contains a line break.
func (d *documents) list(item []byte) error {
	before := ","
	if !d.begun {
		before, d.begun = listHead, true
	}
	item = bytes.ReplaceAll(bytes.TrimRight(item, "\n"), []byte("\n"), []byte(inItems))
	_, err := io.WriteString(d.out, before+inItems+string(item))
	return err
}

func (d *documents) conclude([]string) (bool, error) { return false, nil }

func (d *documents) close(total *runTotal) error {
	if !d.isList() {
		return nil
	}
	before := ""
	if !d.begun {
		before = listHead
	}
	line, err := json.Marshal(total)
	if err == nil {
		line, err = asData(line, d.format)
	}
	if err != nil {
		return err
	}
	line = bytes.ReplaceAll(bytes.TrimRight(line, "\n"), []byte("\n"), []byte("\n  "))
	_, err = io.WriteString(d.out, before+"\n  ],\n  \"summary\": "+string(line)+"\n}\n")
	return err
}
