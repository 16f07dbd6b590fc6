package core

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// withoutPods are the filters that read of a node only its object. What others read is taken to be its pods too.
var withoutPods = []string{
	"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeDeclaredFeatures", "VolumeZone",
	"VolumeBinding",
}

// readEverywhere are the filters that read the pods of all nodes.
var readEverywhere = []string{"InterPodAffinity", "PodTopologySpread"}

// alsoRead are the objects that filters read besides pods and nodes.
var alsoRead = map[string][]cluster.Kind{
	"InterPodAffinity":   {cluster.KindNamespace},
	"VolumeRestrictions": {cluster.KindVolumeClaim},
	"VolumeZone":         {cluster.KindVolumeClaim, cluster.KindVolume, cluster.KindStorageClass},
	"VolumeBinding": {
		cluster.KindVolumeClaim, cluster.KindVolume, cluster.KindStorageClass, cluster.KindCSINode,
		cluster.KindCSIDriver, cluster.KindCSIStorageCapacity,
	},
	"NodeVolumeLimits": {
		cluster.KindVolumeClaim, cluster.KindVolume, cluster.KindStorageClass, cluster.KindCSINode,
		cluster.KindCSIDriver, cluster.KindVolumeAttachment,
	},
	"DynamicResources": {
		cluster.KindResourceClaim, cluster.KindResourceSlice, cluster.KindDeviceClass, cluster.KindDeviceTaintRule,
	},
}

// guesses are what the verdicts of a matrix rest on that is only assumed; nil without detail Full, and when nothing is.
func (c *cycle) guesses(m *trace.Matrix) *trace.Guesses {
	if c.scheduler.detail < trace.Full || !c.snapshot.Doubted() {
		return nil
	}
	var nodes []trace.GuessedNode
	for i, n := range c.snapshot.Nodes {
		g := trace.GuessedNode{Node: int32(i), Why: cluster.GuessOf(n.API)}
		for _, p := range n.Pods {
			why := cluster.GuessOf(p.API)
			if why == "" {
				continue
			}
			if g.Pods++; g.First.Key == "" || p.Key < g.First.Key {
				g.First = trace.Guessed{Kind: string(cluster.KindPod), Key: p.Key, Why: why}
			}
		}
		if g.Why != "" || g.Pods > 0 {
			nodes = append(nodes, g)
		}
	}
	reads := make([]trace.GuessedRead, len(m.Plugins))
	counted := map[cluster.Kind][]trace.Guessed{}
	for i, name := range m.Plugins {
		reads[i] = trace.GuessedRead{
			OnNode:     !slices.Contains(withoutPods, name),
			Everywhere: slices.Contains(readEverywhere, name),
		}
		if m.Skipped[i] {
			continue
		}
		for _, kind := range alsoRead[name] {
			all, done := counted[kind]
			if !done {
				all = c.guessedOf(kind)
				counted[kind] = all
			}
			if reads[i].Objects += len(all); len(all) > 0 {
				reads[i].Some = append(reads[i].Some, all[0])
			}
		}
	}
	own := trace.Guessed{Kind: string(cluster.KindPod), Key: c.pod.Key, Why: cluster.GuessOf(c.pod.API)}
	return trace.NewGuesses(own, nodes, reads)
}

// guessedOf are the objects of a kind of which something is assumed; of claims for volumes, those of the pod.
func (c *cycle) guessedOf(kind cluster.Kind) []trace.Guessed {
	var all []trace.Guessed
	c.snapshot.EachOf(kind, func(o cluster.Object) {
		why, key := cluster.GuessOf(o), cluster.Key(o)
		if why == "" || kind == cluster.KindVolumeClaim && !c.claims(key) {
			return
		}
		all = append(all, trace.Guessed{Kind: string(kind), Key: key, Why: why})
	})
	return all
}

// claims reports whether the pod names a claim for a volume.
func (c *cycle) claims(key string) bool {
	return slices.ContainsFunc(c.pod.Claims, func(u cluster.ClaimUse) bool {
		return c.pod.Namespace()+"/"+u.Name == key
	})
}
