package early

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/fakeapi"
)

// Oracle is what the oracles of these releases do alike: the cluster that a scheduler sees, and which pods it has
// assumed there.
type Oracle struct {
	Scheduler *scheduler.Scheduler // nil until it is built
	Stop      chan struct{}
	Factory   informers.SharedInformerFactory
	Cluster   *fakeapi.Cluster
	Writes    *fakeapi.Writes
	Last      Cycle
	Assumed   map[string]Cycle // the pods that were assumed, with their nodes, by key
}

// Cycle is what Assume needs of the cycle before it.
type Cycle struct {
	Pod   *corev1.Pod
	State *framework.CycleState
}

// Empty is an oracle over an empty cluster, in which the scheduler watches these kinds, and the scheduler's client.
func Empty(kinds []runtime.Object) (Oracle, clientset.Interface) {
	o := Oracle{Stop: make(chan struct{}), Writes: &fakeapi.Writes{}, Assumed: map[string]Cycle{}}
	client := o.Writes.Client()
	o.Factory = informers.NewSharedInformerFactory(client, 0)
	o.Cluster = fakeapi.NewCluster(o.Factory, kinds, Informer)
	o.Writes.Pods = o.Cluster
	return o, client
}

// Kinds has an empty object of every kind that a scheduler of these releases watches, and of more.
func Kinds(more ...runtime.Object) []runtime.Object {
	return append([]runtime.Object{
		&corev1.Node{}, &corev1.Pod{}, &corev1.Service{}, &corev1.ReplicationController{}, &corev1.PersistentVolume{},
		&corev1.PersistentVolumeClaim{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &policyv1beta1.PodDisruptionBudget{},
		&storagev1.StorageClass{}, &storagev1.CSINode{},
	}, more...)
}

// Silent drops events.
type Silent struct{}

// Eventf does nothing.
func (Silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// Put adds objects or replaces those with the same kind and key.
func (o *Oracle) Put(objects ...runtime.Object) error {
	for _, object := range objects {
		if err := o.Cluster.Put(object); err != nil {
			return err
		}
		if pod, is := object.(*corev1.Pod); is && pod.Spec.NodeName != "" {
			delete(o.Assumed, Key(pod))
		}
	}
	return nil
}

// Remove deletes the objects with these kinds and keys.
func (o *Oracle) Remove(objects ...runtime.Object) error {
	for _, object := range objects {
		if err := o.Cluster.Remove(object); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the scheduler.
func (o *Oracle) Close() {
	close(o.Stop)
	if o.Scheduler != nil {
		o.Scheduler.SchedulingQueue.Close()
	}
}

// StartIndex is where the search for nodes begins.
func (o *Oracle) StartIndex() int { return *Hidden[int](o.Scheduler.Algorithm, "nextStartNodeIndex") }

// Stored is the pod as it was put.
func (o *Oracle) Stored(pod *corev1.Pod) (*corev1.Pod, error) {
	stored, ok := o.Cluster.Stored(pod)
	if !ok {
		return nil, fmt.Errorf("pod %s: not in the cluster", Key(pod))
	}
	return stored.(*corev1.Pod), nil
}

// Again is a copy of the pod, which must be the one scheduled last.
func (o *Oracle) Again(pod *corev1.Pod) (*corev1.Pod, error) {
	if o.Last.Pod == nil || Key(o.Last.Pod) != Key(pod) {
		return nil, fmt.Errorf("assume %s: not the pod scheduled last", Key(pod))
	}
	return o.Last.Pod.DeepCopy(), nil
}

// Place gives such a copy the node in the scheduler's memory.
func (o *Oracle) Place(pod *corev1.Pod, node string) error {
	pod.Spec.NodeName = node
	if err := o.Scheduler.SchedulerCache.AssumePod(pod); err != nil {
		return fmt.Errorf("assume %s: %w", Key(pod), err)
	}
	o.Scheduler.SchedulingQueue.DeleteNominatedPodIfExists(pod)
	o.Assumed[Key(pod)] = Cycle{Pod: pod, State: o.Last.State}
	return nil
}

// Forget takes a pod that was assumed out of the scheduler's memory. A pod that is not assumed is passed over.
func (o *Oracle) Forget(key string) error {
	assumed, ok := o.Assumed[key]
	if !ok {
		return nil
	}
	delete(o.Assumed, key)
	o.Writes.Take()
	if there, err := o.Scheduler.SchedulerCache.IsAssumedPod(assumed.Pod); err != nil || !there {
		return nil
	}
	if err := o.Scheduler.SchedulerCache.ForgetPod(assumed.Pod); err != nil {
		return fmt.Errorf("forget %s: %w", key, err)
	}
	return nil
}

// At does nothing: no score is used twice.
func (*Oracle) At(int64, time.Time) {}

// Gates are none.
func (*Oracle) Gates(*corev1.Pod) []answer.Verdict { return nil }

// Hinting is not yet there.
func (*Oracle) Hinting() bool { return false }

// Events has none: see Hinting.
func (*Oracle) Events(*corev1.Pod, answer.Change) []answer.Event { return nil }

// Placed lists the pods that were assumed, and neither seen on their nodes nor forgotten.
func (o *Oracle) Placed() []string { return slices.Sorted(maps.Keys(o.Assumed)) }

// Bind has nothing to end.
func (*Oracle) Bind(string) {}

// Names are those of some plugins.
func Names(plugins []answer.Enabled) []string {
	var list []string
	for _, plugin := range plugins {
		list = append(list, plugin.Name)
	}
	return list
}

// Options are the options of a configuration: a KubeSchedulerConfiguration, with more options that are read from it, or
// a Policy. Without one it is an empty one of this version. The folder has to be there until the scheduler is built.
func Options(
	data []byte, version, folder string, more func(*config.KubeSchedulerConfiguration) []scheduler.Option,
) ([]scheduler.Option, error) {
	if len(data) == 0 {
		data = []byte(`{"apiVersion":"` + version + `","kind":"KubeSchedulerConfiguration"}`)
	}
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	switch c := object.(type) {
	case *config.KubeSchedulerConfiguration:
		if err := validation.ValidateKubeSchedulerConfiguration(c).ToAggregate(); err != nil {
			return nil, fmt.Errorf("scheduler configuration: %w", err)
		}
		return append(
			more(c), scheduler.WithAlgorithmSource(c.AlgorithmSource),
			scheduler.WithPercentageOfNodesToScore(c.PercentageOfNodesToScore),
			scheduler.WithPodInitialBackoffSeconds(c.PodInitialBackoffSeconds),
			scheduler.WithPodMaxBackoffSeconds(c.PodMaxBackoffSeconds),
		), nil
	case *config.Policy: // which kube-scheduler reads from a file
		path := filepath.Join(folder, "policy")
		return []scheduler.Option{scheduler.WithAlgorithmSource(config.SchedulerAlgorithmSource{
			Policy: &config.SchedulerPolicySource{File: &config.SchedulerPolicyFileSource{Path: path}},
		})}, os.WriteFile(path, data, 0o600)
	}
	return nil, fmt.Errorf("scheduler configuration: %s is neither a KubeSchedulerConfiguration nor a Policy", kind)
}
