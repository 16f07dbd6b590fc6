package oracle

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates
)

// SetGates sets kube-scheduler's feature gates, written NAME=true,..., for the
// whole process: call it before New, with no other Oracle at work. Back sets them
// as they were.
func SetGates(text string) (back func(), err error) {
	before, known := map[string]bool{}, utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, setting := range strings.Split(text, ",") {
		name, _, has := strings.Cut(strings.TrimSpace(setting), "=")
		if !has {
			continue
		}
		if _, is := known[featuregate.Feature(name)]; !is { // kube-scheduler would never forget it
			return nil, fmt.Errorf("feature gates of kube-scheduler: unrecognized feature gate: %s", name)
		}
		before[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
	}
	back = func() { runtime.Must(utilfeature.DefaultMutableFeatureGate.SetFromMap(before)) }
	if err := utilfeature.DefaultMutableFeatureGate.Set(text); err != nil {
		return nil, fmt.Errorf("feature gates of kube-scheduler: %w", err)
	}
	return back, nil
}

// Gates lists every feature gate that the release registers, by name.
func Gates() []Gate {
	var list []Gate
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		list = append(list, Gate{
			Name: string(name), On: utilfeature.DefaultFeatureGate.Enabled(name), Locked: spec.LockToDefault,
		})
	}
	slices.SortFunc(list, func(a, b Gate) int { return strings.Compare(a.Name, b.Name) })
	return list
}
