package cmd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wholePage is as much of the page of a workload as the tests read.
type wholePage struct {
	Replicas, Fit int
	Says          []string
	Changes       []struct {
		Changes []struct {
			Kind, Says string
			GoesAround string
		}
		Commands []string
		Fit      int
	}
	PartialChanges []struct{ Fit int }
}

func wholePageOf(t *testing.T, args ...string) wholePage {
	t.Helper()
	p := program(t, append([]string{"explain", "-q", "-o", "json"}, args...)...)
	var page wholePage
	if err := json.Unmarshal([]byte(p.out), &page); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, p.err)
	}
	return page
}

// has is the first set that is one change of a kind; -1: none is.
func (p *wholePage) has(kind string) int {
	for i, set := range p.Changes {
		if len(set.Changes) == 1 && set.Changes[0].Kind == kind {
			return i
		}
	}
	return -1
}

func inFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "in.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAWorkloadIsExplainedWhole(t *testing.T) {
	page := wholePageOf(t, "deploy/web", "testdata/cases/tainted-domain.yaml")
	if page.Replicas != 7 || page.Fit != 3 || page.has("HonorTaints") != 0 {
		t.Fatalf("%+v", page)
	}
	for i, set := range page.Changes {
		if set.Fit != 7 {
			t.Errorf("change %d gives %d of 7 a node", i+1, set.Fit)
		}
	}
	if around := page.has("Tolerate"); around < page.has("ScheduleAnyway") {
		t.Errorf("a change that goes around a guard is number %d", around+1)
	}
	nodes := page.has("AddNodes")
	if nodes < 0 || page.Changes[nodes].Changes[0].Says != "add 4 more nodes like kind-worker0" {
		t.Errorf("%+v", page.Changes)
	}
}

// manifest is a Deployment that no API server has seen, of so many pods with 1500m, for three nodes of 4 cpu.
func manifest(replicas int) string {
	return node4("n1", "a", "{}", ready) + node4("n2", "a", "{}", ready) + node4("n3", "a", "{}", ready) + fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec:
  replicas: %d
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}
`, replicas)
}

func TestTheLargestRequestWithWhichAllFitIsFound(t *testing.T) {
	for replicas, want := range map[int]string{
		8: "request 1333m of cpu instead of 1500m", 9: "request 1333m of cpu instead of 1500m",
		10: "request 1 of cpu instead of 1500m",
	} {
		page := wholePageOf(t, "deploy/shop/api", inFile(t, manifest(replicas)))
		if page.Fit != 6 || page.Replicas != replicas || len(page.Changes) == 0 || page.Changes[0].Changes[0].Says != want {
			t.Errorf("%d replicas: %+v", replicas, page)
		}
	}
}

func TestAsManyNodesAreAddedAsAllNeed(t *testing.T) {
	for replicas, want := range map[int]string{
		7: "add one more node like n1", 8: "add one more node like n1", 9: "add 2 more nodes like n1",
		13: "add 4 more nodes like n1",
	} {
		page := wholePageOf(t, "deploy/api", "-n", "shop", inFile(t, manifest(replicas)))
		found := false
		for _, set := range page.Changes {
			found = found || set.Changes[0].Says == want && set.Fit == replicas
		}
		if !found {
			t.Errorf("%d replicas: %+v", replicas, page.Changes)
		}
	}
}

func TestNodesAreAddedAlthoughOthersTakeTheFirst(t *testing.T) {
	for others := range 3 {
		input := manifest(7)
		for _, node := range []string{"n1", "n2", "n3"} {
			input += waits("on-"+node, strings.Replace(ofCPU("500m"), "{", "{nodeName: "+node+", ", 1))
		}
		for i := range others {
			input += fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata: {name: other-%[1]d, uid: o%[1]d}
spec: {priority: 100, preemptionPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: 3600m}}}]}
`, i)
		}
		page := wholePageOf(t, "deploy/api", "-n", "shop", inFile(t, input))
		want := fmt.Sprintf("add %d more nodes like n1", others+1)
		if others == 0 {
			want = "add one more node like n1"
		}
		if at := max(page.has("AddNode"), page.has("AddNodes")); at < 0 || page.Changes[at].Changes[0].Says != want {
			t.Errorf("%d others: %+v", others, page.Changes)
		}
	}
}

