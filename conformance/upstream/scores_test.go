//go:build upstream

package upstream_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/conformance/oracle"
)

const scoredByGPU = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit}]}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: LeastAllocated, resources: [{name: example.com/gpu, weight: 1}]}}
`

const balancedByGPU = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesBalancedAllocation}]}
  pluginConfig:
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: cpu, weight: 1}, {name: example.com/gpu, weight: 1}]}
`

const (
	nodeA = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {pool: a}},
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}`
	nodeB = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {pool: b}},
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}`
	class = `{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {
  extendedResourceName: example.com/gpu,
  selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].model == "a"'}}]}}`
	gpus = `{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: gpus}, spec: {
  driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1},
  devices: [{name: gpu-0, attributes: {model: {string: a}}}, {name: gpu-1, attributes: {model: {string: a}}}]}}`
	oneGPU = `{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: gpus}, spec: {
  driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 2, resourceSliceCount: 1},
  devices: [{name: gpu-0, attributes: {model: {string: a}}}, {name: gpu-1, attributes: {model: {string: b}}}]}}`
	local = `{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: local}, spec: {
  driver: gpu.example.com, nodeName: n1, pool: {name: local, generation: 1, resourceSliceCount: 1},
  devices: [{name: gpu-0, attributes: {model: {string: a}}}]}}`
	ofPool = `{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: shared}, spec: {
  driver: gpu.example.com, pool: {name: shared, generation: 1, resourceSliceCount: 1},
  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [a]}]}]},
  devices: [{name: gpu-1, attributes: {model: {string: a}}}]}}`
	asksForGPU = `{apiVersion: v1, kind: Pod, metadata: {name: train, namespace: default, uid: train}, spec: {
  schedulerName: default-scheduler, containers: [{name: c, image: i, resources: {
    requests: {cpu: "1", example.com/gpu: "1"}, limits: {example.com/gpu: "1"}}}]}}`
)

func read(t *testing.T, manifests ...string) []runtime.Object {
	t.Helper()
	var objects []runtime.Object
	for _, manifest := range manifests {
		data, err := yaml.YAMLToJSON([]byte(manifest))
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, manifest)
		}
		objects = append(objects, object)
	}
	return objects
}

func scheduler(t *testing.T, configuration string, manifests ...string) *oracle.Oracle {
	t.Helper()
	o, err := oracle.New(read(t, append(manifests, asksForGPU)...), oracle.Options{Configuration: []byte(configuration)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// score is that of the one plugin for n1.
func score(t *testing.T, o *oracle.Oracle) int64 {
	t.Helper()
	answer, err := o.Schedule(read(t, asksForGPU)[0].(*corev1.Pod))
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Scores) != 1 || len(answer.Scores[0].Plugins) != 1 {
		t.Fatalf("no score: %+v", answer.Decision)
	}
	return answer.Scores[0].Plugins[0].Raw
}

// A pod that asks for devices by the name of an extended resource is scored.
func TestUpstream0001(t *testing.T) {
	o := scheduler(t, balancedByGPU, nodeA, class, gpus)
	if got := score(t, o); got == 0 {
		t.Errorf("NodeResourcesBalancedAllocation scores %d, want more", got)
	}
}

// The score of a node whose devices changed is that of the devices as they are.
func TestUpstream0002(t *testing.T) {
	want := score(t, scheduler(t, scoredByGPU, nodeA, class, oneGPU))
	o := scheduler(t, scoredByGPU, nodeA, class, gpus)
	before := score(t, o)
	if err := o.Put(read(t, oneGPU)...); err != nil {
		t.Fatal(err)
	}
	if got := score(t, o); got != want {
		t.Errorf("with one matching device in place of two the score is %d (it was %d), want %d", got, before, want)
	}
}

// The score of a node whose labels changed is that of the slices that select it by now.
func TestUpstream0003(t *testing.T) {
	want := score(t, scheduler(t, scoredByGPU, nodeB, class, local, ofPool))
	o := scheduler(t, scoredByGPU, nodeA, class, local, ofPool)
	before := score(t, o)
	if err := o.Put(read(t, nodeB)...); err != nil {
		t.Fatal(err)
	}
	if got := score(t, o); got != want {
		t.Errorf("on a node of another pool the score is %d (it was %d), want %d", got, before, want)
	}
}
