package cmd_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	madeKept = flag.String("made-keep", "", "the folder in which made clusters, and what was found for them, are kept")
	madeSize = flag.Int("made-size", 1, "how many times as many nodes and pods made clusters have")
)

// madeGPU is a cluster of machines with 4 and 8 GPUs, and jobs that want 1, 2, 4 or 8 of them: all together about as
// many as there are.
func madeGPU(seed uint64, size int) string {
	chance, text := rand.New(rand.NewPCG(seed, 0x69)), &strings.Builder{}
	left := 0
	for i := range 24 * size {
		gpus, cpu, memory := 8, 96, 768
		if i%3 == 2 {
			gpus, cpu, memory = 4, 64, 256
		}
		left += gpus
		fmt.Fprintf(text, "{apiVersion: v1, kind: Node, metadata: {name: gpu-%d}, status: {allocatable: {cpu: %d, "+
			"memory: %dGi, pods: 60, nvidia.com/gpu: %d}}}\n---\n", i, cpu, memory, gpus)
	}
	for i := 0; left > 0; i++ {
		gpus := []int{1, 1, 1, 1, 1, 1, 2, 2, 4, 8}[chance.IntN(10)]
		left -= gpus
		fmt.Fprintf(text, "{apiVersion: v1, kind: Pod, metadata: {name: job-%d}, spec: {containers: [{name: c, image: i, "+
			"resources: {requests: {cpu: %d, memory: %dGi}, limits: {nvidia.com/gpu: %d}}}]}}\n---\n", i,
			gpus*(2+chance.IntN(6)), gpus*(8+chance.IntN(24)), gpus)
	}
	return text.String()
}

// madeWeb is a cluster of three zones with machines of two sizes, and Deployments that are spread over the zones where
// that is possible: together they want about half of it.
func madeWeb(seed uint64, size int) string {
	chance, text := rand.New(rand.NewPCG(seed, 0x3eb)), &strings.Builder{}
	for i := range 30 * size {
		cpu := 8 << (i % 2)
		fmt.Fprintf(text, "{apiVersion: v1, kind: Node, metadata: {name: web-%d, labels: {kubernetes.io/hostname: web-%d, "+
			"topology.kubernetes.io/zone: z%d}}, status: {allocatable: {cpu: %d, memory: %dGi, pods: 110}}}\n---\n", i, i,
			i%3, cpu, cpu*4)
	}
	for left, i := 180*size, 0; left > 0; i++ {
		replicas, cpu := 1+chance.IntN(9), 100*(1+chance.IntN(20))
		left -= max(1, replicas*cpu/1000)
		fmt.Fprintf(text, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: app-%d}, spec: {replicas: %d, "+
			"selector: {matchLabels: {app: a%d}}, template: {metadata: {labels: {app: a%d}}, spec: {"+
			"topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "+
			"ScheduleAnyway, labelSelector: {matchLabels: {app: a%d}}}], containers: [{name: c, image: i, resources: "+
			"{requests: {cpu: %dm, memory: %dMi}}}]}}}}\n---\n", i, replicas, i, i, i, cpu, cpu*(1+chance.IntN(4)))
	}
	return text.String()
}

// packs is a configuration under which fuller nodes are better, and GPUs count most.
const packs = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}, {name: nvidia.com/gpu, weight: 5}]
`

// judged is what is read of a tune.json.
type judged struct {
	Best, Verdict string
	Steps         []struct{ Runs int }
	Summary       struct {
		Cases, Better, Worse           int
		Base, Best, Difference, Chance float64
	}
}

// Eight clusters of a kind, of which the search sees two.
func TestTuneIsBetterThanTheDefaultOnClustersItHasNotSeen(t *testing.T) {
	folder := *madeKept
	if folder == "" {
		folder = t.TempDir()
	}
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := file("packs.yaml", packs)
	for _, c := range []struct {
		name, objective string
		vary            []string
		made            func(uint64, int) string
	}{
		{"gpu", "unplaced", []string{"config=-," + config, "weight.NodeResourcesFit=1..50"}, madeGPU},
		{"gpu-weights", "unplaced", []string{
			"weight.NodeResourcesFit=1..50", "weight.NodeResourcesBalancedAllocation=1..50",
		}, madeGPU},
		{"web", "cost + 100 * unplaced", []string{
			"config=-," + config, "weight.NodeResourcesFit=1..50", "weight.PodTopologySpread=1..50",
		}, madeWeb},
	} {
		out := filepath.Join(folder, c.name)
		args := []string{
			"sweep", "tune", "-q", "-o", out, "--objective", c.objective, "--price", "cpu=0.03", "--trials", "16", "--rounds",
			"2", "--orders", "1",
		}
		for _, v := range c.vary {
			args = append(args, "--vary", v)
		}
		for i := range 8 {
			in := file(fmt.Sprintf("%s-%d.yaml", c.name, i), c.made(uint64(i), *madeSize))
			if i > 1 {
				args = append(args, "--hold-out")
			}
			args = append(args, in)
		}
		got := ok(t, args...)
		t.Logf("%s\n%s", c.name, got.out)
		var found judged
		text, err := os.ReadFile(filepath.Join(out, "tune.json"))
		if err == nil {
			err = json.Unmarshal(text, &found)
		}
		if err != nil || found.Verdict != "better" {
			t.Errorf("%s: %s, %v", c.name, found.Verdict, err)
		}
	}
}
