package nodevolumelimits

import (
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/csi-translation-lib/plugins"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Disks is one of EBSLimits, GCEPDLimits, AzureDiskLimits and CinderLimits (1.30 and earlier): it keeps the disks of
// one provider within the limit of a node that does not attach them through CSI.
type Disks struct {
	framework.SignVolumes
	kind diskKind
	ways Ways
}

var (
	_ framework.FilterPlugin = (*Disks)(nil)
	_ framework.Waker        = (*Disks)(nil)
)

// diskKind is what a provider's disks are known by.
type diskKind struct {
	plugin      string
	provisioner string
	resource    corev1.ResourceName               // of a node: how many it takes
	most        int64                             // where the node reports no limit
	disk        func(*corev1.VolumeSource) string // "": none of the provider's
}

var diskKinds = []diskKind{
	{
		plugin: "EBSLimits", provisioner: plugins.AWSEBSInTreePluginName, resource: "attachable-volumes-aws-ebs", most: 39,
		disk: func(v *corev1.VolumeSource) string { return cluster.EBSDisk(v.AWSElasticBlockStore) },
	},
	{
		plugin: "GCEPDLimits", provisioner: plugins.GCEPDInTreePluginName, resource: "attachable-volumes-gce-pd", most: 16,
		disk: func(v *corev1.VolumeSource) string { return cluster.GCEDisk(v.GCEPersistentDisk) },
	},
	{
		plugin: "AzureDiskLimits", provisioner: plugins.AzureDiskInTreePluginName,
		resource: "attachable-volumes-azure-disk", most: 16,
		disk: func(v *corev1.VolumeSource) string { return cluster.AzureDisk(v.AzureDisk) },
	},
	{
		plugin: "CinderLimits", provisioner: plugins.CinderInTreePluginName, resource: "attachable-volumes-cinder", most: 256,
		disk: func(v *corev1.VolumeSource) string {
			if v.Cinder == nil {
				return ""
			}
			return v.Cinder.VolumeID
		},
	},
}

// NewDisks makes the plugin of that name, which has no arguments; it panics for a name that is none of them. Of the
// ways it knows MissingBreaks.
func NewDisks(name string, ways Ways) *Disks {
	i := slices.IndexFunc(diskKinds, func(k diskKind) bool { return k.plugin == name })
	return &Disks{kind: diskKinds[i], ways: ways}
}

// Name is that of the provider's plugin.
func (d *Disks) Name() string { return d.kind.plugin }

// PreFilter skips pods without claims and without disks of the provider.
func (d *Disks) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	ours := slices.ContainsFunc(pod.API.Spec.Volumes, func(v corev1.Volume) bool {
		return d.kind.disk(&v.VolumeSource) != ""
	})
	if !ours && len(pod.Claims) == 0 {
		return framework.Study{Verdict: trace.Verdict{Code: trace.Skip}}
	}
	return framework.Study{Check: &diskCheck{
		kind: &d.kind, pod: pod, objects: snapshot.Objects(), breaks: d.ways.MissingClaimIsError,
	}}
}

// Hints wait for nodes that come, pods that go, and claims that come.
func (d *Disks) Hints() []queue.Hint {
	return []queue.Hint{
		{Event: cluster.ClusterEvent{Resource: cluster.NodeResource, Action: cluster.Added}},
		{Event: cluster.ClusterEvent{Resource: cluster.AssignedPod, Action: cluster.Deleted}},
		{Event: cluster.ClusterEvent{Resource: cluster.VolumeClaimResource, Action: cluster.Added}},
	}
}

// diskCheck counts the provider's disks of one node after the other.
type diskCheck struct {
	kind    *diskKind
	pod     *cluster.Pod
	objects *cluster.Objects
	breaks  bool // a claim of the pod that does not exist is an error
}

