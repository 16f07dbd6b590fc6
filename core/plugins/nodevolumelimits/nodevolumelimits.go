// Package nodevolumelimits is kube-scheduler's NodeVolumeLimits plugin (1.37): a node attaches no more volumes of a CSI
// driver than the limit that the driver reports. It counts volumes, shared ones once; it does not check that a volume
// can be attached at all.
package nodevolumelimits

import (
	"fmt"

	storagev1 "k8s.io/api/storage/v1"
	csitranslation "k8s.io/csi-translation-lib"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Name is kube-scheduler's name of the plugin.
const Name = "NodeVolumeLimits"

// fullReason is the plugin's reason for a node that has as many volumes as it can take.
const fullReason = "node(s) exceed max volume count"

// Ways are what differs between releases and by feature gates. The zero value is 1.37's.
type Ways struct {
	// DriverPresenceUnchecked does not check whether the driver of a volume is on the node (without
	// VolumeLimitScaling; csi.go, Filter).
	DriverPresenceUnchecked bool
	// PortworxByAnnotation counts Portworx volumes as CSI volumes only on nodes whose CSINode has them in the
	// annotation of migrated plugins (1.35 and earlier, nodevolumelimits/utils.go, isCSIMigrationOn).
	PortworxByAnnotation bool
	// HintsTakeAnyDetachment makes hints return Queue for every volume that is detached from a node, and ignore
	// changes of a CSINode (1.32 and earlier, csi.go, EventsToRegister).
	HintsTakeAnyDetachment bool
	// AttachmentsUncounted counts the volumes of pods, and not those that are attached besides; it also takes limits
	// from the node's own allocatable resources (1.31 and earlier, csi.go, Filter).
	AttachmentsUncounted bool
	// RBDPodsExamined makes the plugin run for pods with RBD disks, which it then counts as none (1.30 and earlier,
	// csi.go).
	RBDPodsExamined bool
	// NoInTreeMigration counts no in-tree volume as a CSI volume (1.19, where the gates of each migration are off).
	NoInTreeMigration bool
	// MissingClaimIsError returns an error if a claim of the pod does not exist (1.29 and earlier, csi.go and
	// non_csi.go).
	MissingClaimIsError bool
}

// Plugin keeps the number of attached volumes within limits.
type Plugin struct {
	framework.SignVolumes
	ways       Ways
	translator csitranslation.CSITranslator
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
	_ framework.Signer       = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New(ways Ways) *Plugin { return &Plugin{ways: ways, translator: csitranslation.New()} }

// Name is NodeVolumeLimits.
func (p *Plugin) Name() string { return Name }

// PreFilter skips pods without claims and without disks that CSI could serve.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if !p.counts(pod) {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	return framework.Study{Check: &check{tally: tally{plugin: p, objects: snapshot.Objects()}, pod: pod}}
}

// counts reports whether the pod may have volumes that count.
func (p *Plugin) counts(pod *cluster.Pod) bool {
	if len(pod.Claims) > 0 {
		return true
	}
	for _, d := range pod.Disks {
		if p.translator.IsInlineMigratable(d) || p.ways.RBDPodsExamined && d.RBD != nil {
			return true
		}
	}
	return false
}

// check counts the volumes of one node after the other.
type check struct {
	tally
	pod        *cluster.Pod
	fresh, old []volume // room: the pod's volumes, and those the node has
	room       trace.Room
}

// Filter counts what the node's pods use and what is attached to it, and what the pod would add.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	csi, _ := c.objects.CSINodes.Find(node.Name)
	fresh, wrong := c.volumesOf(c.pod, csi, c.fresh[:0])
	c.fresh = fresh
	switch {
	case wrong.missing != "":
		reason := notFound(c.pod, wrong.missing)
		if c.plugin.ways.MissingClaimIsError {
			return broken(reason)
		}
		return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reason}}
	case wrong.err != "":
		return broken(wrong.err)
	case len(fresh) == 0:
		return trace.Verdict{}
	}
	for _, v := range fresh {
		if !c.plugin.ways.DriverPresenceUnchecked && !c.isInstalled(v.driver, csi) {
			evidence := append(c.room.Evidence(1), trace.Evidence{
				What: phrase.Textf("CSI driver %s", v.driver), Want: trace.Words("on the node"), Have: trace.Text(driversText(csi)),
				By: c.room.Names(v.from),
			})
			reason := v.driver + " CSI driver is not installed on the node"
			return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{reason}, Evidence: evidence}
		}
	}
	if c.plugin.ways.AttachmentsUncounted {
		limits := c.oldLimits(node, csi)
		if len(limits) == 0 {
			return trace.Verdict{}
		}
		return c.count(node, csi, limits)
	}
	if csi == nil || !hasLimits(csi) || c.isFarFromFull(node, csi, len(fresh)) {
		return trace.Verdict{}
	}
	return c.count(node, csi, limitsOf(csi))
}

// notFound is the reason of a claim that does not exist.
func notFound(pod *cluster.Pod, claim string) string {
	return fmt.Sprintf("looking up PVC %s/%s: persistentvolumeclaim %q not found", pod.Namespace(), claim, claim)
}

// count compares every driver's limit with its volumes.
func (c *check) count(node *cluster.Node, csi *storagev1.CSINode, limits []limit) trace.Verdict {
	used := c.old[:0]
	for _, p := range node.WithVolumes {
		var wrong problem
		if used, wrong = c.volumesOf(p, csi, used); wrong.err != "" {
			return broken(wrong.err)
		}
	}
	inUse := len(used)
	if !c.plugin.ways.AttachmentsUncounted {
		used = c.attachedTo(node.Name, used)
	}
	c.old = used
	var over []trace.Evidence
	for _, d := range limits {
		var names []string
		added := int64(0)
		for _, v := range c.fresh {
			if v.driver == d.driver && !contains(used[:inUse], v) {
				added++
				names = append(names, v.from)
			}
		}
		has := int64(0)
		for _, v := range used {
			if v.driver == d.driver {
				has++
			}
		}
		if added == 0 || has+added <= d.most {
			continue
		}
		over = append(over, trace.Evidence{
			What: phrase.Textf("volumes of %s", d.driver), Want: trace.Count(added), Have: trace.Count(max(0, d.most-has)),
			Used:     trace.Count(has),
			Capacity: trace.Count(d.most), By: names,
		})
	}
	if over == nil {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: reasons[:], Evidence: over}
}

var reasons = [...]string{fullReason}

// isFarFromFull reports beforehand that no limit can be reached: the volumes of all pods there together with all
// attachments are below the lowest limit. Pods whose volumes may turn out to be broken have to be checked all the same.
func (c *check) isFarFromFull(node *cluster.Node, csi *storagev1.CSINode, added int) bool {
	lowest := int64(-1)
	for i := range csi.Spec.Drivers {
		if limit, limited := limitOf(&csi.Spec.Drivers[i]); limited && (lowest < 0 || limit < lowest) {
			lowest = limit
		}
	}
	sum := int64(added)
	for _, p := range node.WithVolumes {
		for _, use := range p.Claims {
			if use.Ephemeral || use.Name == "" {
				return false
			}
		}
		if len(p.Disks) > 0 {
			return false
		}
		if sum += int64(len(p.Claims)); sum > lowest {
			return false
		}
	}
	c.objects.EachAttachment(node.Name, func(*storagev1.VolumeAttachment) bool {
		sum++
		return sum <= lowest
	})
	return sum <= lowest
}

func broken(reason string) trace.Verdict {
	return trace.Verdict{Code: trace.Error, Reasons: []string{reason}}
}