// ofCluster is the same Deployment in a cluster: six of eight pods have a node.
func ofCluster() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(manifest(8), "name: api, namespace: shop", "name: api, namespace: shop, uid: d"))
	b.WriteString(`---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: api-5d
  namespace: shop
  uid: r
  labels: {app: api, pod-template-hash: 5d}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: api, uid: d, controller: true}]
spec:
  replicas: 8
  selector: {matchLabels: {app: api, pod-template-hash: 5d}}
  template:
    metadata: {labels: {app: api, pod-template-hash: 5d}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}
`)
	for i := range 8 {
		node := ""
		status := "{phase: Pending}"
		if i < 6 {
			node = fmt.Sprintf("nodeName: n%d, ", i%3+1)
			status = `{phase: Running, conditions: [{type: Ready, status: "True"}]}`
		}
		fmt.Fprintf(&b, `---
apiVersion: v1
kind: Pod
metadata:
  name: api-5d-%d
  namespace: shop
  uid: p%d
  labels: {app: api, pod-template-hash: 5d}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: api-5d, uid: r, controller: true}]
spec: {%scontainers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}
status: %s
`, i, i, node, status)
	}
	return b.String()
}

func TestAWorkloadOfAClusterIsRolled(t *testing.T) {
	file := inFile(t, ofCluster())
	page := wholePageOf(t, "deployment/api", file)
	if page.Replicas != 8 || page.Fit != 6 || len(page.Changes) == 0 {
		t.Fatalf("%+v", page)
	}
	first := page.Changes[0]
	if first.Fit != 8 || first.Changes[0].Kind != "RequestLess" || len(first.Commands) != 1 ||
		!strings.HasPrefix(first.Commands[0], "kubectl patch deployment api -n shop --type=json -p ") {
		t.Errorf("%+v", first)
	}
	p := program(t, "explain", "rs/api-5d", file)
	if !strings.HasPrefix(p.out, "ReplicaSet shop/api-5d: 6 of 8 replicas fit.") {
		t.Errorf("%s%s", p.out, p.err)
	}
}

func TestWordsOfWorkloads(t *testing.T) {
	file := inFile(t, ofCluster())
	for word, want := range map[string]string{
		"deploy/api": "", "deployments.apps/api": "", "shop/deploy/api": "", "deploy/shop/api": "", "Deployment/api": "",
		"deploy/apo": `there is no Deployment "apo" (did you mean "deploy/shop/api"?)`,
		"sts/api":    `there is no StatefulSet "api" (did you mean "deploy/shop/api"?)`,
	} {
		p := program(t, "explain", word, "-o", "name", file)
		if want == "" && p.out != "deploy/shop/api\n" || !strings.Contains(p.err, want) {
			t.Errorf("%s: %s%s", word, p.out, p.err)
		}
	}
}

func TestAPodOfANamespaceThatIsCalledLikeAKindIsFound(t *testing.T) {
	for _, namespace := range []string{"jobs", "rs", "ds"} {
		file := inFile(t, node4("n1", "a", "{}", ready)+
			strings.Replace(waits("web", ofCPU("5")), "{name: web,", "{name: web, namespace: "+namespace+",", 1))
		key := namespace + "/web"
		for _, args := range [][]string{{key}, {key, "-n", namespace}, {"web", "-n", namespace}} {
			p := program(t, append(append([]string{"explain"}, args...), "-q", "-o", "name", file)...)
			if p.err != "" || !strings.Contains(p.out, "web") {
				t.Errorf("%v: %s%s", args, p.out, p.err)
			}
		}
	}
}

