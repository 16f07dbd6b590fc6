package cmd_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// owned is a Deployment of a cluster with its ReplicaSet and pods; the first of them are on a node.
func owned(name string, replicas, placed int, node, spec string) string {
	var b strings.Builder
	labels := fmt.Sprintf("{app: %s, pod-template-hash: 5d}", name)
	fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: shop, uid: d-%[1]s, generation: 1}
spec: {replicas: %[2]d, selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s}}, spec: {%[3]s}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: %[1]s-5d
  namespace: shop
  uid: r-%[1]s
  labels: %[4]s
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: %[1]s, uid: d-%[1]s, controller: true}]
spec: {replicas: %[2]d, selector: {matchLabels: %[4]s}, template: {metadata: {labels: %[4]s}, spec: {%[3]s}}}
`, name, replicas, spec, labels)
	for i := range replicas {
		on, status := "", "{phase: Pending}"
		if i < placed {
			on, status = "nodeName: "+node+", ", `{phase: Running, conditions: [{type: Ready, status: "True"}]}`
		}
		fmt.Fprintf(&b, `---
apiVersion: v1
kind: Pod
metadata:
  name: %[1]s-5d-%[2]d
  namespace: shop
  uid: p-%[1]s-%[2]d
  labels: %[3]s
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: %[1]s-5d, uid: r-%[1]s, controller: true}]
spec: {%[4]s%[5]s}
status: %[6]s
`, name, i, labels, on, spec, status)
	}
	return b.String()
}

// The ReplicaSet of a pod that has to go makes another one. The page names it as the successor of the first, also when
// it waits. A toleration is offered once, though the pods of each rollout have names of their own.
func TestWhatBecomesOfPodsThatHaveToGoForAWorkload(t *testing.T) {
	file := inFile(t, `apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1, topology.kubernetes.io/zone: a}}
status: {allocatable: {cpu: 2, memory: 8Gi, pods: 20}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2, topology.kubernetes.io/zone: b}}
spec: {taints: [{key: dedicated, value: db, effect: NoSchedule}]}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 20}, conditions: [{type: Ready, status: "True"}]}
`+owned("front", 1, 1, "n1", "priority: -10, containers: [{name: c, image: x, resources: {requests: {cpu: 900m}}}]")+
		owned("web", 5, 1, "n1", `priority: 0, containers: [{name: c, image: x, resources: {requests: {cpu: 800m}}}], `+
			`topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, `+
			`whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]`))
	p := program(t, "explain", "deploy/web", file, "-q", "-o", "json")
	var page struct {
		Changes []struct {
			Changes   []struct{ Kind string }
			Elsewhere []struct {
				Pod, Before, After string
				Gone, MadeAgain    bool
			}
		}
	}
	if err := json.Unmarshal([]byte(p.out), &page); err != nil {
		t.Fatalf("%v: %s", err, p.err)
	}
	tolerate := 0
	for _, set := range page.Changes {
		if len(set.Changes) != 1 || set.Changes[0].Kind != "Tolerate" {
			continue
		}
		tolerate++
		e := set.Elsewhere
		if len(e) != 1 || e[0].Pod != "shop/front-5d-0" || e[0].Before != "n1" || e[0].After != "" || e[0].Gone ||
			!e[0].MadeAgain {
			t.Errorf("others: %+v", e)
		}
	}
	if tolerate != 1 {
		t.Errorf("a toleration is offered %d times: %+v", tolerate, page.Changes)
	}
	p = program(t, "explain", "deploy/web", file, "-q")
	const says = "shop/front-5d-0 is deleted from n1; another pod is made for it, and has no node then"
	if !strings.Contains(p.out, says) {
		t.Errorf("%s", p.out)
	}
}
