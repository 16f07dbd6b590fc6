package room

import "github.com/schedstep/schedstep/core/cluster"

// fillParts is how many parts of a fill have nodes with pods.
const fillParts = 10

// Fill is how full nodes are of one resource.
type Fill struct {
	Name  string `json:"name"`
	Empty int    `json:"empty"` // nodes without pods
	// Nodes with pods, by the share that is requested: from 0 on below 10 percent, and so on; the last has 100 too.
	Nodes [fillParts]int `json:"nodes"`
}

// FillsOf is how full nodes are of cpu and memory. A node that has none of a resource counts as empty or not at all.
func FillsOf(nodes []*cluster.Node) []Fill {
	fills := []Fill{{Name: "cpu"}, {Name: "memory"}}
	for _, n := range nodes {
		for i := range fills {
			a := Of(n, fills[i].Name)
			switch {
			case len(n.Pods) == 0:
				fills[i].Empty++
			case a.All > 0:
				fills[i].Nodes[min(int(percent(a.Used, a.All)*fillParts/100), fillParts-1)]++
			}
		}
	}
	return fills
}
