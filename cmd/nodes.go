package cmd

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/schedstep/schedstep/internal/phrase"
)

// mostMadeNodes is how many nodes --nodes makes at most.
const mostMadeNodes = 10_000

// shapeOfNodes is "3x4cpu16Gi": how many, the processors and the memory of each.
var shapeOfNodes = regexp.MustCompile(`^(?:(\d+)x)?(\d+(?:\.\d+)?|\d+m)cpu(\d+(?:\.\d+)?(?:[KMGT]i?)?)$`)

// shortLabels are the labels that have a short name in --nodes.
var shortLabels = map[string]string{"zone": corev1.LabelTopologyZone, "region": corev1.LabelTopologyRegion}

func (f *inputFlags) addNodes(c *cobra.Command) {
	c.Flags().StringArrayVar(
		&f.nodes, "nodes", nil,
		"make nodes for manifests that come without: `3x4cpu16Gi`, or 3x4cpu16Gi,zone=a..c,disk=ssd; may be given several times",
	)
}

// madeNodes are the nodes of all --nodes, as YAML; "" for none. They are called node-1, node-2 and so on, where the
// input has no nodes that are called so.
func (f *inputFlags) madeNodes() (string, error) {
	var b strings.Builder
	made := 0
	for _, text := range f.nodes {
		shape, rest, _ := strings.Cut(text, ",")
		parts := shapeOfNodes.FindStringSubmatch(shape)
		if parts == nil {
			return "", usageError{phrase.Errorf(
				"--nodes %s: %q is no shape of nodes (try 3x4cpu16Gi, or 4cpu16Gi for one)", text, shape,
			)}
		}
		count := 1
		if parts[1] != "" {
			n, err := strconv.Atoi(parts[1])
			if err != nil || n < 1 || made+n > mostMadeNodes {
				return "", usageError{phrase.Errorf("--nodes %s: from 1 to %d nodes are made", text, mostMadeNodes)}
			}
			count = n
		}
		labels, err := labelsOfNodes(text, rest)
		if err != nil {
			return "", err
		}
		for i := range count {
			made++
			writeNode(&b, made, i, parts[2], parts[3], labels)
		}
	}
	return b.String(), nil
}

// labelsOfNodes are the values of each label, which the nodes have in turn.
func labelsOfNodes(text, rest string) (map[string][]string, error) {
	labels := map[string][]string{}
	for part := range strings.SplitSeq(rest, ",") {
		if rest == "" {
			break
		}
		key, value, is := strings.Cut(part, "=")
		if long, short := shortLabels[key]; short {
			key = long
		}
		if !is || len(validation.IsQualifiedName(key)) > 0 {
			return nil, usageError{phrase.Errorf("--nodes %s: %q is no label (try zone=a..c or disk=ssd)", text, part)}
		}
		labels[key] = spanned(value)
		for _, v := range labels[key] {
			if len(validation.IsValidLabelValue(v)) > 0 {
				return nil, usageError{phrase.Errorf("--nodes %s: %q is no value of a label", text, v)}
			}
		}
	}
	return labels, nil
}

// spanned are the values of "a..c" or "1..3"; what is no span is one value.
func spanned(text string) []string {
	from, to, is := strings.Cut(text, "..")
	if !is {
		return []string{text}
	}
	first, err := strconv.Atoi(from)
	last, other := strconv.Atoi(to)
	var all []string
	if err == nil && other == nil && first <= last && last-first < mostMadeNodes {
		for n := first; n <= last; n++ {
			all = append(all, strconv.Itoa(n))
		}
		return all
	}
	if len(from) == 0 || len(from) != len(to) || from[:len(from)-1] != to[:len(to)-1] || from > to {
		return []string{text}
	}
	for c := from[len(from)-1]; ; c++ {
		all = append(all, from[:len(from)-1]+string(rune(c)))
		if c == to[len(to)-1] {
			return all
		}
	}
}

func writeNode(b *strings.Builder, number, turn int, cpu, memory string, labels map[string][]string) {
	name := "node-" + strconv.Itoa(number)
	fmt.Fprintf(b, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %[1]s\n  labels:\n    %[2]s: %[1]s\n", name,
		corev1.LabelHostname)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		values := labels[key]
		fmt.Fprintf(b, "    %q: %q\n", key, values[turn%len(values)])
	}
	fmt.Fprintf(b, "status:\n  allocatable: {cpu: %[1]q, memory: %[2]q, pods: \"110\"}\n"+
		"  capacity: {cpu: %[1]q, memory: %[2]q, pods: \"110\"}\n", cpu, memory)
}
