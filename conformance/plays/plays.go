// Package plays draws plays from seeds for the comparisons: the same cluster, events and configuration for a seed in
// every run. It compares a range of them for a test, and reports where the two sides differ; how they are compared is
// not its matter.
package plays

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	configv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
)

// Drawn is a cluster with its own mixture of everything, under the gates of a release.
func Drawn(seed int, gates config.Gates) (compare.Play, error) {
	return under(seed, gates, generate.Cases().Example(seed))
}

// Roomy is a cluster in which most pods find a node, and most nodes are scored; every fourth has more nodes than are
// searched for.
func Roomy(seed int, gates config.Gates) (compare.Play, error) {
	weights := generate.Only(45, generate.Images, generate.PreferredNodeAffinity, generate.SoftSpread,
		generate.PreferredPodAffinity, generate.Taints,
		generate.Tolerations, generate.Owners)
	for f, weight := range map[generate.Feature]int{
		generate.Zones: 100, generate.MissingLabels: 15, generate.Namespaces: 15, generate.OddQuantities: 15,
		generate.Priorities: 15, generate.PodAffinity: 5,
		generate.DelayedVolumes: 15, generate.StorageCapacity: 50, generate.BoundVolumes: 10, generate.Devices: 10,
		generate.ExtendedDevices:   15,
		generate.ExtendedResources: 10, generate.NodeChurn: 20, generate.PodChurn: 20, generate.OtherChurn: 20,
	} {
		weights[f] = weight
	}
	if seed%4 == 0 && readsV1(gates) { // those before filter 16 nodes at once: which of many they find is chance
		weights[generate.Large] = 100
	}
	return under(seed, gates, generate.WithWeights(weights).Example(seed))
}

// Restless is a small cluster in which much happens to waiting pods.
func Restless(seed int, gates config.Gates) (compare.Play, error) {
	weights := generate.Only(60, generate.Gates, generate.PodChurn, generate.NodeChurn, generate.OtherChurn,
		generate.HostPorts,
		generate.PodAntiAffinity, generate.Spread, generate.Taints, generate.NodeSelectors, generate.Zones)
	judged, _, err := compare.Judged(nil, gates)
	play := compare.OfCase(generate.WithWeights(weights).Example(seed), judged)
	play.Gates = gates
	return play, err
}

// under is the play of a case: every second has a drawn configuration, every third sees placed pods late.
func under(seed int, gates config.Gates, c generate.Case) (compare.Play, error) {
	var configuration []byte
	if seed%2 == 1 && readsV1(gates) {
		var left []string
		if !gates.On("StorageCapacityScoring") {
			left = append(left, "VolumeBinding") // its shape would be refused
		}
		configuration = generate.Configurations(left...).Example(seed)
	}
	policies := gates.Release().Policy
	if seed%4 == 2 && gates.Release().Configuration() == "kubescheduler.config.k8s.io/v1beta1" {
		configuration = generate.FormerConfigurations().Example(seed)
	}
	if seed%2 == 1 && policies != nil {
		policy := generate.Policies(unknownTo(policies)...).Example(seed)
		if configuration = policy.JSON; policy.Spreads {
			c = lone(c)
		}
	}
	judged, _, err := compare.Judged(configuration, gates)
	if err != nil {
		return compare.Play{}, fmt.Errorf("seed %d: %w\n%s", seed, err, configuration)
	}
	play := compare.OfCase(fitting(c, gates), judged)
	play.Gates, play.Confirm = gates, seed%3
	return play, nil
}

// unknownTo are the names that a drawn Policy may have and this release does not know.
func unknownTo(policies *release.Policy) []string {
	var unknown []string
	for _, name := range []string{"EvenPodsSpread", "EvenPodsSpreadPriority"} {
		if !slices.Contains(policies.PredicateNames(), name) && !slices.Contains(policies.PriorityNames(), name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// fitting leaves out of a case what the release leaves to chance.
func fitting(c generate.Case, gates config.Gates) generate.Case {
	if !readsV1(gates) {
		c = fewer(c)
	}
	if gates.Release().Ways.NodeResources.OnlyFirstShortage {
		c = scarce(c)
	}
	return c
}

// scarce leaves one scalar resource to each pod: of several that a node has too little of, any one is named.
func scarce(c generate.Case) generate.Case {
	pods := make([]*corev1.Pod, len(c.Pending))
	for i, pod := range c.Pending {
		pods[i] = oneResource(pod)
	}
	c.Pending = pods
	c.Churn = slices.Clone(c.Churn)
	for i := range c.Churn {
		if pod, is := c.Churn[i].After.(*corev1.Pod); is {
			c.Churn[i].After = oneResource(pod)
		}
	}
	return c
}

// oneResource is the pod with the first of the extended resources and huge pages that its containers request.
func oneResource(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	var kept corev1.ResourceName
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			requests := containers[i].Resources.Requests
			for _, name := range slices.Sorted(maps.Keys(requests)) {
				switch {
				case !isScalar(name) || name == kept:
				case kept == "":
					kept = name
				default:
					delete(requests, name)
				}
			}
		}
	}
	return pod
}

func isScalar(name corev1.ResourceName) bool {
	return cluster.IsExtended(name) || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// readsV1 reports whether the release reads configurations as they are drawn here; those before it are played with
// their own.
func readsV1(gates config.Gates) bool {
	return gates.Release().Configuration() == configv1.SchemeGroupVersion.String()
}

// fewer leaves nodes out, so that all of them are filtered: a release that filters 16 at once leaves it to chance which
// of more it finds.
func fewer(c generate.Case) generate.Case {
	const most = 99
	nodes := 0
	var objects []runtime.Object
	for _, o := range c.Objects {
		if _, is := o.(*corev1.Node); is {
			if nodes++; nodes > most {
				continue
			}
		}
		objects = append(objects, o)
	}
	c.Objects = objects
	var churn []generate.Change
	for _, change := range c.Churn {
		if _, is := change.After.(*corev1.Node); is && nodes >= most {
			continue
		}
		churn = append(churn, change)
	}
	c.Churn = churn
	return c
}

// lone leaves out all Services of a namespace but the first: of several that select a pod, ServiceAffinity takes any.
func lone(c generate.Case) generate.Case {
	first := map[string]string{}
	another := func(o runtime.Object) bool {
		service, is := o.(*corev1.Service)
		if !is {
			return false
		}
		if first[service.Namespace] == "" {
			first[service.Namespace] = service.Name
		}
		return first[service.Namespace] != service.Name
	}
	c.Objects = slices.DeleteFunc(slices.Clone(c.Objects), another)
	c.Churn = slices.DeleteFunc(slices.Clone(c.Churn), func(change generate.Change) bool {
		return change.After != nil && another(change.After) || change.Before != nil && another(change.Before)
	})
	return c
}

// signable has no default spread constraints, without which pods can be signed.
const signable = `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[
{"pluginConfig":[{"name":"PodTopologySpread","args":{"defaultingType":"List"}}]}]}`

// Alike is a cluster in which pods are like those before them.
func Alike(seed int, gates config.Gates) (compare.Play, error) {
	weights := generate.Only(25, generate.Zones, generate.BoundVolumes, generate.OtherChurn, generate.NodeChurn)
	play := compare.OfCase(twins(generate.WithWeights(weights).Example(seed), seed), nil)
	if readsV1(gates) {
		play.Configuration = []byte(signable)
	}
	play.Gates, play.Confirm = gates, seed%3
	return play, nil
}

// twins makes several pods of some of the pending ones, that differ in their names alone.
func twins(c generate.Case, seed int) generate.Case {
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
