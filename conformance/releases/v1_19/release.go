package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features" // registers the gates

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/linked"
	"github.com/schedstep/schedstep/conformance/wire"
)

// release is kube-scheduler 1.19.
type release struct{}

// Version is the patch of the module that is linked.
func (release) Version() string { return linked.Version() }

// Features lists every registered gate.
func (release) Features() []answer.Gate {
	var list []answer.Gate
	for name, spec := range registered() {
		on := utilfeature.DefaultFeatureGate.Enabled(name)
		list = append(list, answer.Gate{Name: string(name), On: on, Locked: spec.LockToDefault})
	}
	slices.SortFunc(list, func(a, b answer.Gate) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// registered has what 1.19 keeps of every gate.
func registered() map[featuregate.Feature]featuregate.FeatureSpec {
	known := *hidden[*atomic.Value](utilfeature.DefaultMutableFeatureGate, "known")
	return known.Load().(map[featuregate.Feature]featuregate.FeatureSpec)
}

// kinds has an empty object of every kind that the scheduler watches.
func kinds() []runtime.Object {
	return []runtime.Object{
		&corev1.Node{}, &corev1.Pod{}, &corev1.Service{}, &corev1.ReplicationController{}, &corev1.PersistentVolume{},
		&corev1.PersistentVolumeClaim{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}, &policyv1beta1.PodDisruptionBudget{},
		&storagev1.StorageClass{}, &storagev1.CSINode{}, &storagev1.CSIDriver{},
	}
}

// Kinds are those that the scheduler watches. Budgets are given as policy/v1.
func (release) Kinds() ([]string, error) {
	var list []string
	for _, o := range kinds() {
		k, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			return nil, err
		}
		version := k[0].GroupVersion().String()
		if k[0].Kind == "PodDisruptionBudget" {
			version = "policy/v1"
		}
		list = append(list, version+" "+k[0].Kind)
	}
	return list, nil
}

// Decode reads an object as the API server of 1.19 does. A budget of policy/v1 has the same fields in policy/v1beta1,
// the version of that time. Volumes that a pod brings along are not stored while their gate is off.
func (release) Decode(data []byte) (runtime.Object, error) {
	budget := bytes.Contains(data, []byte(`"kind":"PodDisruptionBudget"`))
	if budget {
		data = bytes.Replace(data, []byte(`"apiVersion":"policy/v1"`), []byte(`"apiVersion":"policy/v1beta1"`), 1)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if pod, is := object.(*corev1.Pod); is && !utilfeature.DefaultFeatureGate.Enabled(features.GenericEphemeralVolume) {
		pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Ephemeral != nil })
	}
	return object, err
}

// Begin sets the gates of the process until the end.
func (release) Begin(configuration []byte, gates string) (wire.Scheduler, func(), error) {
	back, err := setGates(gates)
	if err != nil {
		return nil, nil, err
	}
	o, err := begin(configuration)
	if err != nil {
		back()
		return nil, nil, err
	}
	return o, func() { o.close(); back() }, nil
}

func setGates(text string) (back func(), err error) {
	before, known := map[string]bool{}, registered()
	for _, setting := range strings.Split(text, ",") {
		name, _, has := strings.Cut(strings.TrimSpace(setting), "=")
		if !has {
			continue
		}
		if _, is := known[featuregate.Feature(name)]; !is {
			return nil, fmt.Errorf("feature gates of kube-scheduler: unrecognized feature gate: %s", name)
		}
		before[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
	}
	back = func() { utilruntime.Must(utilfeature.DefaultMutableFeatureGate.SetFromMap(before)) }
	if err := utilfeature.DefaultMutableFeatureGate.Set(text); err != nil {
		return nil, fmt.Errorf("feature gates of kube-scheduler: %w", err)
	}
	return back, nil
}
