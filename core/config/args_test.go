package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/release"
)

// This test is inside the package because only the plugins see the args.
func TestArgsDefaultToKubeSchedulers(t *testing.T) {
	resources := []configv1.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
	ten, hundred, one, wait := int32(10), int32(100), int32(1), int64(600)
	want := arguments{
		defaultPreemption: configv1.DefaultPreemptionArgs{
			MinCandidateNodesPercentage: &ten, MinCandidateNodesAbsolute: &hundred,
		},
		dynamicResources: configv1.DynamicResourcesArgs{
			FilterTimeout:  &metav1.Duration{Duration: 10 * time.Second},
			BindingTimeout: &metav1.Duration{Duration: 10 * time.Minute},
		},
		interPodAffinity:   configv1.InterPodAffinityArgs{HardPodAffinityWeight: &one},
		balancedAllocation: configv1.NodeResourcesBalancedAllocationArgs{Resources: resources},
		fit: configv1.NodeResourcesFitArgs{
			ScoringStrategy: &configv1.ScoringStrategy{Type: configv1.LeastAllocated, Resources: resources},
		},
		podTopologySpread: configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting},
		volumeBinding: configv1.VolumeBindingArgs{
			BindTimeoutSeconds: &wait,
			Shape:              []configv1.UtilizationShapePoint{{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0}},
		},
		former: formerArgs{
			leastAllocated: allocatedArgs{Resources: resources}, mostAllocated: allocatedArgs{Resources: resources},
			ratio: ratioArgs{Resources: resources},
		},
	}
	var got arguments
	got.setDefaults()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(arguments{}, formerArgs{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestArgsOfAFileGoBeforeDefaults(t *testing.T) {
	given, errs := decode([]byte(`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [{"pluginConfig": [
		{"name": "NodeResourcesFit", "args": {"ignoredResources": ["example.com/a"], "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 5}, {"name": "memory"}]}}},
		{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": true}}]}]}`), Gates{}, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	known, profile := catalogueOf(release.Newest(), nil), &given.document.Profiles[0]
	p, _, errs := readProfile(profilePath(0), profile, known, Gates{}, given)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	fit := configv1.NodeResourcesFitArgs{IgnoredResources: []string{
		"example.com/a",
	}, ScoringStrategy: &configv1.ScoringStrategy{
		Type:      configv1.MostAllocated,
		Resources: []configv1.ResourceSpec{{Name: "cpu", Weight: 5}, {Name: "memory", Weight: 1}},
	}}
	zero := int32(0)
	affinity := configv1.InterPodAffinityArgs{HardPodAffinityWeight: &zero, IgnorePreferredTermsOfExistingPods: true}
	if diff := cmp.Diff(fit, p.args.fit); diff != "" {
		t.Errorf("NodeResourcesFitArgs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(affinity, p.args.interPodAffinity); diff != "" {
		t.Errorf("InterPodAffinityArgs (-want +got):\n%s", diff)
	}
}
