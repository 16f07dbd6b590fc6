package cmd_test

import (
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
