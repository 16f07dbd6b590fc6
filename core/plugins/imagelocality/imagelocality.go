// Package imagelocality is kube-scheduler's ImageLocality plugin (1.37): nodes that have the pod's images already are
// better, the more so the larger the images are and the more nodes have them. The score does not measure what a pull
// costs.
package imagelocality

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

// Name is kube-scheduler's name of the plugin.
const Name = "ImageLocality"

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// VolumesRaiseNoThreshold adds the images of image volumes to what a node has, but not to the threshold for the
	// highest score (1.36, image_locality.go, calculatePriority).
	VolumesRaiseNoThreshold bool
	// VolumesUncounted ignores the images of image volumes (1.35 and earlier, image_locality.go, sumImageScores).
	VolumesUncounted bool
	// InitContainersUncounted ignores the images of init containers (1.29 and earlier, image_locality.go,
	// sumImageScores).
	InitContainersUncounted bool
	// OneThresholdForAll uses the same number of bytes as the threshold for the highest score, whatever number of
	// containers a pod has (1.17 and earlier, image_locality.go, calculatePriority).
	OneThresholdForAll bool
}

// Plugin prefers nodes with the pod's images.
type Plugin struct{ ways Ways }

var _ framework.ScorePlugin = (*Plugin)(nil)

// New makes the plugin; it has no arguments.
func New(ways Ways) *Plugin { return &Plugin{ways: ways} }

// Name is ImageLocality.
func (p *Plugin) Name() string { return Name }

// PreScore looks the pod's images up once: what an image is worth is the same on every node that has it. Images that
// no node has are counted and searched no further. It never skips.
func (p *Plugin) PreScore(pod *cluster.Pod, snapshot *cluster.Snapshot, _ []*cluster.Node) framework.Scoring {
	s := &scorer{nodes: len(snapshot.Nodes)}
	s.count = len(pod.API.Spec.InitContainers) + len(pod.API.Spec.Containers)
	if !p.ways.VolumesRaiseNoThreshold {
		s.count = references(&pod.API.Spec)
	}
	spec := &pod.API.Spec
	if p.ways.VolumesUncounted && len(spec.Volumes) > 0 {
		spec = &corev1.PodSpec{InitContainers: spec.InitContainers, Containers: spec.Containers}
	}
	if p.ways.InitContainersUncounted {
		s.count = len(pod.API.Spec.Containers)
		spec = &corev1.PodSpec{Containers: spec.Containers}
	}
	if p.ways.OneThresholdForAll {
		s.count = 1
	}
	eachReference(spec, func(reference string) {
		name := normalized(reference)
		image, known := snapshot.Image(name)
		if !known {
			return
		}
		s.images = append(s.images, worth{name: name, image: image, bytes: spread(image, s.nodes)})
	})
	return framework.Scoring{Scorer: s}
}

// eachReference calls f with the images of init containers, containers and image volumes, in this order.
func eachReference(spec *corev1.PodSpec, f func(reference string)) {
	for i := range spec.InitContainers {
		f(spec.InitContainers[i].Image)
	}
	for i := range spec.Containers {
		f(spec.Containers[i].Image)
	}
	for i := range spec.Volumes {
		if image := spec.Volumes[i].Image; image != nil {
			f(image.Reference)
		}
	}
}

// references is how many images a pod names.
func references(spec *corev1.PodSpec) int {
	n := 0
	eachReference(spec, func(string) { n++ })
	return n
}

// normalized is the reference with a tag: ":latest" unless a colon follows the last slash.
func normalized(reference string) string {
	if strings.LastIndex(reference, ":") <= strings.LastIndex(reference, "/") {
		return reference + ":latest"
	}
	return reference
}
