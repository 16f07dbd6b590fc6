package oracle_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// extender refuses n0 and gives every other node the same ten points.
func extender(t *testing.T) http.Handler {
	t.Helper()
	nodes := func(r *http.Request) []corev1.Node {
		var arguments extenderv1.ExtenderArgs
		if err := json.NewDecoder(r.Body).Decode(&arguments); err != nil {
			t.Error(err)
		}
		return arguments.Nodes.Items
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/filter", func(w http.ResponseWriter, r *http.Request) {
		result := extenderv1.ExtenderFilterResult{Nodes: &corev1.NodeList{}, FailedNodes: extenderv1.FailedNodesMap{}}
		for _, n := range nodes(r) {
			if n.Name == "n0" {
				result.FailedNodes[n.Name] = "not this one"
				continue
			}
			result.Nodes.Items = append(result.Nodes.Items, n)
		}
		if err := json.NewEncoder(w).Encode(result); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/prioritize", func(w http.ResponseWriter, r *http.Request) {
		list := extenderv1.HostPriorityList{}
		for _, n := range nodes(r) {
			list = append(list, extenderv1.HostPriority{Host: n.Name, Score: 10})
		}
		if err := json.NewEncoder(w).Encode(list); err != nil {
			t.Error(err)
		}
	})
	return mux
}

func TestExtendersFilterAndMakeTiesChance(t *testing.T) {
	server := httptest.NewServer(extender(t))
	t.Cleanup(server.Close)
	configuration := fmt.Sprintf(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: %q, filterVerb: filter, prioritizeVerb: prioritize, weight: 2}
`, server.URL)
	o := askWith(t, configuration,
		node("n0", "", resources("cpu", "4", "memory", "8Gi")),
		node("n1", "", resources("cpu", "4", "memory", "8Gi")),
		node("n2", "", resources("cpu", "4", "memory", "8Gi")))
	answer := schedule(t, o, pod("p", resources("cpu", "1")))
	d := answer.Decision
	if !d.HostByChance || d.EvaluatedNodes != 3 || d.FeasibleNodes != 2 {
		t.Errorf("got %+v", d)
	}
	if diff := cmp.Diff([]string{"n1", "n2"}, d.Best); diff != "" {
		t.Errorf("best (-want +got):\n%s", diff)
	}
	scores := answer.Scores[0].Plugins
	if last := scores[len(scores)-1]; last.Weighted != 200 {
		t.Errorf("extender's 10 of 10 with weight 2 is 200, got %+v", last)
	}
	selective := pod("q", nil)
	selective.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "n0"}
	d = schedule(t, o, selective).Decision
	want := "0/3 nodes are available: 1 not this one, 2 node(s) didn't match Pod's node affinity/selector."
	if d.FitError != want {
		t.Errorf("got %q", d.FitError)
	}
	if diff := cmp.Diff([]string{"Extender", "NodeAffinity"}, d.UnschedulablePlugins); diff != "" {
		t.Errorf("rejectors (-want +got):\n%s", diff)
	}
}
