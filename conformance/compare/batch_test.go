package compare_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/core/trace"
)

// signable has no default spread constraints, without which pods can be signed.
const signable = `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[
{"pluginConfig":[{"name":"PodTopologySpread","args":{"defaultingType":"List"}}]}]}`

// alike makes several pods of some of the pending ones, that differ in their names alone.
func alike(c generate.Case, seed int) generate.Case {
	var pending []*corev1.Pod
	for i, pod := range c.Pending {
		pending = append(pending, pod)
		if len(pod.Spec.ResourceClaims) > 0 {
			continue
		}
		for k := range (seed + i) % 5 {
			twin := pod.DeepCopy()
			twin.Name = fmt.Sprintf("%s-%d", pod.Name, k)
			twin.UID = types.UID(fmt.Sprintf("%s-%d", pod.UID, k))
			pending = append(pending, twin)
		}
	}
	c.Pending = pending
	return c
}

func reusing(t *testing.T, seed int) compare.Play {
	t.Helper()
	weights := generate.Only(25, generate.Zones, generate.BoundVolumes, generate.OtherChurn, generate.NodeChurn)
	play := compare.OfCase(alike(generate.WithWeights(weights).Example(seed), seed), []byte(signable))
	play.Confirm = seed % 3
	return play
}

// TestScoresAreReusedAsKubeSchedulerDoes plays clusters in which pods are like
// those before them.
func TestScoresAreReusedAsKubeSchedulerDoes(t *testing.T) {
	tally := compareAll(t, func(seed int) compare.Play { return reusing(t, seed) })
	if tally.Reused < tally.Cases {
		t.Errorf("%d cases reused scores %d times only", tally.Cases, tally.Reused)
	}
}

// TestWrongReuseIsFound has scores reused that are not to be, and kept that are not kept.
func TestWrongReuseIsFound(t *testing.T) {
	for name, tamper := range map[string]func(*trace.Try){
		"a hint that is not taken": func(c *trace.Try) {
			if c.Batch != nil {
				c.Batch.Hint = nil
			}
		},
		"scores of another order": func(c *trace.Try) {
			if c.Batch != nil && c.Batch.Kept != nil && len(c.Batch.Kept.Nodes) > 1 {
				kept := c.Batch.Kept.Nodes
				kept[0], kept[1] = kept[1], kept[0]
			}
		},
	} {
		found := false
		for seed := 0; seed < 40 && !found; seed++ {
			play := reusing(t, seed)
			play.Tamper.Cycle = tamper
			var tally compare.Tally
			differences, err := play.Run(&tally)
			if err != nil {
				t.Fatal(err)
			}
			found = len(differences) > 0
		}
		if !found {
			t.Errorf("%s: nobody notices", name)
		}
	}
}
