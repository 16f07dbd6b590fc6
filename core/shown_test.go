package core_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/scenario"
)

// shown is what all scenarios together show.
type shown struct {
	reasons []reason
	hints   map[hint]bool
}

type reason struct{ plugin, text string }

type hint struct {
	plugin, event string
	queues        bool
}

// everythingShown runs every scenario once and collects the plugins' reasons.
var everythingShown = sync.OnceValues(func() (*shown, error) {
	s := &shown{hints: map[hint]bool{}}
	for pattern, plugins := range map[string][]config.Plugin{
		"testdata/*.txt": nil, "testdata/plugins/*.txt": tellable(),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if err := s.add(file, plugins); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
})

func (s *shown) add(file string, plugins []config.Plugin) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	parsed, err := scenario.Parse(file, data, plugins...)
	if err != nil {
		return err
	}
	transcript, err := parsed.Run()
	if err != nil {
		return err
	}
	for _, f := range transcript.Facts() {
		s.learn(f)
	}
	return nil
}

func (s *shown) say(plugin string, v trace.Verdict) {
	for _, text := range v.Reasons {
		s.reasons = append(s.reasons, reason{plugin, text})
	}
}

func (s *shown) learn(f trace.Fact) {
	switch f := f.(type) {
	case trace.Hinted:
		s.hints[hint{f.Plugin, f.Event, f.Queue}] = true
	case trace.Moved:
		if f.To == queue.Gated {
			s.reasons = append(s.reasons, reason{f.Plugin, f.Reason.String()})
		}
	case trace.PreFiltered:
		s.say(f.Plugin, f.Verdict)
	case trace.Filtered:
		for i := range f.Matrix.Nodes {
			if first := f.Matrix.First[i]; first >= 0 {
				v, _ := f.Matrix.Verdict(i, int(first))
				s.say(f.Matrix.Plugins[first], v)
			}
		}
	case trace.PostFiltered:
		s.say(f.Plugin, f.Verdict)
	case trace.Ran:
		s.say(f.Plugin, f.Verdict)
	}
}

// reasonsOf are the words of kube-scheduler 1.37 by plugin; * stands for names and numbers. Some can never appear and
// are not in it: those of NodeName (a pod that names its node is in no queue), "resourceclaim in use" (CanBeReserved is
// always true), "asked by caller to stop allocating devices" and timeouts of filterTimeout (our search always runs to
// its end, see package dynamicresources).
var reasonsOf = map[string][]string{
	"SchedulingGates":   {"waiting for scheduling gates: [*]"},
	"NodeUnschedulable": {"node(s) were unschedulable"},
	"TaintToleration":   {"node(s) had untolerated taint(s)"},
	"NodeAffinity": {
		"pod affinity terms conflict", "node(s) didn't match scheduler-enforced node affinity",
		"node(s) didn't match Pod's node affinity/selector",
	},
	"NodePorts": {"node(s) didn't have free ports for the requested pod ports"},
	"NodeResourcesFit": {
		"Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage",
		"Insufficient example.com/*",
	},
	"VolumeRestrictions": {
		`persistentvolumeclaim "*" not found`, "node(s) had no available disk",
		"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
	},
	"NodeVolumeLimits": {
		`looking up PVC default/*: persistentvolumeclaim "*" not found`, "* CSI driver is not installed on the node",
		"node(s) exceed max volume count",
	},
	"VolumeBinding": {
		`persistentvolumeclaim "*" not found`,
		`waiting for ephemeral volume controller to create the persistentvolumeclaim "*"`,
		`persistentvolumeclaim "*" bound to non-existent persistentvolume "*"`, `persistentvolumeclaim "*" is being deleted`,
		`PVC default/* was not created for pod default/* (pod is not owner)`,
		"pod has unbound immediate PersistentVolumeClaims", "node(s) didn't match PersistentVolume's node affinity",
		"node(s) didn't find available persistent volumes to bind", "node(s) did not have enough free storage",
		"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
	},
	"VolumeZone": {
		"PersistentVolumeClaim had no name", "PersistentVolumeClaim had no pv name and storageClass name",
		`VolumeBindingMode not set for StorageClass "*"`, "PersistentVolume had no name",
		`persistentvolumeclaim "*" not found`,
		`persistentvolume "*" not found`, `storageclass.storage.k8s.io "*" not found`, "node(s) had no available volume zone",
	},
	"PodTopologySpread": {
		"node(s) didn't match pod topology spread constraints (missing required label)",
		"node(s) didn't match pod topology spread constraints",
	},
	"InterPodAffinity": {
		"node(s) didn't match pod affinity rules", "node(s) didn't match pod anti-affinity rules",
		"node(s) didn't satisfy existing pods anti-affinity rules",
	},
	"DynamicResources": {
		`could not find ResourceClaim "*"`, `resourceclaim "*" is being deleted`,
		"resource claim default/* is in the process of being allocated", "request *: device class * does not exist",
		"resourceclaim not available on the node", "cannot allocate all claims", "cannot fit resource",
		"cannot schedule extended resource claim", "deallocation of ResourceClaim completed",
		"deletion of ResourceClaim completed",
		"device binding timeout: *", "device binding failed: *",
	},
	"NodeDeclaredFeatures": {"node(s) didn't match Pod's required features"},
	"DefaultPreemption": {
		"waiting for the preemption for this pod to be finished", "preemption: not eligible due to preemptionPolicy=Never.",
		"preemption: not eligible due to a terminating pod on the nominated node.",
		"preemption: 0/* nodes are available: * Preemption is not helpful for scheduling.",
		"preemption: 0/* nodes are available: * No preemption victims found for incoming pod.",
		"preemption: no candidate node for preemption",
		"preemption: found a potential placement for pod on node *, preempting * victims",
	},
}

