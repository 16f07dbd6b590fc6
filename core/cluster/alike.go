package cluster

import "encoding/binary"

// AppendLikeness appends to key what makes pods of one State alike for every plugin that reads no more of a pod than
// its namespace, labels, owners, spec and requests: it is equal for two pods exactly if these are. A list that is empty
// and one that is absent are equal, except for a node selector and terms of node affinity, where plugins distinguish
// them. It is no text.
func (p *Pod) AppendLikeness(key []byte) []byte {
	key = binary.AppendVarint(key, int64(p.Labels.ID)) // of namespace and labels
	key = binary.AppendVarint(key, int64(len(p.API.OwnerReferences)))
	for i := range p.API.OwnerReferences {
		key = appendWire(key, &p.API.OwnerReferences[i])
	}
	for _, amount := range [...]int64{
		p.Requests.MilliCPU, p.Requests.Memory, p.Requests.EphemeralStorage, p.NonZeroCPU, p.NonZeroMem,
		int64(len(p.Requests.Scalars)),
	} {
		key = binary.AppendVarint(key, amount)
	}
	for _, s := range p.Requests.Scalars {
		key = binary.AppendVarint(append(append(key, s.Name...), 0), s.Value)
	}
	key = append(key, p.emptyLists())
	return appendWire(key, &p.API.Spec)
}

// emptyLists has a bit for each list that is there and empty, which the wire format does not show.
func (p *Pod) emptyLists() (bits byte) {
	if s := p.API.Spec.NodeSelector; s != nil && len(s) == 0 {
		bits |= 1
	}
	a := p.API.Spec.Affinity
	if a == nil || a.NodeAffinity == nil {
		return bits
	}
	if t := a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution; t != nil && len(t) == 0 {
		bits |= 2
	}
	if r := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil && r.NodeSelectorTerms != nil &&
		len(r.NodeSelectorTerms) == 0 {
		bits |= 4
	}
	return bits
}

// sized is a part of an API object that writes its wire format into room of the right size.
type sized interface {
	Size() int
	MarshalToSizedBuffer(room []byte) (int, error)
}

// appendWire appends the length of an object in its wire format, and the object.
func appendWire(key []byte, o sized) []byte {
	size := o.Size()
	key = binary.AppendVarint(key, int64(size))
	at := len(key)
	key = append(key, make([]byte, size)...)
	if _, err := o.MarshalToSizedBuffer(key[at:]); err != nil {
		panic("an object of a pod has no wire format: " + err.Error())
	}
	return key
}
