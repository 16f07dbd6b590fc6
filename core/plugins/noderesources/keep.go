package noderesources

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var (
	_ framework.Keeper = (*Fit)(nil)
	_ framework.Keeper = (*BalancedAllocation)(nil)
	_ framework.Footed = (*check)(nil)
	_ framework.Footed = (*fitScorer)(nil)
	_ framework.Footed = (*balanceScorer)(nil)
)

// Keeps returns everything, except for a pod that requests extended resources: whether a DeviceClass stands for one is
// found out for each pod.
func (*Fit) Keeps(pod *cluster.Pod) framework.Keep { return keeps(pod) }

// Keeps returns everything, except for a pod that requests extended resources: whether a DeviceClass stands for one is
// found out for each pod.
func (*BalancedAllocation) Keeps(pod *cluster.Pod) framework.Keep { return keeps(pod) }

func keeps(pod *cluster.Pod) framework.Keep {
	if len(pod.Requests.Scalars)+len(pod.SpecRequests().Scalars) > 0 {
		return framework.KeepVerdicts | framework.KeepScores
	}
	return framework.KeepAll
}

// Footing is for which of the pod's resources a DeviceClass stands.
func (c *check) Footing() (string, bool) {
	footing := ""
	for i := range c.scalars {
		if c.scalars[i].devices {
			footing += " " + string(c.scalars[i].name)
		}
	}
	return footing, true
}

// Footing is nothing, unless devices are counted: then no score is kept.
func (s *fitScorer) Footing() (string, bool) { return "", noDevices(s.columns) }

// Footing is nothing, unless devices are counted: then no score is kept.
func (s *balanceScorer) Footing() (string, bool) { return "", noDevices(s.columns) }

func noDevices(columns []column) bool {
	for i := range columns {
		if columns[i].fleet != nil {
			return false
		}
	}
	return true
}
