package early

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates

	"github.com/schedstep/schedstep/conformance/answer"
	"github.com/schedstep/schedstep/conformance/linked"
	"github.com/schedstep/schedstep/conformance/wire"
)

// Release is a kube-scheduler that answers questions.
type Release struct {
	// Watched has an empty object of every kind that the scheduler watches.
	Watched func() []runtime.Object
	// Stored has a pod lose what the API server does not store.
	Stored func(pod *corev1.Pod)
	// Start is a scheduler over an empty cluster. A configuration is a KubeSchedulerConfiguration or a Policy.
	Start func(configuration []byte) (Scheduler, error)
}

// Scheduler is one that answers until it is closed.
type Scheduler interface {
	wire.Scheduler
	Close()
}

// Version is the patch of the module that is linked.
func (Release) Version() string { return linked.Version() }

// Features lists every registered gate.
func (Release) Features() []answer.Gate {
	var list []answer.Gate
	for name, spec := range registered() {
		on := utilfeature.DefaultFeatureGate.Enabled(name)
		list = append(list, answer.Gate{Name: string(name), On: on, Locked: spec.LockToDefault})
	}
	slices.SortFunc(list, func(a, b answer.Gate) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// registered has what is kept of every gate.
func registered() map[featuregate.Feature]featuregate.FeatureSpec {
	known := *Hidden[*atomic.Value](utilfeature.DefaultMutableFeatureGate, "known")
	return known.Load().(map[featuregate.Feature]featuregate.FeatureSpec)
}

// Kinds are those that the scheduler watches. Budgets are listed as policy/v1.
func (r Release) Kinds() ([]string, error) {
	var list []string
	for _, o := range r.Watched() {
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

// Decode reads an object as the API server of the time does. A budget of policy/v1 has the same fields in
// policy/v1beta1, the version of that time.
func (r Release) Decode(data []byte) (runtime.Object, error) {
	budget := bytes.Contains(data, []byte(`"kind":"PodDisruptionBudget"`))
	if budget {
		data = bytes.Replace(data, []byte(`"apiVersion":"policy/v1"`), []byte(`"apiVersion":"policy/v1beta1"`), 1)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if pod, is := object.(*corev1.Pod); is {
		r.Stored(pod)
	}
	return object, err
}

// Begin sets the gates of the process until the end.
func (r Release) Begin(configuration []byte, gates string) (wire.Scheduler, func(), error) {
	back, err := setGates(gates)
	if err != nil {
		return nil, nil, err
	}
	o, err := r.Start(configuration)
	if err != nil {
		back()
		return nil, nil, err
	}
	return o, func() { o.Close(); back() }, nil
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
