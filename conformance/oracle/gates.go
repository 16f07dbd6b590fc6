package oracle

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
)

// SetGates sets kube-scheduler's feature gates, written NAME=true,..., for the
// whole process: call it before New, with no other Oracle at work. Back sets them
// as they were.
func SetGates(text string) (back func(), err error) {
	before := map[string]bool{}
	for _, setting := range strings.Split(text, ",") {
		if name, _, has := strings.Cut(strings.TrimSpace(setting), "="); has {
			before[name] = utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name))
		}
	}
	back = func() { runtime.Must(utilfeature.DefaultMutableFeatureGate.SetFromMap(before)) }
	if err := utilfeature.DefaultMutableFeatureGate.Set(text); err != nil {
		return nil, fmt.Errorf("feature gates of kube-scheduler: %w", err)
	}
	return back, nil
}

// Groups says whether kube-scheduler's gates have it know of pod groups.
func Groups() bool { return utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) }
