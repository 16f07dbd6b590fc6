package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Image is one image name as the nodes know it. Size is what the first node that named it reported, for as long as any
// node has it (kube-scheduler's image states, 1.37).
type Image struct {
	Size  int64 // bytes
	Nodes int   // how many nodes have it
}

// images counts, for every image name, the nodes that have it.
type images struct{ byName table[Image] }

func (m *images) add(node *corev1.Node) {
	eachImage(node, func(name string, size int64) {
		image, ok := m.byName.Get(name)
		if !ok {
			image.Size = size
		}
		image.Nodes++
		m.byName.Set(name, image)
	})
}

func (m *images) remove(node *corev1.Node) {
	eachImage(node, func(name string, _ int64) {
		image, ok := m.byName.Get(name)
		switch {
		case !ok:
		case image.Nodes == 1:
			m.byName.Delete(name)
		default:
			image.Nodes--
			m.byName.Set(name, image)
		}
	})
}

// of is what is known of images now, in the order of their names.
func (m *images) of(names []string) []Image {
	list := make([]Image, len(names))
	for i, name := range names {
		list[i], _ = m.byName.Get(name)
	}
	return list
}

// eachImage calls f once for each name, in the order the node lists them.
func eachImage(node *corev1.Node, f func(name string, size int64)) {
	if node == nil || len(node.Status.Images) == 0 {
		return
	}
	seen := make(map[string]bool, 2*len(node.Status.Images))
	for i := range node.Status.Images {
		image := &node.Status.Images[i]
		for _, name := range image.Names {
			if !seen[name] {
				seen[name] = true
				f(name, image.SizeBytes)
			}
		}
	}
}

// imageNames lists the names of the node's images, sorted, each once.
func imageNames(node *corev1.Node) []string {
	if len(node.Status.Images) == 0 {
		return nil
	}
	names := make([]string, 0, 2*len(node.Status.Images))
	for i := range node.Status.Images {
		names = append(names, node.Status.Images[i].Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
