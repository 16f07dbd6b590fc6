package oracle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/oracle"
)

// reach is how many seeds the claims below may take.
const reach = 1200

// wanted is every reason of the default plugins that a cluster can show, by
// plugin; a reason ends where its own details begin.
var wanted = map[string][]string{
	"SchedulingGates":   {"waiting for scheduling gates: ["},
	"NodeUnschedulable": {"node(s) were unschedulable"},
	"TaintToleration":   {"node(s) had untolerated taint(s)"},
	"NodeAffinity":      {"pod affinity terms conflict", "node(s) didn't match Pod's node affinity/selector"},
	"NodePorts":         {"node(s) didn't have free ports for the requested pod ports"},
	"NodeResourcesFit": {
		"Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage",
		"Insufficient hugepages-2Mi",
		"Insufficient example.com/fpga", "Insufficient example.com/gpu",
	},
	"VolumeRestrictions": {
		"persistentvolumeclaim \"missing\" not found", "node(s) had no available disk",
		"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
	},
	"NodeVolumeLimits": {
		"looking up PVC ", "csi.example.com CSI driver is not installed on the node", "node(s) exceed max volume count",
	},
	"VolumeBinding": {
		"persistentvolumeclaim \"missing\" not found",
		"waiting for ephemeral volume controller to create the persistentvolumeclaim ",
		"pod has unbound immediate PersistentVolumeClaims", "node(s) didn't match PersistentVolume's node affinity",
		"node(s) didn't find available persistent volumes to bind", "node(s) did not have enough free storage",
	},
	"VolumeZone": {"PersistentVolume had no name", "node(s) had no available volume zone"},
	"PodTopologySpread": {
		"node(s) didn't match pod topology spread constraints",
		"node(s) didn't match pod topology spread constraints (missing required label)",
	},
	"InterPodAffinity": {
		"node(s) didn't match pod affinity rules", "node(s) didn't match pod anti-affinity rules",
		"node(s) didn't satisfy existing pods anti-affinity rules",
	},
	"DynamicResources": {
		"resourceclaim not available on the node", "cannot allocate all claims", "cannot fit resource",
		"request req0: device class nonexistent does not exist", "could not find ResourceClaim ", "pod ",
	},
	"NodeDeclaredFeatures": {"node(s) didn't match Pod's required features"},
}

func TestDrawnClustersReachEveryReason(t *testing.T) {
	seen := map[string]bool{}
	placed, tied, nominated, violating, unplaced := 0, 0, 0, 0, 0
	for seed := range reach {
		forEachAnswer(t, seed, func(a oracle.Answer) {
			for _, v := range verdicts(a) {
				for _, reason := range v.Reasons {
					seen[v.Plugin+"/"+reason] = true
				}
			}
			switch {
			case a.Decision.Host == "":
				unplaced++
			case len(a.Decision.Best) > 1:
				tied++
			default:
				placed++
			}
			if a.Preemption.Nominated != "" {
				nominated++
			}
			violates := func(v oracle.Victims) bool { return v.PDBViolations > 0 }
			if slices.ContainsFunc(a.Preemption.Candidates, violates) {
				violating++
			}
		})
	}
	t.Logf(
		"placed %d, placed among equals %d, unschedulable %d, nominated %d, violating budgets %d", placed, tied,
		unplaced, nominated, violating,
	)
	for plugin, reasons := range wanted {
		for _, reason := range reasons {
			if !reached(seen, plugin+"/"+reason) {
				t.Errorf("%s never said %q in %d seeds", plugin, reason, reach)
			}
		}
	}
	if placed < unplaced/4 || nominated < 50 || violating < 20 || tied < 100 {
		t.Error("too few of one kind of outcome")
	}
}

func reached(seen map[string]bool, prefix string) bool {
	for reason := range seen {
		if strings.HasPrefix(reason, prefix) {
			return true
		}
	}
	return false
}

func verdicts(a oracle.Answer) []oracle.Verdict {
	all := slices.Clone(a.PreEnqueue)
	for _, v := range a.PreFilters {
		all = append(all, v.Verdict)
	}
	for _, node := range a.Nodes {
		all = append(all, node.Filters...)
	}
	return all
}

func forEachAnswer(t *testing.T, seed int, see func(oracle.Answer)) {
	t.Helper()
	c := generate.FromSeed(seed)
	o := waiting(t, c, nil)
	defer o.Close()
	for _, pod := range c.Pending {
		answer, err := o.Schedule(pod)
		if err != nil {
			t.Fatal(fmt.Errorf("seed %d: %w", seed, err))
		}
		see(answer)
	}
}
