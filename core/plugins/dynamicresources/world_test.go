package dynamicresources_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/dynamicresources"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

const driver = "gpu.example.com"

var epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

func plugin() *dynamicresources.Plugin {
	return dynamicresources.New(configv1.DynamicResourcesArgs{
		FilterTimeout:  &metav1.Duration{Duration: 10 * time.Second},
		BindingTimeout: &metav1.Duration{Duration: 10 * time.Minute},
	}, framework.GroupRules{}, dynamicresources.Gates{}, dynamicresources.Ways{})
}

func node(name string) *corev1.Node {
	return build.Node(name, build.NodeLabels(corev1.LabelHostname, name))
}

func class(name string, selectors ...string) *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1.DeviceClassSpec{Selectors: expressions(selectors)},
	}
}

func expressions(selectors []string) []resourcev1.DeviceSelector {
	var out []resourcev1.DeviceSelector
	for _, s := range selectors {
		out = append(out, resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: s}})
	}
	return out
}

// slice lists devices of a node; an empty node stands for all nodes.
func slice(node string, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-" +
		node}, Spec: resourcev1.ResourceSliceSpec{
		Driver: driver, Pool: resourcev1.ResourcePool{Name: "pool-" + node, Generation: 1, ResourceSliceCount: 1},
		Devices: devices,
	}}
	if everywhere := true; node == "" {
		s.Spec.AllNodes = &everywhere
	} else {
		s.Spec.NodeName = &node
	}
	return s
}

func device(name, model string) resourcev1.Device {
	return resourcev1.Device{
		Name:       name,
		Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &model}},
		Capacity:   map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("80Gi")}},
	}
}

func exactly(name, class string, count int64, selectors ...string) resourcev1.DeviceRequest {
	return resourcev1.DeviceRequest{Name: name, Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		Selectors: expressions(selectors),
	}}
}

func claim(name string, requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)},
		Spec:       resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}},
	}
}

// allocated is the claim with a device of a node, used by the named pods.
func allocated(c *resourcev1.ResourceClaim, node, device string, pods ...string) *resourcev1.ResourceClaim {
	c = c.DeepCopy()
	c.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "req", Driver: driver, Pool: "pool-" + node, Device: device},
		}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
			},
		}}},
	}
	for _, p := range pods {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourcev1.ResourceClaimConsumerReference{
			Resource: "pods", Name: p, UID: types.UID("uid-" + p),
		})
	}
	return c
}

// pod uses claims by name.
func pod(name string, claims ...string) *corev1.Pod {
	p := build.Pod(name, build.Containers(corev1.Container{Name: "main"}))
	p.UID = types.UID("uid-" + name)
	for i := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{
			Name: fmt.Sprintf("use-%d", i), ResourceClaimName: &claims[i],
		})
	}
	return p
}

// wants makes a container of the pod request an extended resource.
func wants(p *corev1.Pod, name corev1.ResourceName, count string) *corev1.Pod {
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{name: resource.MustParse(count)}
	return p
}

func study(s *cluster.State, p *corev1.Pod) framework.Study {
	v := s.Settle()
	v.Now = epoch
	return plugin().PreFilter(s.ParsePod(p), v)
}

// verdicts is what every node gets, in the order of the snapshot.
func verdicts(t *testing.T, s *cluster.State, p *corev1.Pod) []trace.Verdict {
	t.Helper()
	found := study(s, p)
	if !found.Verdict.OK() {
		t.Fatalf("PreFilter: %s", found.Verdict)
	}
	var all []trace.Verdict
	for _, n := range s.Snapshot().Nodes {
		all = append(all, found.Check.Filter(n))
	}
	return all
}
