// Package volumerestrictions is kube-scheduler's VolumeRestrictions plugin (1.37): disks that one node cannot mount for
// two pods, and claims that only one pod of the cluster may use. It knows the disks that pods name themselves; those
// behind claims are the volume controllers' affair.
package volumerestrictions

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// Name is kube-scheduler's name of the plugin.
const Name = "VolumeRestrictions"

// Reasons of the plugin for nodes.
const (
	reasonDisk  = "node(s) had no available disk"
	reasonClaim = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// ClaimsUnchecked compares disks alone, and ignores claims (1.19 and earlier, volume_restrictions.go, which knows
	// no ReadWriteOncePod).
	ClaimsUnchecked bool
	Claim           string // the reason of a node where the claim is that one pod alone may use; "": reasonClaim
}

// InUse is the reason in 1.33 and earlier.
const InUse = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"

// Plugin keeps pods apart that cannot share a disk or a claim.
type Plugin struct {
	framework.SignVolumes
	claim     []string // the reason of a claim in use
	disksOnly bool
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
	_ framework.Signer       = (*Plugin)(nil)
	_ framework.Disturbable  = (*check)(nil)
)

// New makes the plugin; it has no arguments.
func New(ways Ways) *Plugin {
	if ways.Claim == "" {
		ways.Claim = reasonClaim
	}
	return &Plugin{claim: []string{ways.Claim}, disksOnly: ways.ClaimsUnchecked}
}

// Name is VolumeRestrictions.
func (p *Plugin) Name() string { return Name }

// PreFilter finds the claims for one pod only that another pod uses, and skips pods that have neither such a claim nor
// a disk.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if len(pod.Claims)+len(pod.Disks) == 0 {
		return framework.Study{Verdict: skip}
	}
	c := &check{claim: p.claim}
	for _, d := range pod.Disks {
		if isExclusive(d) {
			c.disks = append(c.disks, d)
		}
	}
	for _, use := range pod.Claims {
		if use.Ephemeral || p.disksOnly {
			continue
		}
		claim, ok := snapshot.Objects().VolumeClaims.Find(pod.ClaimKey(use))
		if !ok {
			reason := fmt.Sprintf("persistentvolumeclaim %q not found", use.Name)
			return framework.Study{Verdict: trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{reason}}}
		}
		key := pod.ClaimKey(use)
		if !slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteOncePod) || slices.Contains(c.claims, key) {
			continue
		}
		c.claims = append(c.claims, key)
		if user, used := snapshot.User(key); used {
			c.conflicts++
			c.users = append(c.users, user.Key)
		}
	}
	if len(c.disks) == 0 && c.conflicts == 0 {
		return framework.Study{Verdict: skip, Check: c}
	}
	return framework.Study{Check: c}
}

var skip = trace.Verdict{Code: trace.Skip}

// check rejects nodes whose pods hold one of the disks, and every node while a pod uses one of the claims.
type check struct {
	disks     []*corev1.Volume
	claims    []string // keys of the claims for one pod only
	claim     []string // the reason of a claim in use
	conflicts int      // how many uses of these claims are in the way
	users     []string // pods that use them, by key
	room      trace.Room
}

// Filter looks for conflicts: disks first, as upstream does.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	for _, disk := range c.disks {
		for _, other := range node.WithVolumes {
			theirs := conflicting(disk, other.Disks)
			if theirs == nil {
				continue
			}
			evidence := append(c.room.Evidence(1), trace.Evidence{
				What: "disk", Want: trace.Text(diskText(disk)), Used: trace.Text(diskText(theirs)), By: c.room.Names(other.Key),
			})
			return trace.Verdict{Code: trace.Unschedulable, Reasons: diskReasons[:], Evidence: evidence}
		}
	}
	if c.conflicts <= 0 {
		return trace.Verdict{}
	}
	evidence := append(c.room.Evidence(1), trace.Evidence{
		What: "claim for one pod only", Want: trace.Text(c.claims[0]), Used: trace.Count(int64(c.conflicts)), By: c.users,
	})
	return trace.Verdict{Code: trace.Unschedulable, Reasons: c.claim, Evidence: evidence}
}

var diskReasons = [...]string{reasonDisk}

// With counts the uses that one pod more makes of the claims.
func (c *check) With(pod *cluster.Pod, _ *cluster.Node) framework.Check { return c.disturbed(pod, 1) }

// Without counts the uses that one pod less makes of the claims.
func (c *check) Without(pod *cluster.Pod, _ *cluster.Node) framework.Check {
	return c.disturbed(pod, -1)
}

// disturbed counts by names of claims alone, whatever the namespace of the pod, as upstream does.
func (c *check) disturbed(pod *cluster.Pod, sign int) framework.Check {
	uses := 0
	for _, use := range pod.Claims {
		if !use.Ephemeral && slices.ContainsFunc(c.claims, func(key string) bool { return nameOf(key) == use.Name }) {
			uses++
		}
	}
	if uses == 0 {
		return c
	}
	other := &check{disks: c.disks, claims: c.claims, claim: c.claim, conflicts: c.conflicts + sign*uses}
	if sign > 0 {
		other.users = append(slices.Clip(c.users), pod.Key)
		return other
	}
	other.users = slices.DeleteFunc(slices.Clone(c.users), func(key string) bool { return key == pod.Key })
	return other
}
