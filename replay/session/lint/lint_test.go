package lint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/session/lint"
	"github.com/schedstep/schedstep/replay/source/importer"
)

const (
	node   = "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: a}}, status: {allocatable: {cpu: 2, memory: 4Gi}}}\n---\n"
	waiter = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default, labels: {app: web}}, spec: "
	other  = "{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: default, labels: {app: web}}, spec: {containers: [{name: c, image: x}]}}\n---\n"
	body   = "containers: [{name: c, image: x}]"
	anti   = "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}}, " +
		body + "}}\n---\n"
	near = "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {app: dbb}}}]}}, " +
		body + "}}\n---\n"
	volumeClaim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {storageClassName: fast}}\n---\n"
	fast        = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: a.b}\n---\n"
	deviceClaim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: gpu, namespace: default}, spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.example.com}}]}}}\n---\n"
	budget      = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}}\n"
)

func TestEachRuleFindsItsFaultAndNothingWhereThereIsNothingToCompare(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"label", node + waiter + "{nodeSelector: {disk: ssd}, " + body +
			"}}", "node-selector: nodeSelector disk=ssd: no node has that label"},
		{"label there", node + waiter + "{nodeSelector: {zone: a}, " + body + "}}", ""},
		{"label without nodes", waiter + "{nodeSelector: {disk: ssd}, " + body + "}}", ""},
		{"toleration", node + waiter + "{tolerations: [{key: gpuu, operator: Exists}], " + body +
			"}}", "toleration: tolerates gpuu, and no node has a taint with that key"},
		{"toleration of Kubernetes", node + waiter +
			"{tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists}], " + body + "}}", ""},
		{"affinity", node + other + waiter +
			near, "pod-affinity: requires pods with labels app=dbb, and no pod there has them"},
		{"affinity without other pods", node + waiter + near, ""},
		{
			"anti-affinity", node + other + waiter + anti,
			"self-anti-affinity: pods with labels app=web keep away from each other by zone: there are 2 of them, and the nodes have 1 of its values",
		},
		{"anti-affinity alone", node + waiter + anti, ""},
		{
			"anti-affinity beside a node that is in no domain",
			node + strings.Replace(strings.Replace(node, "n1", "n2", 1), "zone", "rack", 1) + other + waiter + anti, "",
		},
		{"budget", node + other +
			budget, "disruption-budget: maxUnavailable is 0: none of its pods may be evicted (there are 1)"},
		{"budget without pods", node + budget, ""},
		{
			"spread by a label that is not there", node + waiter + spreads("rack", "web"),
			"topology-spread: spreads by rack, and no node has that label",
		},
		{
			"spread of pods that are not there", node + other + waiter + spreads("zone", "wbe"),
			"topology-spread: spreads pods with labels app=wbe by zone, and no pod of its namespace has them, itself included",
		},
		{"spread", node + other + waiter + spreads("zone", "web"), ""},
		{
			"large", node + waiter + "{containers: [{name: c, image: x, resources: {requests: {cpu: 3}}}]}}",
			"too-large: requests 3 of cpu, and no node has more than 2",
		},
		{
			"large together",
			strings.Replace(node, "cpu: 2", "cpu: 9", 1) +
				strings.Replace(strings.Replace(node, "n1", "n2", 1), "4Gi", "9Gi", 1) +
				waiter + "{containers: [{name: c, image: x, resources: {requests: {cpu: 8, memory: 8Gi}}}]}}",
			"too-large: requests 8 cpu, 8Gi memory, and no node has all of that",
		},
		{
			"cordoned", strings.Replace(node, "status", "spec: {unschedulable: true}, status", 1) + waiter + "{" + body + "}}",
			"taints: does not tolerate a taint of any node that it may choose: node.kubernetes.io/unschedulable:NoSchedule",
		},
		{"budget that allows one", node + other + strings.Replace(budget, "maxUnavailable: 0", "maxUnavailable: 1%", 1), ""},
		{
			"budget of a share", node + other + strings.Replace(budget, "maxUnavailable: 0", "minAvailable: 10%", 1),
			"disruption-budget: minAvailable is 10%: none of its pods may be evicted (there are 1)",
		},
		{"fits", node + waiter + "{containers: [{name: c, image: x, resources: {requests: {cpu: 2}}}]}}", ""},
	} {
		told(t, c.name, c.text, c.says)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{
			"claim", node + waiter + "{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], " + body + "}}",
			"missing: PersistentVolumeClaim data is not in the input",
		},
		{
			"class",
			node + volumeClaim + waiter + "{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], " + body + "}}",
			"missing: claim data wants StorageClass fast, which is not in the input",
		},
		{"class there", node + volumeClaim + fast + waiter +
			"{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], " + body + "}}", ""},
		{
			"device", node + waiter + "{resourceClaims: [{name: g, resourceClaimName: gpu}], " + body + "}}",
			"missing: ResourceClaim gpu is not in the input",
		},
		{
			"class of devices",
			node + deviceClaim + waiter + "{resourceClaims: [{name: g, resourceClaimName: gpu}], " + body + "}}",
			"missing: claim gpu wants DeviceClass gpu.example.com, which is not in the input",
		},
		{"near by a label that is not there", node + other + waiter + strings.ReplaceAll(strings.ReplaceAll(
			near, "zone", "rack"), "dbb", "web"), "missing: pod affinity by rack: no node has that label"},
	} {
		told(t, c.name, c.text, c.says)
	}
}

