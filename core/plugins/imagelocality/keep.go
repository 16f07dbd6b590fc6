package imagelocality

import (
	"encoding/binary"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
)

var (
	_ framework.Keeper = (*Plugin)(nil)
	_ framework.Footed = (*scorer)(nil)
)

// Keeps returns the scores.
func (*Plugin) Keeps(*cluster.Pod) framework.Keep { return framework.KeepScores }

// Footing is how many nodes there are, and what is known of the pod's images: an image is worth more the more nodes
// have it.
func (s *scorer) Footing() (string, bool) {
	if len(s.images) == 0 {
		return "", true
	}
	footing := binary.AppendVarint(nil, int64(s.nodes))
	for i := range s.images {
		footing = append(footing, s.images[i].name...)
		footing = binary.AppendVarint(append(footing, 0), s.images[i].image.Size)
		footing = binary.AppendVarint(footing, int64(s.images[i].image.Nodes))
	}
	return string(footing), true
}
