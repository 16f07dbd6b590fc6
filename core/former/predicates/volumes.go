package predicates

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// provider is a kind of disk of which a node takes so many at most.
type provider struct {
	name string // of the predicate
	what phrase.Text
	most int64
	// disk is the disk of a volume that a pod names, or of a PersistentVolume; "": it is another kind of volume.
	inPod    func(*corev1.VolumeSource) string
	inVolume func(*corev1.PersistentVolumeSource) string
}

// providers are those that predicates count. That KUBE_MAX_PD_VOLS may replace the number is an environment variable
// of the scheduler.
var providers = []provider{
	{
		name: "MaxEBSVolumeCount", what: "EBS volumes", most: 39,
		inPod:    func(v *corev1.VolumeSource) string { return cluster.EBSDisk(v.AWSElasticBlockStore) },
		inVolume: func(v *corev1.PersistentVolumeSource) string { return cluster.EBSDisk(v.AWSElasticBlockStore) },
	},
	{
		name: "MaxGCEPDVolumeCount", what: "GCE persistent disks", most: 16,
		inPod:    func(v *corev1.VolumeSource) string { return cluster.GCEDisk(v.GCEPersistentDisk) },
		inVolume: func(v *corev1.PersistentVolumeSource) string { return cluster.GCEDisk(v.GCEPersistentDisk) },
	},
	{
		name: "MaxAzureDiskVolumeCount", what: "Azure disks", most: 16,
		inPod:    func(v *corev1.VolumeSource) string { return cluster.AzureDisk(v.AzureDisk) },
		inVolume: func(v *corev1.PersistentVolumeSource) string { return cluster.AzureDisk(v.AzureDisk) },
	},
}

// VolumeCount is MaxEBSVolumeCount, MaxGCEPDVolumeCount or MaxAzureDiskVolumeCount. A node takes most disks; 0: as many
// as kube-scheduler takes a node of the provider to hold.
func VolumeCount(name string, most int64, ways Ways) *Plugin {
	of := providers[slices.IndexFunc(providers, func(p provider) bool { return p.name == name })]
	if most > 0 {
		of.most = most
	}
	return Of(name, ways, volumeCount{&of, ways.MissingVolumeCounts})
}

// volumeCount is the rule of a provider.
type volumeCount struct {
	*provider
	unfound bool
}

// Name is the predicate's.
func (v volumeCount) Name() string { return v.name }

// PreFilter lists the disks that the pod would add.
func (v volumeCount) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	c := &volumeCheck{volumeCount: v, objects: snapshot.Objects()}
	fresh, err := c.disks(pod, nil)
	if err != "" {
		return framework.Study{Verdict: broken(err)}
	}
	c.fresh = fresh
	return framework.Study{Check: c}
}

func broken(why string) trace.Verdict {
	return trace.Verdict{Code: trace.Error, Reasons: []string{why}}
}

// volumeCheck counts the disks of one node after the other.
type volumeCheck struct {
	volumeCount
	objects *cluster.Objects
	fresh   []string
}

// Filter compares the disks of the node's pods, and those that the pod adds, with what a node takes.
func (c *volumeCheck) Filter(node *cluster.Node) trace.Verdict {
	if len(c.fresh) == 0 {
		return trace.Verdict{}
	}
	var used []string
	for _, pod := range node.Pods {
		var err string
		if used, err = c.disks(pod, used); err != "" {
			return broken(err)
		}
	}
	has, more := int64(len(used)), int64(0)
	for _, id := range c.fresh {
		if !slices.Contains(used, id) {
			more++
		}
	}
	if has+more <= c.most {
		return trace.Verdict{}
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: []string{reasonVolumes}, Evidence: []trace.Evidence{{
		What: c.what, Want: trace.Count(more), Have: trace.Count(max(0, c.most-has)), Used: trace.Count(has),
		Capacity: trace.Count(c.most),
	}}}
}

// disks appends the disks of a pod, each once. A claim of which nothing more is known counts: it may be such a disk.
func (c *volumeCheck) disks(pod *cluster.Pod, list []string) (disks []string, err string) {
	add := func(id string) {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	for i := range pod.API.Spec.Volumes {
		v := &pod.API.Spec.Volumes[i]
		if id := c.inPod(&v.VolumeSource); id != "" {
			add(id)
			continue
		}
		if v.PersistentVolumeClaim == nil {
			continue
		}
		name := v.PersistentVolumeClaim.ClaimName
		if name == "" {
			return list, "PersistentVolumeClaim had no name"
		}
		key := pod.Namespace() + "/" + name
		claim, found := c.objects.VolumeClaims.Find(key)
		switch {
		case !found && c.unfound:
			return append(list, "missing claim "+key+" of "+pod.Key), ""
		case found && claim.Spec.VolumeName == "" && c.unfound:
			return list, fmt.Sprintf("PersistentVolumeClaim is not bound: %q", name)
		case !found || claim.Spec.VolumeName == "":
			add("claim " + key)
			continue
		}
		switch volume, found := c.objects.Volumes.Find(claim.Spec.VolumeName); {
		case !found && c.unfound:
			return append(list, "missing volume of "+key+" of "+pod.Key), ""
		case !found:
			add("claim " + key)
		default:
			if id := c.inVolume(&volume.Spec.PersistentVolumeSource); id != "" {
				add(id)
			}
		}
	}
	return list, ""
}