// TestEveryReasonIsShown holds the scenarios to showing every reason that a plugin of the default profile can give.
func TestEveryReasonIsShown(t *testing.T) {
	all, err := everythingShown()
	if err != nil {
		t.Fatal(err)
	}
	for plugin, texts := range reasonsOf {
		for _, text := range texts {
			pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*") + "$")
			if !slices.ContainsFunc(all.reasons, func(r reason) bool {
				return r.plugin == plugin && pattern.MatchString(r.text)
			}) {
				t.Errorf("no scenario shows that %s says %q", plugin, text)
			}
		}
	}
}

// answers is what a hint can answer.
type answers uint8

const (
	always answers = iota // Queue, whatever happened
	either
	never
	unheard // it would always answer Queue, and no pod in the queue can have been rejected by the plugin
)

// hintsOf is section 2.4 of kube-scheduler 1.37's behaviour: the events that each plugin of the default profile waits
// for, and whether its hint may answer either way. Read off EventsToRegister of the plugins. Where a hint has an answer
// that no event of the scheduler can cause, the other is all there is: NodeResourcesFit would skip a deleted pod
// without a node and without a nomination, which AssignedPodDelete never carries, and NodeDeclaredFeatures features
// that did not change.
var hintsOf = map[string]map[string]answers{
	"SchedulingGates":   {"TargetPodUpdatePodSchedulingGatesEliminated": always},
	"NodeName":          {"NodeAdd": unheard},
	"NodeUnschedulable": {"NodeAdd": either, "NodeUpdateNodeTaint": either, "TargetPodUpdatePodToleration": either},
	"TaintToleration":   {"NodeAdd": either, "NodeUpdateNodeTaint": either, "TargetPodUpdatePodToleration": always},
	"NodeAffinity":      {"NodeAdd": either, "NodeUpdateNodeLabel": either},
	"NodePorts":         {"AssignedPodDelete": either, "NodeAdd": always},
	"NodeResourcesFit": {
		"AssignedPodDelete": always, "NodeAdd": either, "NodeUpdateNodeAllocatable": either,
		"resource.k8s.io/DeviceClassAdd": either, "resource.k8s.io/DeviceClassUpdate": either,
		"AssignedPodUpdatePodScaleDown": either, "TargetPodUpdatePodScaleDown": always,
	},
	"VolumeRestrictions": {"AssignedPodDelete": either, "NodeAdd": always, "PersistentVolumeClaimAdd": either},
	"NodeVolumeLimits": {
		"storage.k8s.io/CSINodeAdd": always, "storage.k8s.io/CSINodeUpdate": either, "AssignedPodDelete": either,
		"PersistentVolumeClaimAdd": either, "storage.k8s.io/VolumeAttachmentDelete": either,
	},
	"VolumeBinding": {
		"storage.k8s.io/StorageClassAdd": always, "storage.k8s.io/StorageClassUpdate": either,
		"PersistentVolumeClaimAdd": either, "PersistentVolumeClaimUpdate": either,
		"PersistentVolumeAdd": always, "PersistentVolumeUpdate": always, "NodeAdd": always, "NodeUpdateNodeLabel": always,
		"storage.k8s.io/CSINodeAdd": always, "storage.k8s.io/CSINodeUpdate": either, "storage.k8s.io/CSIDriverUpdate": either,
		"storage.k8s.io/CSIStorageCapacityAdd": always, "storage.k8s.io/CSIStorageCapacityUpdate": either,
	},
	"VolumeZone": {
		"storage.k8s.io/StorageClassAdd": either, "NodeAdd": always, "NodeUpdateNodeLabel": always,
		"PersistentVolumeClaimAdd": either, "PersistentVolumeClaimUpdate": either,
		"PersistentVolumeAdd": always, "PersistentVolumeUpdate": either,
	},
	"PodTopologySpread": {
		"AssignedPodAdd": either, "AssignedPodUpdatePodLabel": either, "AssignedPodDelete": either,
		"TargetPodUpdatePodToleration": either, "TargetPodUpdatePodLabel": either,
		"NodeAdd": either, "NodeDelete": either, "NodeUpdateNodeLabel": either, "NodeUpdateNodeTaint": either,
	},
	"InterPodAffinity": {
		"AssignedPodAdd": either, "AssignedPodUpdatePodLabel": either, "AssignedPodDelete": either,
		"TargetPodUpdatePodLabel": always, "NodeAdd": either, "NodeUpdateNodeLabel": either,
	},
	"DynamicResources": {
		"NodeAdd": always, "NodeUpdateNodeLabel": always, "NodeUpdateNodeAllocatable": always,
		"resource.k8s.io/ResourceClaimAdd": either, "resource.k8s.io/ResourceClaimUpdate": either,
		"resource.k8s.io/ResourceClaimDelete":      either,
		"TargetPodUpdatePodGeneratedResourceClaim": either,
		"resource.k8s.io/DeviceClassAdd":           always, "resource.k8s.io/DeviceClassUpdate": always,
		"resource.k8s.io/ResourceSliceAdd": always, "resource.k8s.io/ResourceSliceUpdate": always,
	},
	"NodeDeclaredFeatures": {"NodeAdd": always, "NodeUpdateNodeDeclaredFeature": always, "TargetPodUpdate": either},
	"DefaultPreemption":    {"AssignedPodDelete": never},
}

