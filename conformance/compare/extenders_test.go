package compare_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/plays"
	"github.com/schedstep/schedstep/core/trace"
)

// opinion is a number from 0 to 11 that depends on its arguments and nothing else.
func opinion(about ...string) int {
	h := fnv.New32a()
	for _, part := range about {
		h.Write([]byte(part + "/"))
	}
	return int(h.Sum32() % 12)
}

// opinionated answers filter and prioritize of whatever protocol, by name or by object, always the same way for the
// same request. Its URL has no path, so that both sides call it by its URL.
func opinionated(t *testing.T, who string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/filter", func(w http.ResponseWriter, r *http.Request) {
		pod, nodes, byName := asked(t, r)
		result, left := filtered(who, pod, nodes)
		if byName {
			names := make([]string, len(left))
			for i, n := range left {
				names[i] = n.Name
			}
			result.NodeNames = &names
		} else {
			result.Nodes = &corev1.NodeList{Items: left}
		}
		answer(t, w, result)
	})
	mux.HandleFunc("/prioritize", func(w http.ResponseWriter, r *http.Request) {
		pod, nodes, _ := asked(t, r)
		if opinion(who, pod, "scores") == 0 {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		list := extenderv1.HostPriorityList{}
		for _, n := range nodes {
			if score := opinion(who, pod, n.Name, "score"); score < 11 {
				list = append(list, extenderv1.HostPriority{Host: n.Name, Score: int64(score)})
			}
		}
		answer(t, w, list)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// asked decodes a request; of nodes that come by name only the name is known.
func asked(t *testing.T, r *http.Request) (pod string, nodes []corev1.Node, byName bool) {
	t.Helper()
	var a extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		t.Error(err)
	}
	if a.NodeNames == nil {
		return a.Pod.Name, a.Nodes.Items, false
	}
	for _, name := range *a.NodeNames {
		n := corev1.Node{}
		n.Name = name
		nodes = append(nodes, n)
	}
	return a.Pod.Name, nodes, true
}

func answer(t *testing.T, w http.ResponseWriter, with any) {
	t.Helper()
	if err := json.NewEncoder(w).Encode(with); err != nil {
		t.Error(err)
	}
}

// filtered is the verdict of an extender on nodes, and those it leaves.
func filtered(who, pod string, nodes []corev1.Node) (extenderv1.ExtenderFilterResult, []corev1.Node) {
	result := extenderv1.ExtenderFilterResult{
		FailedNodes: extenderv1.FailedNodesMap{}, FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{},
	}
	left := []corev1.Node{}
	for _, n := range nodes {
		switch opinion(who, pod, n.Name) {
		case 0:
			result.FailedNodes[n.Name] = "not today"
		case 1:
			result.FailedAndUnresolvableNodes[n.Name] = "never"
		case 2: // left out without a word
		case 3:
			result.FailedNodes[n.Name], result.FailedAndUnresolvableNodes[n.Name] = "not today", "never"
		case 4:
			result.FailedNodes["mars"] = "too far"
		default:
			left = append(left, n)
		}
	}
	if opinion(who, pod, "mood") == 0 {
		result.Error = who + " is out of order"
	}
	return result, left
}

// ofChance marks a difference that had to be expected: several nodes whose dry run broke are listed from a random one
// on.
func ofChance(d compare.Difference) bool {
	letters := func(s string) string {
		words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,[]", r) })
		slices.Sort(words)
		return strings.Join(words, " ")
	}
	return d.What == "message" && strings.Contains(d.Ours, "expected at least one victim pod") &&
		letters(d.Ours) == letters(d.Theirs)
}

// TestExtendersAreAskedAndHeardAsByKubeScheduler plays crowded clusters with two extenders that both sides call: one by
// name that may be ignored, one by object.
func TestExtendersAreAskedAndHeardAsByKubeScheduler(t *testing.T) {
	a, b := opinionated(t, "a"), opinionated(t, "b")
	from, to := plays.Seeds(t, clusters)
	tally := &compare.Tally{}
	shown := map[string]int{}
	for seed := from; seed < to; seed++ {
		play := plays.Of(t, seed, plays.Crowded)
		play.Configuration = fmt.Appendf(nil, `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: %q, filterVerb: filter, prioritizeVerb: prioritize, weight: 2, nodeCacheCapable: true, ignorable: true}
- {urlPrefix: %q, filterVerb: filter, prioritizeVerb: prioritize, weight: 5, nodeCacheCapable: %v}
`, a, b, seed%2 == 0)
		differences, err := play.Run(tally)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, d := range differences {
			if ofChance(d) {
				continue
			}
			shown[d.Kind()]++
			if shown[d.Kind()] == 1 {
				plays.Report(t, seed, play, d)
			}
		}
	}
	t.Logf("seeds %d to %d\n%s", from, to, tally)
	if len(shown) > 0 {
		t.Errorf("differences by kind: %v", shown)
	}
	if tally.Errors == 0 || tally.Placed == 0 || tally.Unplaced == 0 {
		t.Errorf("nothing to compare: %d errors, %d placed, %d unplaced", tally.Errors, tally.Placed, tally.Unplaced)
	}
}

// TestPlantedFaultsInExtendersScoresAreFound gives an extender another score, and
// one to a node that it did not name.
func TestPlantedFaultsInExtendersScoresAreFound(t *testing.T) {
	a := opinionated(t, "a")
	kinds := map[string]bool{}
	for seed := range 12 {
		play := plays.Of(t, seed, plays.Crowded)
		play.Configuration = fmt.Appendf(nil, `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: %q, prioritizeVerb: prioritize, weight: 2}
`, a)
		play.Tamper.Cycle = func(c *trace.Try) {
			if c.Scores == nil {
				return
			}
			for _, column := range c.Scores.Columns {
				for k := range column.Normalized {
					if strings.HasPrefix(column.Plugin, "http://") {
						column.Normalized[k]++
					}
				}
			}
		}
		differences, err := play.Run(&compare.Tally{})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, d := range differences {
			kinds[d.What] = true
		}
	}
	if !kinds["weighted score"] || !kinds["Score plugins"] {
		t.Errorf("the differences found: %v", kinds)
	}
}
