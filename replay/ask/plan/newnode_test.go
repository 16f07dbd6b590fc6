package plan_test

import (
	"testing"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// aDevice are a device of a node, and a pod of a ReplicaSet that has it by a claim of a template.
const aDevice = `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpus, uid: uid-slice}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: web-0-gpu
  namespace: shop
  uid: uid-claim
  ownerReferences: [{apiVersion: v1, kind: Pod, name: web-0, uid: uid-web-0, controller: true}]
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}
status:
  allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: n1, device: d0}]}}
  reservedFor: [{resource: pods, name: web-0, uid: uid-web-0}]
---
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: shop
  uid: uid-web-0
  labels: {app: web}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: uid-web, controller: true}]
spec:
  nodeName: n1
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
  containers: [{name: main, image: web, resources: {requests: {cpu: "1"}, claims: [{name: gpu}]}}]
status:
  phase: Running
  resourceClaimStatuses: [{name: gpu, resourceClaimName: web-0-gpu}]
---
`

// TestANewNodeHasTheDevicesOfTheOldOne replaces the only node with a device: the pod that has it finds one on the new
// node. Without the node in the plan nothing has one.
func TestANewNodeHasTheDevicesOfTheOldOne(t *testing.T) {
	manifest := three("4") + aDevice
	u := upgraded(t, t, manifest, plan.UpgradeOf{Nodes: []string{"n1"}, Surge: 1})
	if u.Verdict != plan.Done || wavesOf(u) != "[n1][n1-new]1 " || len(u.Pending) > 0 {
		t.Errorf("%s %s, pending %+v", u.Verdict, wavesOf(u), u.Pending)
	}
	for _, s := range u.Steps {
		for _, m := range s.Moves {
			if m.To != "n1-new" {
				t.Errorf("%s comes to %s", m.Pod, m.To)
			}
		}
	}
	if d := drained(t, manifest, plan.Drain{Nodes: []string{"n1"}}); d.Verdict != plan.Pending {
		t.Errorf("a drain: %s", d.Verdict)
	}
}
