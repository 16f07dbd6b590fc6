package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chart is a Deployment without nodes.
func chart() string {
	_, text, _ := strings.Cut(manifest(4), "---\napiVersion: apps/v1")
	return "apiVersion: apps/v1" + text
}

func TestNodesAreMadeForAChart(t *testing.T) {
	file := inFile(t, chart())
	if p := program(t, "explain", "deploy/api", "--nodes", "2x4cpu8Gi,zone=a..c,disk=ssd", file); p.code != 0 ||
		p.out != "Deployment shop/api: 4 of 4 replicas fit.\n" {
		t.Errorf("%d %s%s", p.code, p.out, p.err)
	}
	if p := program(t, "run", "-q", "--nodes", "1500mcpu8Gi", "--nodes", "1.5cpu1G", file); p.code != 3 ||
		!strings.Contains(p.out, "shop/api-2  Scheduled      node-2") {
		t.Errorf("%d %s%s", p.code, p.out, p.err)
	}
	p := program(t, "convert", "testdata/cases/tainted-domain.yaml", "--nodes", "1x4cpu8Gi", "-o", "x.yaml")
	if p.code != 2 {
		t.Errorf("convert takes --nodes: %d", p.code)
	}
	if p := program(t, "explain", "deploy/api", file); !strings.Contains(p.err, "--nodes 3x4cpu16Gi makes some") {
		t.Error(p.err)
	}
}

func TestMadeNodesTakeNoNameOfANodeOfTheInput(t *testing.T) {
	manifest := inFile(t, node4("node-1", "a", "{}", ready)+node4("node-3", "a", "{}", ready)+chart())
	story := inFile(t, "# two nodes\nnode node-1 cpu=4 memory=8Gi\nnode node-3 cpu=4 memory=8Gi\n")
	for _, args := range [][]string{{manifest}, {story}, {story, inFile(t, chart())}} {
		p := program(t, append([]string{"explain", "node/node-1", "-q", "--nodes", "2x1cpu1Gi"}, args...)...)
		if p.code != 0 || !strings.Contains(p.out, "of 4") || strings.Contains(p.out, "of 1 CPU") {
			t.Errorf("%v: node-1 is another one: %s%s", args, p.out, p.err)
		}
		for _, node := range []string{"node-2", "node-4"} {
			p := program(t, append([]string{"explain", "node/" + node, "-q", "--nodes", "2x1cpu1Gi"}, args...)...)
			if p.code != 0 {
				t.Errorf("%v: %s%s", args, p.out, p.err)
			}
		}
	}
}

func TestMadeNodesAreRefusedBesideTheLogsOfACluster(t *testing.T) {
	p := program(t, "run", "--nodes", "2x4cpu8Gi", "../replay/source/testdata/audit-server-1.log.zst")
	if p.code != 1 || !strings.Contains(p.err, "--nodes: the logs of a cluster have its nodes") {
		t.Errorf("%d %s", p.code, p.err)
	}
}

func TestNodesThatAreNoShapeAreRefused(t *testing.T) {
	file := inFile(t, chart())
	for text, want := range map[string]string{
		"3x4cpu":                 `--nodes 3x4cpu: "3x4cpu" is no shape of nodes`,
		"0x4cpu8Gi":              "from 1 to 10000 nodes are made",
		"99999999999999x4cpu8Gi": "from 1 to 10000 nodes are made",
		"2x4cpu8Gi,zone":         `"zone" is no label`,
		"2x4cpu8Gi,zone=a b":     `"a b" is no value of a label`,
		"":                       `"" is no shape of nodes`,
	} {
		if p := program(t, "lint", "--nodes", text, file); p.code != 2 || !strings.Contains(p.err, want) {
			t.Errorf("%q: %d %s", text, p.code, p.err)
		}
	}
	p := program(t, "explain", "web", "--nodes", "2x4cpu8Gi")
	if p.code != 2 || !strings.Contains(p.err, "--nodes needs FILE") {
		t.Errorf("%d %s", p.code, p.err)
	}
}

// offersOfNodes is a file with each kind of template that --nodes reads.
const offersOfNodes = `apiVersion: schedstep.dev/v1
kind: NodeOffers
offers:
- name: small
  node: {metadata: {labels: {pool: web}}, status: {allocatable: {cpu: "1", memory: 8Gi}}}
- name: large
  zones: [a, b]
  node: {status: {allocatable: {cpu: "8", memory: 32Gi}}}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: md
  annotations: {capacity.cluster-autoscaler.kubernetes.io/cpu: "4", capacity.cluster-autoscaler.kubernetes.io/memory: 16Gi}
---
apiVersion: v1
kind: Node
metadata: {name: gpu-a, labels: {disk: ssd}}
status: {allocatable: {cpu: "2", memory: 4Gi}}
`

func TestNodesAreMadeOfTheTemplatesOfAFile(t *testing.T) {
	file := inFile(t, chart())
	templates := filepath.Join(t.TempDir(), "offers.yaml")
	if err := os.WriteFile(templates, []byte(offersOfNodes), 0o600); err != nil {
		t.Fatal(err)
	}
	for counts, want := range map[string]string{
		"":                   "5 nodes gpu-a large-a-1 large-b-1 md-1 small-1",
		",small=2,large-b=1": "3 nodes large-b-1 small-1 small-2",
		",gpu-a=2":           "2 nodes gpu-a-1 gpu-a-2",
	} {
		number, names, _ := strings.Cut(want, " nodes ")
		p := program(t, "run", file, "-q", "--nodes", templates+counts)
		if !strings.Contains(p.out, ", "+number+" nodes, ") {
			t.Errorf("--nodes FILE%s: not %s nodes: %s%s", counts, number, p.out, p.err)
		}
		for name := range strings.FieldsSeq(names) {
			if p := program(t, "explain", "node/"+name, file, "-q", "--nodes", templates+counts); p.code != 0 {
				t.Errorf("--nodes FILE%s: %s", counts, p.err)
			}
		}
	}
	like := filepath.Join(t.TempDir(), "like.yaml")
	text := "apiVersion: schedstep.dev/v1\nkind: NodeOffers\noffers: [{name: big, like: n1}]\n"
	if err := os.WriteFile(like, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		templates + ",smal=3":      `there is no "smal" in the file (did you mean "small"?)`,
		templates + ",small=x":     `"small=x" is no count (try small=3)`,
		templates + ",small=10001": "is no count",
		file:                       "it has no Node, and no offer of one",
		like:                       "offer big: like is a node of a cluster, and there is none",
		"nowhere.yaml":             "no such file",
	} {
		if p := program(t, "run", file, "--nodes", value); p.code == 0 || p.code == 3 || !strings.Contains(p.err, want) {
			t.Errorf("--nodes %s: exit code %d, %s", value, p.code, p.err)
		}
	}
}