// told fails the test when the findings about a cluster are not the expected ones.
func told(t *testing.T, name, text, want string) {
	t.Helper()
	says := ""
	for _, f := range lint.Find(stateOf(t, text)) {
		says += f.Rule + ": " + f.Says.String()
	}
	if diff := cmp.Diff(want, says); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// spreads is a constraint by a key of nodes, about the pods of an app.
func spreads(key, app string) string {
	return "{topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: " + key +
		", labelSelector: {matchLabels: {app: " + app + "}}}], " + body + "}}\n---\n"
}

func TestOnePodIsAskedAboutAlone(t *testing.T) {
	s := stateOf(t, node+other+budget+"---\n"+waiter+"{nodeSelector: {disk: ssd}, "+body+"}}\n---\n")
	for pod, want := range map[string]int{"default/web": 1, "default/db": 0, "default/none": 0} {
		if found := lint.About(s, pod); len(found) != want {
			t.Errorf("%s: %v, want %d findings", pod, found, want)
		}
	}
}

func stateOf(t *testing.T, text string) *cluster.State {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dump, err := importer.Read(context.Background(), []string{path}, importer.Options{})
	if err != nil || len(dump.Problems) > 0 {
		t.Fatal(err, dump.Problems)
	}
	s := cluster.NewState()
	for _, o := range dump.Objects {
		s.Apply(cluster.Event{Action: cluster.Add, Object: o.Object.(cluster.Object)})
	}
	return s
}

// TestTheTrapOfSpreading has three pods beside a zone that they may not use, for each of the reasons, and as many where
// the zone does not count.
func TestTheTrapOfSpreading(t *testing.T) {
	zone := strings.Replace(strings.Replace(node, "n1", "n2", 1), "zone: a", "zone: b", 1)
	tainted := strings.Replace(zone, "status", "spec: {taints: [{key: gpu, effect: NoSchedule}]}, status", 1)
	cordoned := strings.Replace(zone, "status", "spec: {unschedulable: true}, status", 1)
	for _, c := range []struct{ name, nodes, policy, spec, says string }{
		{"a taint", tainted, "", "", "whose node n2 has the taint gpu:NoSchedule, which the pod does not tolerate: at most 1 of 3"},
		{"a taint that is honored", tainted, ", nodeTaintsPolicy: Honor", "", ""},
		{"a taint that is tolerated", tainted, "", "tolerations: [{key: gpu, operator: Exists}], ", ""},
		{"a cordon", cordoned, "", "", "whose node n2 is cordoned: at most 1 of 3"},
		{"a selection", zone, ", nodeAffinityPolicy: Ignore", "nodeSelector: {zone: a}, ", "does not match the pod's node selection"},
		{"a selection that is honored", zone, "", "nodeSelector: {zone: a}, ", ""},
		{"domains", zone, ", minDomains: 3", "", "wants 3 domains of zone at least (minDomains), and the nodes have 2: at most 2 of 3"},
		{"nothing", zone, "", "", ""},
	} {
		constrained := strings.Replace(spreads("zone", "web"), "topologyKey", "X", 1)
		constrained = strings.Replace(constrained, "{topologySpread", "{"+c.spec+"topologySpread", 1)
		constrained = strings.Replace(constrained, "X: zone", "topologyKey: zone"+c.policy, 1)
		text := node + c.nodes
		for _, name := range []string{"web", "web2", "web3"} {
			text += strings.Replace(waiter, "name: web,", "name: "+name+",", 1) + constrained
		}
		says := ""
		for _, f := range lint.Find(stateOf(t, text)) {
			says += f.Code + " " + f.Says.String()
		}
		if c.says == "" && says != "" || !strings.Contains(says, c.says) || strings.Count(says, "SS") > 1 {
			t.Errorf("%s: %q", c.name, says)
		}
	}
}
