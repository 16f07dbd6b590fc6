package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	nodeOf4 = `---
apiVersion: v1
kind: Node
metadata: {name: NAME, labels: {kubernetes.io/hostname: NAME, topology.kubernetes.io/zone: ZONE}}
spec: SPEC
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [CONDITION]}
`
	ready = `{type: Ready, status: "True"}`
)

// node4 is a node of 4 cpu.
func node4(name, zone, spec, condition string) string {
	return strings.NewReplacer("NAME", name, "ZONE", zone, "SPEC", spec, "CONDITION", condition).Replace(nodeOf4)
}

// waits is a pod that waits, with a spec.
func waits(name, spec string) string {
	return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {app: web}}\nspec: " + spec + "\n"
}

// storage is a claim of a class, and a class of a driver that publishes capacities.
const storage = `---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disks.example
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: disks.example}
spec: {storageCapacity: true}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
`

const bySpread = `{topologySpreadConstraints: [{maxSkew: 1, topologyKey: KEY, whenUnsatisfiable: DoNotSchedule, ` +
	`labelSelector: {matchLabels: {app: web}}}], containers: [{name: c, image: x}]}`

// bound is a pod on a node that a spread constraint counts.
func bound(name, node string) string {
	return waits(name, "{nodeName: "+node+", containers: [{name: c, image: x}]}")
}

// caused is a cluster, and the cause of its pod web; without a kind there is none.
type caused struct{ input, kind, english, chinese string }

// ofCPU is a pod's spec that requests so much.
func ofCPU(amount string) string {
	return "{containers: [{name: c, image: x, resources: {requests: {cpu: " + amount + "}}}]}"
}

func TestCausesAboutNodesAreNamed(t *testing.T) {
	zone := strings.ReplaceAll(bySpread, "KEY", "topology.kubernetes.io/zone")
	notReady := `{type: Ready, status: "False", reason: KubeletNotReady, message: "cni plugin not initialized"}`
	tainted := `{taints: [{key: gpu, value: "true", effect: NoSchedule}]}`
	lost := `{taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]}`
	for name, c := range map[string]caused{
		"a domain whose only node is tainted": {
			node4("n1", "a", "{}", ready) + node4("n5", "c", tainted, ready) + bound("one", "n1") + waits("web", zone),
			"SpreadTrap",
			"zone c counts as a domain; its only node n5 has the taint gpu=true:NoSchedule, which web does not tolerate",
			"zone c 算作一个域；它唯一的节点 n5 有 web 不容忍的污点 gpu=true:NoSchedule",
		},
		"a domain whose only node is cordoned": {
			node4("n1", "a", "{}", ready) + node4("n5", "c", "{unschedulable: true}", ready) + bound("one", "n1") +
				waits("web", zone),
			"SpreadTrap", "zone c counts as a domain; its only node n5 is cordoned", "zone c 算作一个域；它唯一的节点 n5 已被封锁",
		},
		"a domain of two tainted nodes": {
			node4("n1", "a", "{}", ready) + node4("n5", "c", tainted, ready) + node4("n6", "c", tainted, ready) +
				bound("one", "n1") + waits("web", zone),
			"SpreadTrap", "zone c counts as a domain; web may use none of its 2 nodes",
			"zone c 算作一个域；web 不能用其中 2 个节点的任何一个",
		},
		"a domain with room is no trap": {
			node4("n1", "a", "{}", ready) + node4("n5", "c", tainted, ready) + node4("n6", "c", "{}", ready) +
				bound("one", "n1") + waits("web", zone), "", "", "",
		},
		"a domain that is full is no trap": {
			node4("n1", "a", "{}", ready) + node4("n5", "c", "{}", ready) + bound("one", "n1") +
				waits("fills", "{nodeName: n5, containers: [{name: c, image: x, resources: {requests: {cpu: 4}}}]}") +
				strings.Replace(waits("web", strings.Replace(zone, "image: x", "image: x, resources: {requests: {cpu: 1}}", 1)),
					"app: web", "app: web", 1), "", "", "",
		},
		"a node that is not ready": {
			node4("n2", "a", lost, notReady) + waits("web", ofCPU("1")),
			"NodeCondition", "n2 is not ready: cni plugin not initialized", "n2 没有就绪：cni plugin not initialized",
		},
		"two nodes that are not ready": {
			node4("n2", "a", lost, notReady) + node4("n3", "a", lost, notReady) + waits("web", ofCPU("1")),
			"NodeCondition", "n2, n3 are not ready: cni plugin not initialized", "n2, n3 没有就绪：cni plugin not initialized",
		},
		"a node that is not ready and too small": {
			node4("n2", "a", lost, notReady) + waits("web", ofCPU("5")),
			"TooLarge", "it requests 5 cpu, and no node has more than 4", "它请求 cpu 5，而没有节点有多于 4",
		},
		"a taint that no condition is behind": {
			node4("n2", "a", lost, ready) + waits("web", ofCPU("1")), "", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) { isNamed(t, c.input, c.kind, c.english, c.chinese) })
	}
}

