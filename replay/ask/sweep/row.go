package sweep

import (
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/report"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Status is how a run ended.
type Status string

// How runs end. The figures of a row are 0 unless the run is Done.
const (
	Done    Status = "done"
	Refused Status = "refused" // the input cannot be played under the variant
	OutTime Status = "time"    // it took longer than a run may
	OutRoom Status = "memory"  // it took more memory than a run may, alone
	Failed  Status = "failed"  // schedstep has an error
)

// Row is one run: what was played, how it ended, and its figures, under the names and with the units of expressions for
// run --expect. The members are the columns of runs.parquet and runs.csv; columns are added, and none changes its
// meaning.
type Row struct {
	Run     int64  `json:"run"     parquet:"run"`
	Input   string `json:"input"   parquet:"input,dict"`
	Seed    int64  `json:"seed"    parquet:"seed"`
	Variant int32  `json:"variant" parquet:"variant"`
	Status  Status `json:"status"  parquet:"status,dict"`
	Message string `json:"message" parquet:"message,dict"` // why the run is not done

	Pods        int64   `json:"pods"        parquet:"pods"`
	Placed      int64   `json:"placed"      parquet:"placed"`
	Unplaced    int64   `json:"unplaced"    parquet:"unplaced"`
	Nodes       int64   `json:"nodes"       parquet:"nodes"`
	Used        int64   `json:"used"        parquet:"used"` // nodes with a pod
	Empty       int64   `json:"empty"       parquet:"empty"`
	Cycles      int64   `json:"cycles"      parquet:"cycles"`
	Attempts    int64   `json:"attempts"    parquet:"attempts"`
	Preemptions int64   `json:"preemptions" parquet:"preemptions"`
	Evicted     int64   `json:"evicted"     parquet:"evicted"`
	Errors      int64   `json:"errors"      parquet:"errors"`
	Seconds     float64 `json:"seconds"     parquet:"seconds"`

	WaitingMedian  float64 `json:"waiting_median"  parquet:"waiting_median"`
	WaitingP95     float64 `json:"waiting_p95"     parquet:"waiting_p95"`
	WaitingP99     float64 `json:"waiting_p99"     parquet:"waiting_p99"`
	WaitingLongest float64 `json:"waiting_longest" parquet:"waiting_longest"`

	Cost float64 `json:"cost" parquet:"cost"` // of an hour of the nodes with a pod, by the prices of the sweep

	Compared  int64 `json:"compared"  parquet:"compared"`  // pods that have a node here and in what was recorded
	Diverged  int64 `json:"diverged"  parquet:"diverged"`  // of these, those on another one
	Otherwise int64 `json:"otherwise" parquet:"otherwise"` // pods that end otherwise than in the base

	Course string `json:"course" parquet:"course"` // a sum of all bindings and evictions, in order
}

// Resource is how a run uses one resource, at its end: a row of resources.parquet. Amounts are in the smallest unit.
type Resource struct {
	Run           int64   `json:"-"             parquet:"run"`
	Resource      string  `json:"resource"      parquet:"resource,dict"`
	Requested     int64   `json:"requested"     parquet:"requested"`
	Capacity      int64   `json:"capacity"      parquet:"capacity"`
	Packing       float64 `json:"packing"       parquet:"packing"`       // what is requested, in percent
	Spread        float64 `json:"spread"        parquet:"spread"`        // between the nodes with the most and the least
	Fragmentation float64 `json:"fragmentation" parquet:"fragmentation"` // of what is free, in percent
	Stranded      int64   `json:"stranded"      parquet:"stranded"`
}

// Pod is a pod that ends otherwise than in the base: a row of pods.parquet.
type Pod struct {
	Run  int64  `json:"-"    parquet:"run"`
	Pod  string `json:"pod"  parquet:"pod,dict"`
	What string `json:"what" parquet:"what,dict"` // as diff.What
	Base string `json:"base" parquet:"base,dict"` // its node in the base; "": none
	Node string `json:"node" parquet:"node,dict"`
}

// Result is all that is kept of a run.
type Result struct {
	Row       Row        `json:"row"`
	Resources []Resource `json:"resources,omitempty"`
	Pods      []Pod      `json:"pods,omitempty"` // in the order of their names
}

// fill takes the figures of a report.
func (r *Result) fill(from *report.Report) {
	row := &r.Row
	row.Pods, row.Placed, row.Unplaced = int64(from.Pods), int64(from.Placed), int64(len(from.Unplaced))
	row.Nodes, row.Empty = int64(from.Nodes.All), int64(from.Nodes.Empty)
	row.Used = row.Nodes - row.Empty
	row.Cycles, row.Seconds = from.Cycles, from.Seconds
	if n := len(from.Attempts); n > 0 {
		row.Attempts = int64(from.Attempts[n-1].Times)
	}
	row.Preemptions, row.Evicted = int64(from.Preemptions), int64(len(from.Evicted))
	row.Errors = int64(from.Outcomes[trace.SchedulerError])
	w := from.Waiting
	row.WaitingMedian, row.WaitingP95, row.WaitingP99, row.WaitingLongest = w.Median, w.P95, w.P99, w.Longest
	for i := range from.Resources {
		r.Resources = append(r.Resources, resourceOf(row.Run, &from.Resources[i]))
	}
}

func resourceOf(run int64, u *room.Use) Resource {
	return Resource{
		Run: run, Resource: u.Name, Requested: u.Requested, Capacity: u.Capacity, Packing: u.Packing(),
		Spread: u.Spread(), Fragmentation: u.Fragmentation, Stranded: u.Stranded,
	}
}
