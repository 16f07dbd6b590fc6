package cluster

import "slices"

// zones keeps node names by zone, zones in order of first appearance and nodes in order of arrival, and lists them
// one node of each zone in turn (kube-scheduler's nodeTree, 1.37):
//
//	a: a1 a2 a3
//	b: b1            ->  a1 b1 c1 a2 c2 a3
//	c: c1 c2
//
// A zone that loses its last node loses its place.
type zones struct {
	keys   []string
	names  [][]string
	count  int
	shared bool // with a copy: neither writes to the lists
}

// copy is an independent copy, which is free until one of the two changes.
func (z *zones) copy() zones {
	z.shared = true
	return *z
}

// own makes the lists those of z alone.
func (z *zones) own() {
	if !z.shared {
		return
	}
	z.shared = false
	z.keys, z.names = slices.Clone(z.keys), slices.Clone(z.names)
	for i := range z.names {
		z.names[i] = slices.Clone(z.names[i])
	}
}

func (z *zones) add(zone, name string) {
	z.own()
	z.count++
	i := slices.Index(z.keys, zone)
	if i < 0 {
		z.keys = append(z.keys, zone)
		z.names = append(z.names, []string{name})
		return
	}
	z.names[i] = append(z.names[i], name)
}

func (z *zones) remove(zone, name string) {
	i := slices.Index(z.keys, zone)
	if i < 0 {
		return
	}
	k := slices.Index(z.names[i], name)
	if k < 0 {
		return
	}
	z.own()
	z.count--
	if len(z.names[i]) == 1 {
		z.keys = slices.Delete(z.keys, i, i+1)
		z.names = slices.Delete(z.names, i, i+1)
		return
	}
	z.names[i] = slices.Delete(z.names[i], k, k+1)
}

func (z *zones) list() []string {
	out := make([]string, 0, z.count)
	for turn := 0; len(out) < z.count; turn++ {
		for _, names := range z.names {
			if turn < len(names) {
				out = append(out, names[turn])
			}
		}
	}
	return out
}