func TestCausesAboutVolumesAreNamed(t *testing.T) {
	for name, c := range map[string]caused{
		"a claim without class": {
			node4("n1", "a", "{}", ready) + strings.Replace(storage, "storageClassName: fast, ", "", 1) +
				waits("web", "{volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], containers: [{name: c, image: x}]}"),
			"ClaimNoClass", "the claim data names no class, and no class is the default", "申领 data 没有指定类，也没有默认的类",
		},
		"a claim without class where one is the default by the old annotation": {
			node4("n1", "a", "{}", ready) + strings.NewReplacer(
				"storageClassName: fast, ", "", "name: fast}",
				`name: fast, annotations: {storageclass.beta.kubernetes.io/is-default-class: "true"}}`,
			).Replace(strings.Replace(storage, "name: data, ", "name: data, uid: c, ", 1)) +
				waits("web", "{volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], containers: [{name: c, image: x}]}"),
			"", "", "",
		},
		"no capacity of the class": {
			node4("n1", "a", "{}", ready) + storage +
				waits("web", "{volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], containers: [{name: c, image: x}]}"),
			"NoCapacity",
			"the driver disks.example publishes how much room it has, and there is no CSIStorageCapacity of class fast",
			"驱动 disks.example 会公布它有多少空间，而没有类 fast 的 CSIStorageCapacity",
		},
		"some capacity of the class, too small": {
			node4("n1", "a", "{}", ready) + storage + `---
apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata: {name: some, namespace: kube-system}
storageClassName: fast
nodeTopology: {}
capacity: 1Mi
` + waits("web", "{volumes: [{name: d, persistentVolumeClaim: {claimName: data}}], containers: [{name: c, image: x}]}"),
			"", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) { isNamed(t, c.input, c.kind, c.english, c.chinese) })
	}
}

func TestCausesAboutResourcesAndLabelsAreNamed(t *testing.T) {
	big := `---
apiVersion: v1
kind: Pod
metadata: {name: big, namespace: default, uid: big}
spec: {nodeName: n1, containers: [{name: c, image: x, resources: {requests: {cpu: "4"}}}]}
status:
  phase: Running
  conditions: [{type: PodResizePending, status: "True", reason: REASON}]
  containerStatuses: [{name: c, allocatedResources: {cpu: "2"}, resources: {requests: {cpu: "2"}}}]
`
	for name, c := range map[string]caused{
		"a resize that is deferred": {
			node4("n1", "a", "{}", ready) + strings.Replace(big, "REASON", "Deferred", 1) + waits("web", ofCPU("1")),
			"ResizeWaits", "default/big counts with 4 cpu on n1 and has 2: its resize is deferred",
			"default/big 在 n1 上按 cpu 4 计算，而它只有 2：它的调整大小被推迟",
		},
		"a resize that would not be enough": {
			node4("n1", "a", "{}", ready) + strings.Replace(big, "REASON", "Deferred", 1) + waits("web", ofCPU("3")), "", "", "",
		},
		"a label that no node has": {
			node4("n1", "a", "{}", ready) + waits("web", "{nodeSelector: {disk: ssd}, containers: [{name: c, image: x}]}"),
			"NoLabel", "no node has the label disk=ssd, which its node selector requires", "没有节点有它的节点选择器要求的标签 disk=ssd",
		},
		"a label without a value that no node has": {
			node4("n1", "a", "{}", ready) +
				waits("web", `{nodeSelector: {node-role.kubernetes.io/gpu: ""}, containers: [{name: c, image: x}]}`),
			"NoLabel", "no node has the label node-role.kubernetes.io/gpu=, which its node selector requires",
			"没有节点有它的节点选择器要求的标签 node-role.kubernetes.io/gpu=",
		},
		"a resource that no node has": {
			node4("n1", "a", "{}", ready) + waits("web",
				`{containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}}]}`),
			"TooLarge", "it requests 1 nvidia.com/gpu, and no node has any", "它请求 nvidia.com/gpu 1，而没有节点有这种资源",
		},
		"plainly full": {
			node4("n1", "a", "{}", ready) + waits("fills", strings.Replace(ofCPU("3"), "{", "{nodeName: n1, ", 1)) +
				waits("web", ofCPU("2")), "", "", "",
		},
	} {
		t.Run(name, func(t *testing.T) { isNamed(t, c.input, c.kind, c.english, c.chinese) })
	}
}

