package compare_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/config"
)

// flipped counts what TestAFlipWeightFlipsInKubeSchedulerToo has tried.
type flipped struct {
	tally   compare.Tally
	pods    int            // that were placed, with a runner-up
	none    int            // of them, those for which no weight of one plugin flips the choice
	flips   int            // weights with which the runner-up should be chosen
	fewer   int            // of them those that are less than the weight that the plugin has
	chance  int            // choices in which kube-scheduler takes one of the best nodes by chance
	plugins map[string]int // flips by plugin
}

// TestAFlipWeightFlipsInKubeSchedulerToo draws clusters, each with one pending pod, and works out with which weight of
// one plugin the runner-up would be chosen. A kube-scheduler that is configured with that weight must choose it; one
// with the next weight, towards the one that the plugin has, must not. Ours runs beside it, and both must agree in
// everything else too.
func TestAFlipWeightFlipsInKubeSchedulerToo(t *testing.T) {
	from, to := plays.Seeds(t, 60)
	to = from + (to-from+4)/5 // a cluster is played a dozen times here
	of := flipped{plugins: map[string]int{}}
	for seed := from; seed < to; seed++ {
		for _, play := range contests(seed) {
			of.try(t, seed, play)
		}
	}
	t.Logf("seeds %d to %d: %d pods with a runner-up, for %d of them no weight flips the choice; %d weights flip it, %d of "+
		"them below the present one, by plugin: %v; %d kube-schedulers were asked, of which %d took one of the best nodes "+
		"by chance", from, to, of.pods, of.none, of.flips, of.fewer, of.plugins, of.tally.Cases, of.chance)
	if 3*of.pods < to-from || 2*of.flips < of.pods || len(of.plugins) < 3 || 4*of.chance > of.tally.Cases {
		t.Errorf("that is little: %+v", of)
	}
}

// contest is a play that ends with the only cycle about a pod that was pending.
type contest struct {
	compare.Play
	pod     string
	weights map[string]int32 // of the score plugins that do not have their default
}

// contests are the pending pods of a drawn cluster, each on its own. Every second cluster has drawn weights.
func contests(seed int) []contest {
	features := generate.Only(50, generate.Images, generate.PreferredNodeAffinity, generate.SoftSpread,
		generate.PreferredPodAffinity, generate.Taints, generate.Tolerations, generate.Owners, generate.Zones)
	drawn := generate.WithWeights(features).Example(seed)
	weights := map[string]int32{}
	if luck := rand.New(rand.NewPCG(uint64(seed), 11)); seed%2 == 1 {
		for _, plugin := range []string{
			"TaintToleration", "NodeAffinity", "PodTopologySpread", "InterPodAffinity", "NodeResourcesFit",
			"NodeResourcesBalancedAllocation", "ImageLocality",
		} {
			weights[plugin] = int32(1 + luck.IntN(9))
		}
	}
	var all []contest
	for _, pod := range drawn.Pending[:min(3, len(drawn.Pending))] {
		alone := drawn
		alone.Pending, alone.Churn = []*corev1.Pod{pod}, nil
		all = append(all, contest{compare.OfCase(alone, nil), pod.Namespace + "/" + pod.Name, weights})
	}
	return all
}

func (of *flipped) try(t *testing.T, seed int, c contest) {
	t.Helper()
	c.Configuration = weighted(t, c.weights, "", 0)
	s, err := played(c.Play)
	if err != nil {
		t.Fatal(err)
	}
	duel, err := s.At().Against(c.pod, "")
	if err != nil || duel.Cycle.Selected == nil {
		return // it has no node, or only one fits
	}
	of.pods++
	if len(duel.Flips) == 0 {
		of.none++
	}
	for _, f := range duel.Flips {
		of.flips++
		of.plugins[f.Plugin]++
		if f.Weight < f.Now {
			of.fewer++
		}
		if node := of.chosen(t, seed, c, f.Plugin, f.Weight); node != duel.Other {
			t.Errorf(
				"seed %d, %s: with %s of weight %d it is on %s, not on %s", seed, c.pod, f.Plugin, f.Weight, node,
				duel.Other,
			)
		}
		if node := of.chosen(t, seed, c, f.Plugin, f.Not); node == duel.Other || node == "" {
			t.Errorf("seed %d, %s: with %s of weight %d it is on %q already", seed, c.pod, f.Plugin, f.Not, node)
		}
	}
}

// chosen is the node of the pod when a plugin has another weight in the configuration of both schedulers.
func (of *flipped) chosen(t *testing.T, seed int, c contest, plugin string, weight int64) string {
	t.Helper()
	c.Configuration = weighted(t, c.weights, plugin, int32(weight))
	before := of.tally.Chance
	node := placed(t, seed, c.Play, nil, c.pod, &of.tally)
	of.chance += of.tally.Chance - before
	return node
}

// weighted is the default configuration with other weights, of which the last may replace one; plugins that ours does
// not judge with are left out.
func weighted(t *testing.T, weights map[string]int32, plugin string, weight int32) []byte {
	t.Helper()
	weights = maps.Clone(weights)
	if plugin != "" {
		weights[plugin] = weight
	}
	points := &configv1.Plugins{}
	for _, plugin := range slices.Sorted(maps.Keys(weights)) {
		weight := weights[plugin]
		points.MultiPoint.Enabled = append(points.MultiPoint.Enabled, configv1.Plugin{Name: plugin, Weight: &weight})
	}
	name := corev1.DefaultSchedulerName
	document := &configv1.KubeSchedulerConfiguration{
		Profiles: []configv1.KubeSchedulerProfile{{SchedulerName: &name, Plugins: points}},
	}
	document.APIVersion, document.Kind = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	judged, _, err := compare.Judged(data, config.Gates{})
	if err != nil {
		t.Fatal(err)
	}
	return judged
}
