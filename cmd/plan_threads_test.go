package cmd_test

import (
	"os"
	"strings"
	"testing"
)

// threads are questions of public threads, of which docs/plans.md has a table.
var threads = []struct {
	link, command string
	code          int
	answer        []string // lines of it begin so
}{
	{
		"kubernetes-sigs/karpenter/issues/711", "plan drain old karpenter-711.yaml", 3,
		[]string{
			"drain old: every step is carried out, and 1 pods are left without a node",
			"2     10ms    evict shop/big-1    shop/big-b9f66 -> no node    certain",
			"3     30.02s  evict shop/web-1    shop/web-4654b -> full|half  tie      10.01s",
			"without a node: shop/big-b9f66, priority 0: 0/3 nodes are available: 1 node(s) were unschedulable, " +
				"2 Insufficient cpu.",
		},
	},
	{
		"aws/karpenter-provider-aws/issues/3732", "plan pack karpenter-711.yaml", 0,
		[]string{"1. full: 1 pods move", "keeps its pods: old: the others have no room for its pods too"},
	},
	{
		"kubernetes-sigs/karpenter/issues/1962",
		"plan capacity --templates aws-offers.yaml karpenter-1962-pods.yaml", 0,
		[]string{
			"capacity: 6 pods get a node with 1 × m6a.xlarge; price 0.1728",
			"no mix of the offers is better; ",
		},
	},
	{
		"kubernetes-sigs/karpenter/issues/2150",
		"plan capacity --templates aws-offers.yaml karpenter-2150-pods.yaml", 0,
		[]string{
			"capacity: 16 pods get a node with 1 × c5a.xlarge, 1 × r6a.4xlarge; price 1.1692",
			"no mix of the offers is better; ",
		},
	},
	{
		"kubernetes-sigs/karpenter/issues/2171", "plan upgrade -l pool=main karpenter-2171.yaml", 3,
		[]string{
			"upgrade: BLOCKED in wave 1 by shop/db-0: The disruption budget db needs 3 healthy pods and has 3 currently; " +
				"0 nodes are replaced, 3 are not",
			"3     1m30.03s  evict shop/web-1                      shop/web-7b6f7b7994-6b46b -> p1-new  certain  10.01s",
			"4     2m5.03s   evict shop/db-0                       BLOCKED",
		},
	},
	{
		"aws/karpenter-provider-aws/issues/5944",
		"plan capacity --templates aws-offers.yaml provider-aws-5944-pods.yaml", 0,
		[]string{
			"capacity: 8 pods get a node with 2 × c5a.xlarge, 1 × r6a.2xlarge; price 0.8156",
			"no mix of the offers is better; ",
			"comes: shop/cache-1 -> new-r6a.2xlarge-1 (certain)",
		},
	},
	{
		"kubernetes-sigs/descheduler/issues/1584", "plan drain n1 n2 n3 n4 n5 descheduler-1584.yaml", 3,
		[]string{
			"drain n1 n2 n3 n4 n5: every step is carried out, and 9 pods are left without a node",
			"6     10ms      evict shop/ten-1   shop/ten-5b9b9 -> spare    certain  10.01s",
			"7     30.02s    evict shop/ten-2   shop/ten-75f76 -> no node  certain",
		},
	},
	{
		"kubernetes-sigs/kueue/issues/15614", "plan room train --evictions 1 kueue-15614.yaml kueue-15614-job.yaml", 3,
		[]string{
			"room train: NOT POSSIBLE with evictions of up to 1 pods",
			"all sets of evictions were tried that may leave enough room",
			"without a node: shop/train-4, priority 0: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
		},
	},
	{
		"kubernetes-sigs/kueue/issues/15614",
		"plan capacity --templates kueue-15614-offers.yaml kueue-15614.yaml kueue-15614-job.yaml", 0,
		[]string{"capacity: 1 pods get a node with 1 × gpu; price 3.06", "comes: shop/train-4 -> new-gpu-1 (certain)"},
	},
}

// TestPublicThreadsHaveAnswers runs the commands of the table in docs/plans.md.
func TestPublicThreadsHaveAnswers(t *testing.T) {
	page, err := os.ReadFile("../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata/plans")
	for _, thread := range threads {
		t.Run(thread.command, func(t *testing.T) {
			if !strings.Contains(string(page), thread.link) || !strings.Contains(string(page), "`"+thread.command+"`") {
				t.Errorf("docs/plans.md has no row with %s and %s", thread.link, thread.command)
			}
			got := program(t, append(strings.Fields(thread.command), "-q")...)
			if got.code != thread.code {
				t.Errorf("exit %d, want %d: %s", got.code, thread.code, got.err)
			}
			for _, line := range thread.answer {
				if !strings.Contains("\n"+got.out, "\n"+line) {
					t.Errorf("no line begins with %q in:\n%s", line, got.out)
				}
			}
		})
	}
}
