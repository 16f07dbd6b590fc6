package cluster

// Find is the object of a kind with that key; of pods and nodes as the API server last showed them.
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

// Count is how many objects of a kind there are, for the API server; of pods those that have not finished.
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

// of is where the objects of a kind are, but for pods and nodes; nil for a kind that is not kept.
func (s *Objects) of(kind Kind) *stock {
	return map[Kind]*stock{
		KindNamespace:             &s.Namespaces.stock,
		KindService:               &s.Services.stock,
		KindReplicationController: &s.ReplicationControllers.stock,
		KindReplicaSet:            &s.ReplicaSets.stock,
		KindStatefulSet:           &s.StatefulSets.stock,
		KindPriorityClass:         &s.priorityClasses.stock,
		KindDisruptionBudget:      &s.DisruptionBudgets.stock,
		KindVolume:                &s.Volumes.stock,
		KindVolumeClaim:           &s.VolumeClaims.stock,
		KindStorageClass:          &s.StorageClasses.stock,
		KindCSINode:               &s.CSINodes.stock,
		KindCSIDriver:             &s.CSIDrivers.stock,
		KindCSIStorageCapacity:    &s.CSIStorageCapacities.stock,
		KindVolumeAttachment:      &s.volumeAttachments.stock,
		KindResourceClaim:         &s.ResourceClaims.stock,
		KindResourceSlice:         &s.resourceSlices.stock,
		KindDeviceClass:           &s.DeviceClasses.stock,
		KindDeviceTaintRule:       &s.deviceTaintRules.stock,
		KindPodGroup:              &s.podGroups.stock,
	}[kind]
}
