package lint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/importer"
	"github.com/schedstep/schedstep/replay/lint"
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
		{
			"no class, and none there", node + strings.Replace(volumeClaim, "storageClassName: fast", "", 1) + waiter +
				"{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], " + body + "}}",
			"missing: claim data names no StorageClass, and there is none in the input",
		},
		{
			"no class, and no default one", node + strings.Replace(volumeClaim, "storageClassName: fast", "", 1) + fast +
				waiter + "{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], " + body + "}}",
			"missing: claim data names no StorageClass, and none of the 1 is the default: name one in the claim, or annotate " +
				"one with storageclass.kubernetes.io/is-default-class=true",
		},
		{"near by a label that is not there", node + other + waiter + strings.ReplaceAll(strings.ReplaceAll(
			near, "zone", "rack"), "dbb", "web"), "missing: pod affinity by rack: no node has that label"},
	} {
		told(t, c.name, c.text, c.says)
	}
}

func TestADomainThatStaysEmptyIsNamed(t *testing.T) {
	const tainted = "{apiVersion: v1, kind: Node, metadata: {name: n0, labels: {zone: z}}, spec: {taints: [{key: k, effect: NoSchedule}]}}\n---\n"
	more := node + tainted + other
	constrained := waiter + spreads("zone", "web")
	for _, c := range []struct{ name, text, says string }{
		{
			"two pods, one open domain", more + constrained,
			"topology-spread: spreads by zone: domain z counts, and stays empty, for the pod tolerates the taints of no node " +
				"in it; the 1 other domains take at most 1 of 2 pods each (nodeTaintsPolicy: Honor leaves that domain out)",
		},
		{"one pod", node + tainted + constrained, ""},
		{"honoured", more + strings.Replace(constrained, "maxSkew: 1", "maxSkew: 1, nodeTaintsPolicy: Honor", 1), ""},
		{"skew of two", more + strings.Replace(constrained, "maxSkew: 1", "maxSkew: 2", 1), ""},
		{"tolerated", more + strings.Replace(constrained, body, "tolerations: [{key: k, operator: Exists}], "+body, 1), ""},
		{"another domain is chosen", more + strings.Replace(constrained, body, "nodeSelector: {zone: a}, "+body, 1), ""},
	} {
		told(t, c.name, c.text, c.says)
	}
}

func TestNodesWithoutALimitOfVolumesAreNamed(t *testing.T) {
	const listing = "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n2}, spec: {drivers: [{name: a.b, nodeID: i, allocatable: {count: 3}}]}}\n---\n"
	const twin = "{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: a}}, status: {allocatable: {cpu: 2, memory: 4Gi}}}\n---\n"
	const wants = "{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], " + body + "}}\n---\n"
	const driver = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a.b}, spec: {preventPodSchedulingIfMissing: true}}\n---\n"
	all := node + twin + volumeClaim + fast + waiter + wants
	says := "volume-limit: not in the CSINode of n1: no limit of its volumes is known there, and kube-scheduler counts none; " +
		"other nodes take 3, and 1 pods have such volumes"
	for _, c := range []struct{ name, text, says string }{
		{"one of two nodes lists the driver", all + listing, says},
		{"no node has a limit", all, ""},
		{"the driver has to be listed", all + listing + driver, ""},
		{"another driver", strings.Replace(all, "a.b", "c.d", 1) + listing, ""},
	} {
		told(t, c.name, c.text, c.says)
	}
	s := stateOf(t, all+listing)
	if found := lint.About(s, "default/web"); len(found) != 1 || found[0].Rule != "volume-limit" {
		t.Errorf("about the pod: %v", found)
	}
}

// told fails unless the findings about a cluster are the expected ones.
func told(t *testing.T, name, text, want string) {
	t.Helper()
	says := ""
	for _, f := range lint.Find(stateOf(t, text)) {
		says += f.Rule + ": " + f.Says
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