// isNamed checks the causes of the pod web: on the page in two languages, and in the JSON.
func isNamed(t *testing.T, input, kind, english, chinese string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.yaml")
	if err := os.WriteFile(file, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	var page struct {
		Causes []struct{ Kind, Says string }
	}
	data := program(t, "explain", "web", "-q", "-o", "json", file)
	if err := json.Unmarshal([]byte(data.out), &page); err != nil {
		t.Fatalf("%v: %s%s", err, data.out, data.err)
	}
	if kind == "" {
		if len(page.Causes) > 0 {
			t.Errorf("it is not silent: %v", page.Causes)
		}
		return
	}
	if !slices.ContainsFunc(page.Causes, func(c struct{ Kind, Says string }) bool {
		return c.Kind == kind && c.Says == english
	}) {
		t.Errorf("the JSON has %v, want %s: %s", page.Causes, kind, english)
	}
	if p := program(t, "explain", "web", "-q", file); !strings.Contains(p.out, "\nCause: "+english+".\n") {
		t.Errorf("the page lacks %q:\n%s", english, p.out)
	}
	if p := program(t, "explain", "web", "-q", "--lang", "zh", file); !strings.Contains(p.out, "\n原因："+chinese+"。\n") {
		t.Errorf("the Chinese page lacks %q:\n%s", chinese, p.out)
	}
}

func TestWhatHoldsAGateSaysWhy(t *testing.T) {
	p := program(t, "explain", "train", "-q", "testdata/cases/held-by-a-gate.yaml")
	want := "Cause: Workload default/pod-train-abc holds its gate kueue.x-k8s.io/admission: couldn't assign flavors to pod " +
		"set main: insufficient unused quota for cpu in flavor default, 2 more needed."
	if !strings.Contains(p.out, want) {
		t.Errorf("%s", p.out)
	}
}

// TestAWorkloadWithoutPodsSaysWhy has a Job that Kueue keeps suspended, in Kueue's words, and workloads that want none.
func TestAWorkloadWithoutPodsSaysWhy(t *testing.T) {
	const file = "testdata/cases/job-held-by-kueue.yaml"
	const held = "Workload default/job-train-5f3a1 holds it: couldn't assign flavors to pod set main: insufficient unused quota " +
		"for cpu in flavor default, 2 more needed"
	for _, part := range []struct {
		word string
		code int
		want string
	}{
		{"job/train", 3, "Job default/train wants no pod: it is suspended.\nCause: " + held + ".\n"},
		{"job/done", 0, "Job default/done wants no pod: it is over (Complete).\n"},
		{"cj/nightly", 0, "CronJob default/nightly wants no pod: it is suspended.\n"},
		{"deploy/web", 0, "Deployment default/web wants no pod: its replicas are 0.\n"},
		{"sts/db", 0, "StatefulSet default/db wants no pod: its replicas are 0.\n"},
	} {
		p := program(t, "explain", part.word, "-q", file)
		if p.out != part.want || p.code != part.code {
			t.Errorf("%s: exit code %d\n%s%s", part.word, p.code, p.out, p.err)
		}
	}
	p := program(t, "explain", "job/train", "-q", "-o", "json", file)
	var page struct {
		Held []struct{ Holder, Message string }
	}
	if err := json.Unmarshal([]byte(p.out), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Held) != 1 || page.Held[0].Holder+" holds it: "+page.Held[0].Message != held {
		t.Errorf("the JSON has %+v", page.Held)
	}
}

func TestAPodWithoutItsDriverIsWorthKnowing(t *testing.T) {
	p := program(t, "explain", "vols-0", "-q", "testdata/cases/csinode-without-driver.yaml")
	if !strings.Contains(p.out, "Worth knowing: the driver ebs.csi.aws.com of its volumes is not registered on fresh.\n") {
		t.Errorf("%s", p.out)
	}
}

func TestAPageNamesThePodsThatHadToLeave(t *testing.T) {
	p := program(t, "explain", "boss", "-q", "testdata/boss.txt")
	if !strings.Contains(p.out, "In cycle 1, for it had to leave n2: default/young.\n") {
		t.Errorf("%s%s", p.out, p.err)
	}
	p = program(t, "explain", "boss", "-q", "-o", "json", "testdata/boss.txt")
	var page struct {
		Victims []struct {
			Pod, Node string
			Cycle     int
		}
	}
	if err := json.Unmarshal([]byte(p.out), &page); err != nil || len(page.Victims) != 1 ||
		page.Victims[0].Pod != "default/young" || page.Victims[0].Node != "n2" || page.Victims[0].Cycle != 1 {
		t.Errorf("%v %v", page, err)
	}
}
