package cmd_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
)

// found is a fault that the second reading of the first use found, and a command that shows that it is fixed. Files are
// in testdata.
type found struct {
	fault string
	args  string // a command; lines that are typed at its prompt follow, divided by |
	has   []string
	not   []string
}

// firstFaults are those that a command shows; what a screen shows is in faultsOfTheScreen.
var firstFaults = []found{
	{fault: "F1", args: "explain deploy/web cases/tainted-domain.yaml", has: []string{
		"For 7 of 7: leave nodes whose taints it does not tolerate", `/spec/template/spec/topologySpreadConstraints/0/nodeTaintsPolicy`,
	}},
	{fault: "F2", args: "explain deploy/web cases/tainted-domain.yaml", has: []string{
		"The smallest changes for 7 of 7; each was run over all replicas", "add 4 more nodes like kind-worker0",
	}, not: []string{"take its label"}},
	{fault: "F3", args: "explain c firstuse/outrun.txt", has: []string{
		"With this it would fit, and pods that are tried before it take the room (1 of them): evict default/old from n1.",
	}},
	{fault: "F4", args: "diff demo:releases --a kube-version=1.31 --b kube-version=1.37 --only message", has: []string{
		"5 of 6 pods end otherwise: 1 message, 4 elsewhere", "default/big  message",
	}, not: []string{"default/web1  elsewhere", "unknown"}},
	{fault: "F5", args: "explain web-4 cases/tainted-domain.yaml", has: []string{
		"1. leave nodes whose taints", "it goes around the control plane's taint",
	}, not: []string{"1. have it tolerate"}},
	{fault: "F6", args: "whatif firstuse/priority.txt --do set_priority_new_1000", has: []string{
		"default/new  -        n1", "default/old  n1       (deleted)",
	}},
	{fault: "F8", args: "run demo:pending --recorded -q", has: []string{"recorded: gpu-a"}},
	{fault: "F9", args: "explain pay firstuse/preempts.txt", has: []string{"for it had to leave n1: default/low"}},
	{fault: "F9", args: "explain pay firstuse/preempts.txt --cycle 1", has: []string{"these pods are evicted for it: default/low"}},
	{fault: "F9", args: "explain default/c firstuse/branches.txt -o json", has: []string{`"changes"`, `"kubectl"`, `"wakeUps"`}},
	{fault: "F11", args: "lint cases/tainted-domain.yaml", has: []string{"spread-trap", "which the pod does not tolerate"}},
	{fault: "F14", args: "replay firstuse/branches.txt --plain -q|goto end|add-node n2 like n1|continue|branches", has: []string{
		"Branches, each up to the time of the cursor", "3 pods have a node, 0 without",
	}},
	{fault: "F16", args: "replay firstuse/conditions.txt --plain -q|rewind|break if pod.requests.cpu > 2|continue", has: []string{
		"pod default/large",
	}},
	{
		fault: "F16", args: `replay firstuse/conditions.txt --plain -q|rewind|break if pod.labels.app == "db"` + "|continue",
		has: []string{"pod default/large"},
	},
	{fault: "F18", args: "run firstuse/chart.yaml", has: []string{"--nodes 3x4cpu16Gi makes some"}},
	{fault: "F18", args: "run firstuse/chart.yaml --nodes 1x4cpu16Gi", has: []string{"every pod is placed"}},
	{fault: "F20", args: "run --kube-versio 1.31 x", has: []string{`did you mean "--kube-version"?`}},
	{fault: "F20", args: "demo --theme drak", has: []string{`did you mean "dark"?`}},
}

func TestFaultsOfTheFirstUseStayMended(t *testing.T) {
	for _, f := range firstFaults {
		t.Run(f.fault+" "+f.args, func(t *testing.T) {
			t.Parallel()
			words, typed, _ := strings.Cut(f.args, "|")
			var args []string
			for _, word := range strings.Fields(words) {
				if _, err := os.Stat("testdata/" + word); err == nil {
					word = "testdata/" + word
				}
				args = append(args, strings.ReplaceAll(word, "set_priority_new_1000", "set priority new 1000"))
			}
			var out bytes.Buffer
			cmd.Main(cmd.WithArgs(append([]string{"schedstep"}, args...)...), cmd.WithStreams(cmd.Streams{
				In: strings.NewReader(strings.ReplaceAll(typed, "|", "\n") + "\n"), Out: &out, Err: &out,
			}))
			got := out.String()
			saysAll(t, got, f.has, f.not)
		})
	}
}
