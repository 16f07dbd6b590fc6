package scenario

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

func (r *run) printPods() {
	state := r.scheduler().State()
	if state.PodCount() == 0 {
		r.print("no pods")
	}
	state.EachPod(func(p *cluster.Pod) bool {
		line := p.Key + " " + string(p.API.Status.Phase)
		switch assumed, is := r.player.ForPod(p.Key).State().Assumed(p.Key); {
		case p.NodeName != "":
			line += " on " + p.NodeName
		case is:
			line += ", assumed on " + assumed.NodeName
		}
		if p.Terminating() {
			line += ", to go"
		}
		if p.Nominated != "" {
			line += ", nominated on " + p.Nominated
		}
		r.print(line)
		return true
	})
}

func (r *run) printNodes() {
	nodes := r.scheduler().State().Snapshot().Nodes
	if len(nodes) == 0 {
		r.print("no nodes")
	}
	for _, n := range nodes {
		line := fmt.Sprintf("%s: cpu %s of %s, memory %s of %s, pods %d of %d", n.Name,
			trace.MilliCPU(n.Requested.MilliCPU), trace.MilliCPU(n.Allocatable.MilliCPU),
			trace.Bytes(n.Requested.Memory), trace.Bytes(n.Allocatable.Memory), len(n.Pods), n.PodLimit())
		if n.NonZeroCPU != n.Requested.MilliCPU || n.NonZeroMem != n.Requested.Memory {
			line += fmt.Sprintf("; scored as cpu %s, memory %s", trace.MilliCPU(n.NonZeroCPU), trace.Bytes(n.NonZeroMem))
		}
		var pods []string
		for _, p := range n.Pods {
			pods = append(pods, p.Key)
		}
		if len(pods) > 0 {
			line += ": " + inShortOf(pods, "pods")
		}
		r.print(line)
	}
}

func inShortOf(names []string, what string) string {
	return strings.Replace(inShort(names), " nodes)", " "+what+")", 1)
}
