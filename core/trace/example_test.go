package trace_test

import (
	"fmt"

	"github.com/schedstep/schedstep/core/trace"
)

// Fold makes a cycle of the facts that a scheduler put out, in their order, also when they stop in the middle.
func ExampleFold() {
	web := trace.Entity{Type: "pod", Namespace: "default", Name: "web"}
	matrix := &trace.Matrix{
		Nodes: []string{"n1", "n2"}, Plugins: []string{"NodeResourcesFit"}, Skipped: []bool{false},
		Visited: []int32{0, 1}, First: []int16{0, trace.FirstNone}, Complete: true,
		Failures: []trace.Failure{{
			Node: 0, Plugin: 0,
			Verdict: trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"Insufficient cpu"}},
		}},
	}
	facts := []trace.Fact{
		trace.Popped{Cycle: 1, Entity: web, From: "activeQ", Attempt: 1, Nodes: 2},
		trace.Filtered{Matrix: matrix},
		trace.Ended{Outcome: trace.Scheduled, Node: "n2", Message: "Successfully assigned default/web to n2"},
	}
	cycle, ok := trace.Fold(facts)
	if !ok {
		return
	}
	try := cycle.Latest()
	for node, name := range try.Matrix.Nodes {
		fmt.Println(name, "feasible:", try.Matrix.Feasible(node))
	}
	fmt.Println(cycle.Ended.Message)
	// Output:
	// n1 feasible: false
	// n2 feasible: true
	// Successfully assigned default/web to n2
}

// FitMessage is the text of a FailedScheduling event.
func ExampleFitMessage() {
	message := trace.FitMessage{Nodes: 5}
	message.Count(trace.Verdict{Code: trace.Unschedulable, Reasons: []string{"Insufficient cpu"}}, 3)
	message.Count(trace.Verdict{
		Code: trace.UnschedulableAndUnresolvable, Reasons: []string{"node(s) had untolerated taint(s)"},
	}, 2)
	fmt.Println(message.String())
	// Output:
	// 0/5 nodes are available: 2 node(s) had untolerated taint(s), 3 Insufficient cpu.
}
