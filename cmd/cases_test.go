package cmd_test

import (
	"os"
	"strings"
	"testing"
)

// publicCases are small inputs of kinds that people reported in public (docs/cases.md): what is right was read in the
// source of kube-scheduler or of the controller that decides.
var publicCases = []struct {
	args string // before the file
	file string
	code int
	has  []string // in what is printed, errors included
	not  []string // nowhere in it
}{
	{args: "run", file: "update-after-nomination.txt", has: []string{"default/high  Scheduled      n2"}},
	{args: "run", file: "release-1.35-mixed-claims.txt", code: 3, has: []string{
		`running Score plugins: plugin "DynamicResources" failed with: number of allocations 1 is smaller than number of claims`,
	}},
	{args: "run --kube-version 1.36", file: "release-1.35-mixed-claims.txt", has: []string{"default/rank-1  Scheduled"}},
	{args: "run", file: "claim-template.yaml", code: 3, has: []string{
		"default/infer-2  Scheduled", "default/infer-3  Unschedulable", "1 cannot allocate all claims",
	}, not: []string{"left out"}},
	{args: "explain agent-n2", file: "daemonset-pod.yaml", code: 3, has: []string{
		"request 1Gi of memory instead of 2Gi",
	}, not: []string{"without its required node affinity"}},
	{args: "explain es-data-2", file: "label-of-the-selector.yaml", code: 3, has: []string{
		"add one more node like",
	}, not: []string{"take its label"}},
	{args: "explain web", file: "taints-of-controllers.yaml", code: 3, has: []string{
		"now Ready=False: KubeletNotReady: cni plugin not initialized", "DiskPressure=True",
	}, not: []string{"have it tolerate", "remove the taint"}},
	{args: "explain web-4", file: "tainted-domain.yaml", code: 3, has: []string{
		"domain kind-control-plane counts", "1. leave nodes whose taints it does not tolerate out",
		`/nodeTaintsPolicy","value":"Honor"`,
	}},
	{args: "explain vault-0", file: "no-default-class.yaml", code: 3, has: []string{"claim data-vault-0 names no StorageClass"}},
	{args: "explain web", file: "class-without-default.yaml", code: 3, has: []string{
		"1. name the storage class fast in claim default/data", "2. mark the storage class fast default: it comes to n1",
		"kubectl annotate storageclass fast storageclass.kubernetes.io/is-default-class=true --overwrite",
	}},
	{args: "explain hub", file: "beta-zone-of-a-volume.yaml", code: 3, has: []string{
		"1. give the volume pv-1 the labels of today in its node affinity",
		`"path":"/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/key","value":"topology.kubernetes.io/zone"`,
	}},
	{args: "explain new", file: "resize-that-waits.yaml", code: 3, has: []string{
		"1. take back the resize of default/big, which waits for room: it comes to n1",
		"kubectl patch pod big -n default --subresource=resize --type=json",
		`kubectl patch pod new -n default --subresource=resize --type=json -p '[{"op":"replace",` +
			`"path":"/spec/containers/0/resources/requests/cpu","value":"2"}]'`,
	}},
	{args: "explain new --kube-version 1.32", file: "resize-that-waits.yaml", code: 3, has: []string{
		"kubectl get pod new -n default -o json | kubectl patch --local",
	}, not: []string{"take back the resize", "subresource"}},
	{args: "explain new", file: "budget-that-refuses.yaml", code: 3, has: []string{
		"1. set minAvailable of the disruption budget default/db to 1, so that 1 of its 2 pods have to stay and evict default/db-1",
		`kubectl patch poddisruptionbudget db -n default --type=json -p '[{"op":"add","path":"/spec/minAvailable","value":1}]' ` +
			"&& kubectl wait poddisruptionbudget db -n default --for=jsonpath='{.status.disruptionsAllowed}'=1 --timeout=1m",
		"default/pods/db-1/eviction",
	}, not: []string{"scale rs"}},
	{args: "explain new", file: "budgets-that-stay.yaml", code: 3, has: []string{
		"it goes around a disruption budget, which counts for evictions alone",
	}, not: []string{"set minAvailable", "set maxUnavailable", "evict default/"}},
	{args: "explain new", file: "replica-too-many.yaml", code: 3, has: []string{
		"1. scale rs/default/db to 1 of its 2 replicas: it comes to n1", "kubectl scale replicaset db -n default --replicas=1",
		"default/db-1 is deleted from n1",
	}, not: []string{"1. evict", "2. evict"}},
	{args: "run", file: "toleration-operators.yaml", code: 1, has: []string{"the API server refuses it"}},
	{args: "run", file: "pod-level-requests.yaml", code: 1, has: []string{"the API server refuses it"}},
	{args: "explain train", file: "held-by-a-gate.yaml", code: 3, has: []string{
		"Kueue removes kueue.x-k8s.io/admission when the pod may start; by hand it goes around Kueue",
		"left out: 1 Workload",
	}},
	{args: "explain sts/web", file: "volumes-for-one-replica.yaml", code: 3, has: []string{
		"No change was found with which 6 of 6 fit. Fewer would all fit: scale sts/default/web to 1 of its 6 replicas.",
		"kubectl scale statefulset web -n default --replicas=1",
	}, not: []string{"For 6 of 6"}},
	{args: "explain job/train", file: "job-held-by-kueue.yaml", code: 3, has: []string{
		"Cause: Workload default/job-train-5f3a1 holds it",
	}},
	{args: "lint", file: "csinode-without-driver.yaml", code: 3, has: []string{
		"Node fresh", "driver ebs.csi.aws.com is not registered on it", "its limit there is unknown",
	}},
	{args: "explain vols-0", file: "csinode-without-driver.yaml", has: []string{
		"driver ebs.csi.aws.com of its volumes is not registered on node fresh",
	}},
	{args: "run", file: "without-selector.yaml", code: 1, has: []string{
		`deployment "web": the API server refuses it: spec.selector: Required value`,
		"`selector` does not match template `labels`", "default/ag-n1  Scheduled",
	}, not: []string{"default/web-1"}},
	{args: "run -o json", file: "secrets-of-extenders.yaml", not: []string{"PLANTED-", "UExBTlRFRC"}},
	{args: "run", file: "kk-141526.yaml", has: []string{"workload-a/comes  Scheduled"}},
	{args: "run --kube-version 1.36", file: "kk-141526.yaml", code: 3, has: []string{"didn't match pod anti-affinity rules"}},
	{args: "run --kube-version 1.33", file: "kk-141526.yaml", has: []string{"workload-a/comes  Scheduled"}},
	{args: "bisect", file: "kk-141526.yaml", code: 3, has: []string{"1.33  1.34.1  1", "1.36  1.37    1"}},
	{args: "run", file: "kk-116118.yaml", code: 3, has: []string{"4 not placed"}},
	{args: "explain web-7", file: "kk-116118.yaml", code: 3, has: []string{"nodeTaintsPolicy: Honor"}},
	{args: "run", file: "kk-129136.yaml", has: []string{"placement for pod on node worker1, preempting 1 victims"}},
	{args: "run", file: "kk-124282.yaml", code: 3, has: []string{"1 Insufficient cpu"}},
	{args: "run", file: "karpenter-2623.yaml", has: []string{"default/strict-3  Scheduled  a1"}},
	{args: "run", file: "kep-6211.yaml", code: 3, has: []string{"2 node(s) didn't match pod topology spread constraints"}},
	{args: "run", file: "volcano-5767.yaml", code: 3, has: []string{"ReadWriteOncePod access mode already in-use"}},
	{args: "run", file: "kk-127868.yaml", code: 3, has: []string{"1 Insufficient cpu"}},
	{args: "run", file: "kai-1556.yaml", code: 3, has: []string{"1 Insufficient cpu"}},
	{args: "run", file: "kk-127263.yaml", has: []string{"default/rating  Scheduled  k8s-worker02"}},
	{args: "run", file: "kk-129319.yaml", has: []string{"default/first  Scheduled  n1"}},
	{args: "run", file: "kk-137617.txt", has: []string{
		"claim default/shared got allocated elsewhere in the meantime", "default/a         Scheduled  n1",
		"default/b         Scheduled  n2", "every pod is placed",
	}},
	{args: "run", file: "kk-140087.txt", has: []string{
		"claim default/shared got allocated elsewhere in the meantime", "default/a         Scheduled  n1",
		"default/b         Scheduled  n1", "every pod is placed",
	}},
	{args: "explain comes", file: "kk-130445.yaml", has: []string{"NodeResourcesFit: 96 against 92"}},
}

// saysAll checks that a text has all of some others and none of some more, and logs it where that is not so.
func saysAll(t *testing.T, text string, has, not []string) {
	t.Helper()
	for _, part := range has {
		if !strings.Contains(text, part) {
			t.Errorf("without %q", part)
		}
	}
	for _, part := range not {
		if strings.Contains(text, part) {
			t.Errorf("with %q", part)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestPublicCasesAreAnsweredRight(t *testing.T) {
	used := map[string]bool{"step-without-facts.txt": true, "name-is-a-word.yaml": true}
	for _, c := range publicCases {
		used[c.file] = true
		t.Run(c.args+" "+c.file, func(t *testing.T) {
			t.Parallel()
			got := program(t, append(strings.Fields(c.args), "testdata/cases/"+c.file)...)
			all := got.out + got.err
			if got.code != c.code {
				t.Errorf("exit code %d, want %d", got.code, c.code)
			}
			saysAll(t, all, c.has, c.not)
		})
	}
	files, err := os.ReadDir("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("%s is in no row", f.Name())
		}
	}
}