func TestAWorkloadOfANamespaceThatIsCalledPodIsFound(t *testing.T) {
	file := inFile(t, strings.ReplaceAll(manifest(4), "namespace: shop", "namespace: pod"))
	if p := program(t, "explain", "deploy/pod/api", "-n", "shop", "-q", "-o", "name", file); p.out != "deploy/pod/api\n" {
		t.Errorf("%s%s", p.out, p.err)
	}
}

func TestThePageOfAWorkloadIsInChineseToo(t *testing.T) {
	p := program(t, "explain", "deploy/web", "--lang", "zh", "testdata/cases/tainted-domain.yaml")
	for _, want := range []string{
		"Deployment default/web：7 个副本中 3 个放得下。", "要 7 个中 7 个放得下：", "第一个没有节点的 Pod",
	} {
		if !strings.Contains(p.out, want) {
			t.Errorf("the page lacks %q:\n%s", want, p.out)
		}
	}
}

// aJob is a Job of a CronJob in a cluster: one of its pods has the only node, two wait.
func aJob() string {
	const template = `{metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: x, ` +
		`resources: {requests: {cpu: 800m}}}]}}`
	var b strings.Builder
	b.WriteString(strings.Replace(node4("n1", "a", "{}", ready), `cpu: "4"`, `cpu: "1"`, 1) + `---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cj, namespace: default, uid: cj}
spec: {schedule: "* * * * *", jobTemplate: {spec: {template: ` + template + `}}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: cj-29000000
  namespace: default
  uid: j
  ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: cj, uid: cj, controller: true}]
spec: {parallelism: 3, completions: 3, selector: {matchLabels: {a: b}}, template: ` + template + `}
`)
	for i := range 3 {
		node := ""
		if i == 0 {
			node = "nodeName: n1, "
		}
		fmt.Fprintf(&b, `---
apiVersion: v1
kind: Pod
metadata:
  name: cj-29000000-p%d
  namespace: default
  uid: p%d
  labels: {a: b}
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: cj-29000000, uid: j, controller: true}]
spec: {%srestartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: 800m}}}]}
`, i, i, node)
	}
	return b.String()
}

func TestCommandsOfACronJobReachEveryPodThatWaits(t *testing.T) {
	file := inFile(t, aJob())
	page := wholePageOf(t, "cronjob/cj", file)
	for _, set := range page.Changes {
		if set.Changes[0].Kind != "RequestLess" {
			continue
		}
		all := strings.Join(set.Commands, "\n")
		for _, want := range []string{
			"kubectl patch cronjob cj -n default", "/spec/jobTemplate/spec/template/spec/containers/0/resources/requests/cpu",
			"kubectl get pod cj-29000000-p1 -n default", "kubectl get pod cj-29000000-p2 -n default",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("the commands lack %q:\n%s", want, all)
			}
		}
		return
	}
	t.Errorf("no change requests less: %+v", page.Changes)
}

func TestAJobThatWasNeverAppliedIsChangedInItsManifest(t *testing.T) {
	job := node4("n1", "a", "{}", ready) + `---
apiVersion: batch/v1
kind: Job
metadata: {name: jj, namespace: default}
spec:
  parallelism: 3
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}}
`
	p := program(t, "explain", "job/jj", inFile(t, job))
	if !strings.Contains(p.out, "# in the manifest that Job jj is made from: [{") || strings.Contains(p.out, "immutable") {
		t.Errorf("%s%s", p.out, p.err)
	}
	p = program(t, "explain", "job/cj-29000000", inFile(t, aJob()))
	if !strings.Contains(p.out, "# in a new object, because the template of Job cj-29000000 is immutable: [{") {
		t.Errorf("%s%s", p.out, p.err)
	}
	p = program(t, "explain", "cronjob/cj", inFile(t, node4("n1", "a", "{}", ready)+`---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cj, namespace: default}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      parallelism: 3
      template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}}
`))
	if !strings.Contains(p.out, "# in the manifest that CronJob cj is made from: [{") ||
		!strings.Contains(p.out, "/spec/jobTemplate/spec/template/spec/") {
		t.Errorf("%s%s", p.out, p.err)
	}
}
