package cmd

import (
	"fmt"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay"
	"github.com/schedstep/schedstep/replay/importer/templates"
)

// replicas says on standard error of each workload whose pods were made how many of them have a node.
func (o *opened) replicas(s Streams, player *replay.Player) {
	placed := map[string]bool{}
	state := player.Scheduler().State()
	state.EachPod(func(p *cluster.Pod) bool {
		_, assumed := state.Assumed(p.Key)
		placed[p.Key] = p.NodeName != "" || assumed
		return true
	})
	for _, m := range o.Made {
		if len(m.Pods) > 0 {
			fmt.Fprintln(s.Err, clean(fit(m, placed)))
		}
	}
}

// fit is "2 of 3 replicas fit: Deployment shop".
func fit(m templates.Made, placed map[string]bool) string {
	n := 0
	for _, pod := range m.Pods {
		if placed[pod] {
			n++
		}
	}
	noun := "replicas"
	switch m.Kind {
	case "DaemonSet", "Job", "CronJob":
		noun = "pods"
	}
	if m.There > 0 {
		noun = "missing " + noun
	}
	return fmt.Sprintf("%d of %d %s fit: %s %s", n, len(m.Pods), noun, m.Kind, m.Name)
}
