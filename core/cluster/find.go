package cluster

// Find returns the object of a kind with that key. Pods and nodes are as the API server last showed them.
func (s *State) Find(kind Kind, key string) (Object, bool) {
	switch kind {
	case KindPod:
		if p, there := s.Pod(key); there {
			return p.API, true
		}
		return nil, false
	case KindNode:
		if n, there := s.Snapshot().Node(key); there && n.Index() >= 0 {
			return n.API, true
		}
		return nil, false
	}
	if of := s.Objects().of(kind); of != nil {
		return of.byKey.Get(key)
	}
	return nil, false
}

// Count counts the objects of a kind that the API server has, without pods that have finished.
func (s *State) Count(kind Kind) int {
	switch kind {
	case KindPod:
		return s.PodCount()
	case KindNode:
		return s.zones.count
	}
	if of := s.Objects().of(kind); of != nil {
		return of.byKey.Len()
	}
	return 0
}

// of returns the objects of a kind; nil for pods and nodes, which are kept elsewhere, and for a kind that is not kept.
func (s *Objects) of(kind Kind) *stock {
	if at, kept := stockOf[kind]; kept {
		return at(s)
	}
	return nil
}

// stockOf finds the objects of a kind.
var stockOf = map[Kind]func(*Objects) *stock{
	KindNamespace:             func(s *Objects) *stock { return &s.Namespaces.stock },
	KindService:               func(s *Objects) *stock { return &s.Services.stock },
	KindReplicationController: func(s *Objects) *stock { return &s.ReplicationControllers.stock },
	KindReplicaSet:            func(s *Objects) *stock { return &s.ReplicaSets.stock },
	KindStatefulSet:           func(s *Objects) *stock { return &s.StatefulSets.stock },
	KindPriorityClass:         func(s *Objects) *stock { return &s.PriorityClasses.stock },
	KindDisruptionBudget:      func(s *Objects) *stock { return &s.DisruptionBudgets.stock },
	KindVolume:                func(s *Objects) *stock { return &s.Volumes.stock },
	KindVolumeClaim:           func(s *Objects) *stock { return &s.VolumeClaims.stock },
	KindStorageClass:          func(s *Objects) *stock { return &s.StorageClasses.stock },
	KindCSINode:               func(s *Objects) *stock { return &s.CSINodes.stock },
	KindCSIDriver:             func(s *Objects) *stock { return &s.CSIDrivers.stock },
	KindCSIStorageCapacity:    func(s *Objects) *stock { return &s.CSIStorageCapacities.stock },
	KindVolumeAttachment:      func(s *Objects) *stock { return &s.volumeAttachments.stock },
	KindResourceClaim:         func(s *Objects) *stock { return &s.ResourceClaims.stock },
	KindResourceSlice:         func(s *Objects) *stock { return &s.resourceSlices.stock },
	KindDeviceClass:           func(s *Objects) *stock { return &s.DeviceClasses.stock },
	KindDeviceTaintRule:       func(s *Objects) *stock { return &s.deviceTaintRules.stock },
	KindPodGroup:              func(s *Objects) *stock { return &s.podGroups.stock },
}

// EachObject calls f with every object as the API server last showed it, until f returns false: first custom resources,
// then the kinds in the order of kindTable. Nodes come in the order of their arrival, all others in the order of their
// keys.
func (s *State) EachObject(f func(Kind, Object) bool) {
	goesOn := true
	s.Objects().custom.Scan(func(_ string, o Object) bool {
		kind, _ := KindOf(o)
		goesOn = f(kind, o)
		return goesOn
	})
	if !goesOn {
		return
	}
	for _, row := range kindTable {
		more := true
		see := func(o Object) bool {
			more = f(row.Kind, o)
			return more
		}
		switch of := s.Objects().of(row.Kind); {
		case row.Kind == KindPod:
			s.EachPod(func(p *Pod) bool { return see(p.API) })
		case row.Kind == KindNode:
			for _, n := range s.nodesAsTheyCame() {
				if !see(n.API) {
					return
				}
			}
		case of != nil:
			of.byKey.Scan(func(_ string, o Object) bool { return see(o) })
		}
		if !more {
			return
		}
	}
}
