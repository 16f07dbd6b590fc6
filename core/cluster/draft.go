package cluster

// Draft is a copy of a node for trying out which pods could be on it. The zero value is ready for Copy. A Draft that is
// copied into again keeps its memory, so that trying out one node after the other allocates next to nothing.
type Draft struct{ node Node }

// Copy makes the draft a copy of a node, whatever it was before.
func (d *Draft) Copy(n *Node) {
	c := *n
	c.owner = nil
	c.Pods = append(d.node.Pods[:0], n.Pods...)
	c.WithAffinity = append(d.node.WithAffinity[:0], n.WithAffinity...)
	c.WithRequiredAntiAffinity = append(d.node.WithRequiredAntiAffinity[:0], n.WithRequiredAntiAffinity...)
	c.WithPorts = append(d.node.WithPorts[:0], n.WithPorts...)
	c.WithVolumes = append(d.node.WithVolumes[:0], n.WithVolumes...)
	c.Sets = append(d.node.Sets[:0], n.Sets...)
	c.Ports = append(d.node.Ports[:0], n.Ports...)
	c.Requested.Scalars = append(d.node.Requested.Scalars[:0], n.Requested.Scalars...)
	d.node = c
}

// Node is the node as it is in the draft; it changes with the draft.
func (d *Draft) Node() *Node { return &d.node }

// Add puts a pod on the node.
func (d *Draft) Add(p *Pod) { d.node.add(p) }

// Remove takes a pod off the node.
func (d *Draft) Remove(p *Pod) { d.node.remove(p) }
