package cluster

// journal lists the nodes that changed, one entry for each change, by Node.serial. Forks share what was written before
// they were made: entries are only added behind the end, where a fork has no room.
type journal struct {
	serials []int32
	dropped int64 // entries that are forgotten
}

// longest is how many entries are kept at least, once there are as many.
const longest = 1 << 14

func (j *journal) add(serial int32) {
	if len(j.serials) >= 2*longest {
		gone := len(j.serials) - longest
		kept := make([]int32, longest, 2*longest)
		copy(kept, j.serials[gone:])
		j.serials, j.dropped = kept, j.dropped+int64(gone)
	}
	j.serials = append(j.serials, serial)
}

// fork is an independent journal with the same entries.
func (j *journal) fork() journal {
	return journal{serials: j.serials[:len(j.serials):len(j.serials)], dropped: j.dropped}
}

// end is the number of entries there have been.
func (j *journal) end() int64 { return j.dropped + int64(len(j.serials)) }

// Moment is a moment in the history of the nodes, for ChangedSince. It means something to the State of the Snapshot
// alone, and to forks of that State which are made later.
func (v *Snapshot) Moment() int64 { return v.state.journal.end() }

// ChangedSince calls f with the index of each node that has changed since a moment, its pods included: at least once,
// in the order of the changes. Nodes that are not in the snapshot are left out. It returns false, and f is not called,
// when the moment is too long ago.
func (v *Snapshot) ChangedSince(moment int64, f func(node int)) bool {
	j := &v.state.journal
	if moment < j.dropped {
		return false
	}
	for _, serial := range j.serials[moment-j.dropped:] {
		if int(serial) >= len(v.state.positions) {
			continue
		}
		if at := v.state.positions[serial]; at >= 0 {
			f(int(at))
		}
	}
	return true
}