// TestEveryHintIsShown holds the scenarios to showing every hint with each of its answers, and the hints to the table.
func TestEveryHintIsShown(t *testing.T) {
	all, err := everythingShown()
	if err != nil {
		t.Fatal(err)
	}
	for plugin, events := range hintsOf {
		for event, can := range events {
			for answer, queues := range map[string]bool{"Queue": true, "Skip": false} {
				wanted := can == either || queues && can == always || !queues && can == never
				switch seen := all.hints[hint{plugin, event, queues}]; {
				case wanted && !seen:
					t.Errorf("no scenario shows that %s answers %s to %s", plugin, answer, event)
				case seen && !wanted:
					t.Errorf("%s answers %s to %s", plugin, answer, event)
				}
			}
		}
	}
	for h := range all.hints {
		if events, known := hintsOf[h.plugin]; known {
			if _, listed := events[h.event]; !listed && listens(h.plugin, h.event) {
				t.Errorf("%s is asked about %s, which is not in the table", h.plugin, h.event)
			}
		}
	}
}

// listens reports whether an event is one that the plugin named by itself, and not a part of all updates of pods.
func listens(plugin, event string) bool {
	return plugin != "NodeDeclaredFeatures" || !strings.HasPrefix(event, string(cluster.TargetPod))
}

// TestTheTableOfHintsIsThatOfThePlugins compares what plugins register with the table.
func TestTheTableOfHintsIsThatOfThePlugins(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range config.Default().Profiles[0].Wakers() {
		seen[w.Name()] = true
		for _, h := range w.Hints() {
			for _, action := range actionsOf(h.Event.Action) {
				event := cluster.ClusterEvent{Resource: h.Event.Resource, Action: action}.Label()
				if can, listed := hintsOf[w.Name()][event]; !listed || h.Helps == nil && can != always && can != unheard {
					t.Errorf("%s registers %s, and the table says otherwise", w.Name(), event)
				}
			}
		}
	}
	for plugin := range hintsOf {
		if !seen[plugin] {
			t.Errorf("%s is in the table and registers nothing", plugin)
		}
	}
}

// actionsOf are the actions of a set as events name them: an update of most kinds is all updates at once.
func actionsOf(set cluster.ActionType) []cluster.ActionType {
	var all []cluster.ActionType
	if set&cluster.Updated == cluster.Updated {
		all, set = append(all, cluster.Updated), set&^cluster.Updated
	}
	for bit := cluster.Added; bit < cluster.AnyAction; bit <<= 1 {
		if set&bit != 0 {
			all = append(all, bit)
		}
	}
	return all
}