// Filter counts the disks of the node's pods and those that the pod would add. A node with a CSINode is
// NodeVolumeLimits' affair: there the provider's disks are served through CSI.
func (c *diskCheck) Filter(node *cluster.Node) trace.Verdict {
	fresh, wrong := c.disksOf(c.pod, nil)
	switch {
	case wrong.missing != "" && c.breaks:
		return broken(notFound(c.pod, wrong.missing))
	case wrong.missing != "":
		return trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: []string{notFound(c.pod, wrong.missing)},
		}
	case wrong.err != "":
		return broken(wrong.err)
	case len(fresh) == 0:
		return trace.Verdict{}
	}
	if _, csi := c.objects.CSINodes.Find(node.Name); csi {
		return trace.Verdict{}
	}
	var used []string
	for _, p := range node.WithVolumes {
		if used, wrong = c.disksOf(p, used); wrong.err != "" {
			return broken(wrong.err)
		}
	}
	added := slices.DeleteFunc(fresh, func(disk string) bool { return slices.Contains(used, disk) })
	has, more, most := int64(len(used)), int64(len(added)), c.limit(node)
	if has+more <= most {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: reasons[:], Evidence: []trace.Evidence{{
		What: phrase.Textf("disks of %s", c.kind.provisioner), Want: trace.Count(more), Have: trace.Count(max(0, most-has)),
		Used: trace.Count(has), Capacity: trace.Count(most),
	}}}
}

// nitro are the instance types that take fewer volumes.
var nitro = regexp.MustCompile(`^[cmr]5.*|t3|z1d`)

// limit is how many disks the node takes.
func (c *diskCheck) limit(node *cluster.Node) int64 {
	if node.Allocatable.HasScalar(c.kind.resource) {
		return node.Allocatable.Scalar(c.kind.resource)
	}
	instance, has := node.Label(corev1.LabelInstanceTypeStable)
	if !has {
		instance, _ = node.Label(corev1.LabelInstanceType)
	}
	if c.kind.plugin == "EBSLimits" && nitro.MatchString(instance) {
		return 25
	}
	return c.kind.most
}

// disksOf appends the disks of a pod, each once. A missing claim ends the search in the pod that is to be placed, and
// is passed over in others.
func (c *diskCheck) disksOf(pod *cluster.Pod, list []string) ([]string, problem) {
	add := func(id string) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	for i := range pod.API.Spec.Volumes {
		v := &pod.API.Spec.Volumes[i]
		if id := c.kind.disk(&v.VolumeSource); id != "" {
			add(id)
			continue
		}
		use, ok := pod.ClaimOf(v)
		if !ok {
			continue
		}
		if use.Name == "" {
			return list, problem{err: "PersistentVolumeClaim had no name"}
		}
		key := pod.ClaimKey(use)
		claim, ok := c.objects.VolumeClaims.Find(key)
		if !ok && pod == c.pod {
			return list, problem{missing: use.Name}
		}
		if !ok {
			continue
		}
		if use.Ephemeral {
			if err := ephemeral.VolumeIsForPod(pod.API, claim); err != nil {
				return list, problem{err: err.Error()}
			}
		}
		if id := c.ofClaim(claim, key); id != "" {
			add(id)
		}
	}
	return list, problem{}
}

// ofClaim is the disk of a claim, or the claim itself where the provider would make one for it.
func (c *diskCheck) ofClaim(claim *corev1.PersistentVolumeClaim, key string) string {
	if pv, known := c.objects.Volumes.Find(claim.Spec.VolumeName); known && claim.Spec.VolumeName != "" {
		return c.kind.disk(inPod(&pv.Spec.PersistentVolumeSource))
	}
	if claim.Spec.StorageClassName == nil {
		return ""
	}
	class, known := c.objects.StorageClasses.Find(*claim.Spec.StorageClassName)
	if !known || class.Provisioner != c.kind.provisioner {
		return ""
	}
	return "claim " + key
}

// inPod is a volume as it would stand in a pod: the disks of every provider are named alike in both.
func inPod(v *corev1.PersistentVolumeSource) *corev1.VolumeSource {
	in := &corev1.VolumeSource{
		AWSElasticBlockStore: v.AWSElasticBlockStore, GCEPersistentDisk: v.GCEPersistentDisk, AzureDisk: v.AzureDisk,
	}
	if v.Cinder != nil {
		in.Cinder = &corev1.CinderVolumeSource{VolumeID: v.Cinder.VolumeID}
	}
	return in
}
