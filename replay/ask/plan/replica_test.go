package plan_test

import (
	"fmt"
	"testing"
)

// disk is a volume of a zone; claimed by the first pod of the set, or free.
func disk(name, zone, claim string) string {
	of := ""
	if claim != "" {
		of = fmt.Sprintf("\n  claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: %s, uid: uid-%[1]s}", claim)
	}
	return fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  local: {path: /data}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [%s]}]}]}%s
---
`, name, zone, of)
}

// aSet are a pod of a StatefulSet with a volume in zone a, and its claim.
const aSet = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: %s
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, namespace: shop, uid: uid-data-db-0, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  volumeName: disk-0
  resources: {requests: {storage: 1Gi}}
status: {phase: Bound}
---
apiVersion: v1
kind: Pod
metadata:
  name: db-0
  namespace: shop
  uid: uid-db-0
  labels: {app: db}
  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: uid-db, controller: true}]
spec:
  nodeName: n1
  containers: [{name: main, image: db, resources: {requests: {cpu: 100m}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]
status: {phase: Running}
---
`

// TestReplicasOfAStatefulSetHaveVolumesOfTheirOwn counts replicas where three volumes are free: one in each of two
// zones of nodes, and one in a zone without nodes. The volume of the first pod is not that of the others.
func TestReplicasOfAStatefulSetHaveVolumesOfTheirOwn(t *testing.T) {
	for _, mode := range []string{"WaitForFirstConsumer", "Immediate"} {
		t.Run(mode, func(t *testing.T) {
			manifest := three("4") + fmt.Sprintf(aSet, mode) + disk("disk-0", "a", "data-db-0") + disk("disk-1", "a", "") +
				disk("disk-2", "b", "") + disk("disk-3", "z", "")
			c, err := fleet(t, t, manifest).Capacity(t.Context(), "statefulset/db", 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			on := fmt.Sprint(c.On)
			if c.Placed != 2 || c.Least != 2 || c.Greatest != 2 || on != "[{n1 1} {n2 1}]" {
				t.Errorf("%d replicas fit (%d to %d) on %s: %s", c.Placed, c.Least, c.Greatest, on, c.Message)
			}
			if len(c.Lifts) == 0 || c.Lifts[0].What != "volumes" {
				t.Errorf("what is in the way: %+v", c.Lifts)
			}
		})
	}
}
