package imagelocality

import (
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// The bounds between which the bytes a node has decide, unchanged since 1.13: below the first a pull is cheap, beyond
// the second, for each image, more does not count.
const (
	mebibyte   int64 = 1024 * 1024
	fewest           = 23 * mebibyte
	mostOfEach       = 1000 * mebibyte
)

// scorer adds up what the images that a node has are worth.
type scorer struct {
	images []worth // those that some node has; one that the pod names twice is here twice
	count  int     // how many images of the pod make up the most there could be
	nodes  int     // of the snapshot
}

// worth is one of the pod's images with what it counts for on a node that has it.
type worth struct {
	name  string
	image cluster.Image
	bytes int64 // its size times the share of nodes that have it
}

var _ framework.Reasoner = (*scorer)(nil)

// Score is 0 for fewest bytes and below, 100 for mostOfEach for every image and beyond, linear in between.
func (s *scorer) Score(nodes []*cluster.Node, raw []int64) trace.Verdict {
	if len(s.images) == 0 {
		clear(raw)
		return trace.Verdict{}
	}
	for k, node := range nodes {
		raw[k] = s.score(s.bytesOn(node))
	}
	return trace.Verdict{}
}

func (s *scorer) score(bytes int64) int64 {
	most := mostOfEach * int64(s.count)
	bytes = min(max(bytes, fewest), most)
	return framework.MaxNodeScore * (bytes - fewest) / (most - fewest)
}

func (s *scorer) bytesOn(node *cluster.Node) int64 {
	bytes := int64(0)
	for i := range s.images {
		if w := s.on(node, &s.images[i]); w != nil {
			bytes += w.bytes
		}
	}
	return bytes
}

// on is what an image counts for on a node; nil where it is not there. A node may have knowledge of its own.
func (s *scorer) on(node *cluster.Node, w *worth) *worth {
	if !node.HasImage(w.name) {
		return nil
	}
	if image, own := node.ImageSeen(w.name); own {
		return &worth{name: w.name, image: image, bytes: spread(image, s.nodes)}
	}
	return w
}

// spread is the size of an image times the share of nodes that have it.
func spread(image cluster.Image, nodes int) int64 {
	return int64(float64(image.Size) * (float64(image.Nodes) / float64(nodes)))
}

// Normalize leaves the scores alone.
func (s *scorer) Normalize(_ []*cluster.Node, _ []int64) trace.Verdict { return trace.Verdict{} }

// Why lists the pod's images on the node with what each counts for, and the sum against the bounds.
func (s *scorer) Why(node *cluster.Node) []trace.Evidence {
	var why []trace.Evidence
	for i := range s.images {
		w := s.on(node, &s.images[i])
		if w == nil {
			continue
		}
		why = append(why, trace.Evidence{
			What:     phrase.Textf("image %s on %d of %d nodes", w.name, w.image.Nodes, s.nodes),
			Have:     trace.Bytes(w.bytes),
			Capacity: trace.Bytes(w.image.Size),
		})
	}
	return append(why, trace.Evidence{
		What:     phrase.Textf("image bytes that count, from %s on", trace.Bytes(fewest).String()),
		Have:     trace.Bytes(s.bytesOn(node)),
		Capacity: trace.Bytes(mostOfEach * int64(s.count)),
	})
}
