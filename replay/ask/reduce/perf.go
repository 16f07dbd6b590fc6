package reduce

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// perfNamespace is in the place of namespace default in a case of scheduler_perf, which makes every namespace itself.
const perfNamespace = "reduced"

// Perf writes a case of scheduler_perf (test/integration/scheduler_perf of kubernetes/kubernetes) as an archive of text
// files, in the format of txtar: its configuration, and a template for each object. The case waits until every pod was
// tried. An API server takes the status of a node when it is created, and of no other object: what shows the claim by
// the status of another object is an error.
func Perf(h Heading, script source.Script) ([]byte, error) {
	var config, files bytes.Buffer
	fmt.Fprintf(&config, "# %s\n- name: Reduced\n", oneLine(h.Shows))
	if set := gatesOf(h.Gates); len(set) > 0 {
		config.WriteString("  featureGates:\n")
		for _, g := range set {
			fmt.Fprintf(&config, "    %s: %t\n", g.Name, g.On)
		}
	}
	if len(h.Config) > 0 {
		config.WriteString("  schedulerConfigPath: templates/scheduler.yaml\n")
		fmt.Fprintf(&files, "-- templates/scheduler.yaml --\n%s\n", bytes.TrimRight(h.Config, "\n"))
	}
	config.WriteString("  workloadTemplate:\n")
	namespaces := namespacesOf(script)
	measured := false
	for i, t := range script {
		if !isThere(script, i) {
			return nil, phrase.Errorf("event %d of %d is no object that is there from the beginning: a case of scheduler_perf "+
				"begins with all of them", i+1, len(script))
		}
		text, err := perfDocument(t.Event)
		if err != nil {
			return nil, err
		}
		path := fmt.Sprintf("templates/reduced-%02d.yaml", i+1)
		fmt.Fprintf(&files, "-- %s --\n%s", path, text)
		if pod, is := t.Event.Object.(*corev1.Pod); is && pod.Spec.NodeName == "" && !measured {
			measured = true
			config.WriteString("  - opcode: startCollectingMetrics\n    name: reduced\n    namespaces: [" + namespaces + "]\n")
		}
		config.WriteString(operation(t.Event.Object, path))
	}
	if measured {
		config.WriteString("  - opcode: barrier\n    stageRequirement: Attempted\n  - opcode: stopCollectingMetrics\n")
	}
	config.WriteString("  workloads:\n  - name: once\n    labels: [integration-test, short]\n")
	return append([]byte("-- performance-config.yaml --\n"+config.String()), files.Bytes()...), nil
}

// namespaceIn is the namespace of an object in a case of scheduler_perf.
func namespaceIn(object cluster.Object) string {
	if object.GetNamespace() == corev1.NamespaceDefault {
		return perfNamespace
	}
	return object.GetNamespace()
}

// namespacesOf are the namespaces of the pods to place, sorted.
func namespacesOf(script source.Script) string {
	var all []string
	for _, t := range script {
		if pod, is := t.Event.Object.(*corev1.Pod); is && pod.Spec.NodeName == "" {
			all = append(all, plain(namespaceIn(pod)))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// perfDocument is an object as an API server takes it: with an image in each container, and not in namespace default.
func perfDocument(e cluster.Event) (string, error) {
	o, err := members(e)
	if err != nil {
		return "", err
	}
	kind, _ := cluster.KindOf(e.Object)
	if _, has := o["status"]; has && kind != cluster.KindNode {
		return "", phrase.Errorf("%s %s needs its status, and an API server takes no status at creation",
			string(kind), cluster.Key(e.Object))
	}
	if kind == cluster.KindNamespace {
		return "", phrase.Errorf("namespace %s has a part in it, and scheduler_perf makes namespaces itself",
			e.Object.GetName())
	}
	moved(o)
	if spec, is := o["spec"].(map[string]any); is && kind == cluster.KindPod {
		withImages(spec["containers"])
		withImages(spec["initContainers"])
	}
	return inLines(o), nil
}

// moved renames namespace default wherever it is named.
func moved(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if key == "namespace" && member == corev1.NamespaceDefault {
				v[key] = perfNamespace
			}
			if list, is := member.([]any); is && key == "namespaces" {
				for i := range list {
					if list[i] == corev1.NamespaceDefault {
						list[i] = perfNamespace
					}
				}
			}
			moved(member)
		}
	case []any:
		for _, element := range v {
			moved(element)
		}
	}
}

// withImages gives an image to the containers that have none.
func withImages(containers any) {
	list, _ := containers.([]any)
	for _, element := range list {
		if c, is := element.(map[string]any); is && c["image"] == nil {
			c["image"] = "registry.k8s.io/pause:3.10"
		}
	}
}

// operation is what makes an object in a case of scheduler_perf.
func operation(object cluster.Object, path string) string {
	switch o := object.(type) {
	case *corev1.Node:
		return "  - opcode: createNodes\n    count: 1\n    nodeTemplatePath: " + path + "\n"
	case *corev1.Pod:
		return "  - opcode: createPods\n    count: 1\n    namespace: " + plain(namespaceIn(o)) + "\n    podTemplatePath: " +
			path + "\n    skipWaitToCompletion: true\n"
	}
	text := "  - opcode: createAny\n    templatePath: " + path + "\n"
	if object.GetNamespace() != "" {
		text += "    namespace: " + plain(namespaceIn(object)) + "\n"
	}
	return text
}
