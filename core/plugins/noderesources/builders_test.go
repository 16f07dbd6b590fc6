package noderesources_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/noderesources"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

// amounts is a resource list in words.
type amounts map[string]string

func (a amounts) list() corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, quantity := range a {
		list[corev1.ResourceName(name)] = resource.MustParse(quantity)
	}
	return list
}

func node(name string, allocatable amounts) *corev1.Node {
	return build.Node(name, build.Allocatable(allocatable.list()))
}

// pod has one container for each list of requests.
func pod(name string, requests ...amounts) *corev1.Pod {
	containers := make([]corev1.Container, len(requests))
	for i, r := range requests {
		containers[i] = build.Requests(r.list())
	}
	return build.Pod(name, build.Containers(containers...))
}

// on is the pod bound to a node.
func on(node string, p *corev1.Pod) *corev1.Pod {
	p.Spec.NodeName = node
	return p
}

var cpuAndMemory = []configv1.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}

func fit(strategy configv1.ScoringStrategyType, resources ...configv1.ResourceSpec) *noderesources.Fit {
	if len(resources) == 0 {
		resources = cpuAndMemory
	}
	return noderesources.NewFit(configv1.NodeResourcesFitArgs{
		ScoringStrategy: &configv1.ScoringStrategy{Type: strategy, Resources: resources},
	}, noderesources.Ways{})
}

func balanced(resources ...configv1.ResourceSpec) *noderesources.BalancedAllocation {
	if len(resources) == 0 {
		resources = cpuAndMemory
	}
	return noderesources.NewBalancedAllocation(
		configv1.NodeResourcesBalancedAllocationArgs{Resources: resources}, noderesources.Ways{},
	)
}

// filter is the plugin's verdict on the first node.
func filter(p framework.FilterPlugin, s *cluster.State, api *corev1.Pod) trace.Verdict {
	snapshot := s.Snapshot()
	return p.PreFilter(s.ParsePod(api), snapshot).Check.Filter(snapshot.Nodes[0])
}

// scores are the raw scores of all nodes, which are the final ones as long as the plugin does not normalise.
func scores(t *testing.T, p framework.ScorePlugin, s *cluster.State, api *corev1.Pod) []int64 {
	t.Helper()
	snapshot := s.Snapshot()
	scoring := p.PreScore(s.ParsePod(api), snapshot, snapshot.Nodes)
	if !scoring.Verdict.OK() {
		t.Fatalf("PreScore: %s", scoring.Verdict)
	}
	raw := make([]int64, len(snapshot.Nodes))
	if v := scoring.Scorer.Score(snapshot.Nodes, raw); !v.OK() {
		t.Fatalf("Score: %s", v)
	}
	if v := scoring.Scorer.Normalize(snapshot.Nodes, raw); !v.OK() {
		t.Fatalf("Normalize: %s", v)
	}
	return raw
}
