package scenario

import (
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
)

// shortLabels are the node labels that have a short name wherever a node label is named.
var shortLabels = map[string]string{
	"zone": corev1.LabelTopologyZone, "region": corev1.LabelTopologyRegion, "hostname": corev1.LabelHostname,
}

func longLabel(key string) string {
	if long, short := shortLabels[key]; short {
		return long
	}
	return key
}

func plain(key string) string { return key }

func quantity(text string) (resource.Quantity, error) {
	q, err := amount.Parse(text)
	if err != nil {
		return q, phrase.Errorf("%q is no quantity (want one like 500m, 2 or 1Gi)", text)
	}
	return q, nil
}

func integer(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, phrase.Errorf("%q is no number of 32 bits", text)
	}
	return n, nil
}

// truth is a word that stands alone, or has the value true or false.
func truth(text string) (bool, error) {
	switch text {
	case "", "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, phrase.Errorf("%q is neither true nor false", text)
}

// longestWait keeps times within what the API can hold: 292 years of nanoseconds would leave it.
const longestWait = 100 * 365 * 24 * time.Hour

func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestWait {
		return 0, phrase.Errorf("%q is no length of time (want one like 10s, 5m30s)", text)
	}
	return d, nil
}

// resourceNames are the short names of resources; others are written in full.
var resourceNames = map[string]corev1.ResourceName{
	"cpu": corev1.ResourceCPU, "memory": corev1.ResourceMemory, "storage": corev1.ResourceEphemeralStorage,
	"pods": corev1.ResourcePods,
}

// resourceNamed knows a resource by its short name, or by a name that cannot be anything else.
func resourceNamed(key string) (corev1.ResourceName, bool) {
	if name, short := resourceNames[key]; short {
		return name, true
	}
	return corev1.ResourceName(key), strings.Contains(key, "/") && !strings.HasPrefix(key, "/") ||
		strings.HasPrefix(key, corev1.ResourceHugePagesPrefix)
}

// resourceList reads cpu=1,memory=2Gi.
func resourceList(text string) (corev1.ResourceList, error) {
	list := corev1.ResourceList{}
	for part := range parts(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		name, known := resourceNamed(key)
		if !known {
			return nil, phrase.Errorf("%q is no resource (want cpu, memory, storage or a name with a slash)", key)
		}
		q, err := quantity(value)
		if err != nil {
			return nil, err
		}
		list[name] = q
	}
	return list, nil
}

// parts are the pieces of a list that may be empty.
func parts(text, between string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if text == "" {
			return
		}
		for part := range strings.SplitSeq(text, between) {
			if !yield(part) {
				return
			}
		}
	}
}

func list(text string) []string {
	var out []string
	for part := range parts(text, "|") {
		out = append(out, part)
	}
	return out
}

// labelChange is one label to set, or (value nil) to drop.
type labelChange struct {
	key   string
	value *string
}

// labelChanges reads app=web,tier- as kubectl label does.
func labelChanges(text string, long func(string) string) ([]labelChange, error) {
	var out []labelChange
	for part := range parts(text, ",") {
		key, value, has := strings.Cut(part, "=")
		switch {
		case has && key != "":
			out = append(out, labelChange{long(key), &value})
		case strings.HasSuffix(part, "-") && part != "-":
			out = append(out, labelChange{key: long(strings.TrimSuffix(part, "-"))})
		default:
			return nil, phrase.Errorf("%q is no label (want key=value to set it, key- to drop it)", part)
		}
	}
	return out, nil
}

func applyLabels(o metav1.Object, all []labelChange) {
	have := o.GetLabels()
	if have == nil {
		have = map[string]string{}
	}
	for _, l := range all {
		if l.value == nil {
			delete(have, l.key)
		} else {
			have[l.key] = *l.value
		}
	}
	o.SetLabels(have)
}

// taint reads key=value:Effect or key:Effect.
func taint(text string) (corev1.Taint, error) {
	name, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(name, "=")
	if key == "" {
		return corev1.Taint{}, phrase.Errorf("a taint has a key (want key=value:NoSchedule)")
	}
	if err := checkEffect(effect); err != nil {
		return corev1.Taint{}, err
	}
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}, nil
}

func checkEffect(effect string) error {
	switch corev1.TaintEffect(effect) {
	case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		return nil
	}
	return phrase.Errorf("%q is no effect (want NoSchedule, PreferNoSchedule or NoExecute)", effect)
}

// toleration reads key=value:Effect; without =value any value is tolerated, without :Effect any effect, and * tolerates
// every taint.
func toleration(text string) (corev1.Toleration, error) {
	name, effect, has := strings.Cut(text, ":")
	if has {
		if err := checkEffect(effect); err != nil {
			return corev1.Toleration{}, err
		}
	}
	t := corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(effect)}
	if name == "*" {
		return t, nil
	}
	key, value, valued := strings.Cut(name, "=")
	if key == "" {
		return t, phrase.Errorf("a toleration has a key, or is * (want key=value:NoSchedule)")
	}
	t.Key = key
	if valued {
		t.Operator, t.Value = corev1.TolerationOpEqual, value
	}
	return t, nil
}
