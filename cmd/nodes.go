package cmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/ask/plan"
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
		"make nodes for manifests that come without: `3x4cpu16Gi`, or 3x4cpu16Gi,zone=a..c,disk=ssd; or a file of Nodes or of offers (docs/plans.md), as FILE or FILE,NAME=COUNT,...; may be given several times",
	)
}

// madeNodes are the nodes of all --nodes, as YAML; "" for none. Those of shapes are called node-1, node-2 and so on,
// where the input has no nodes that are called so.
func (f *inputFlags) madeNodes() (string, error) {
	var b strings.Builder
	made := 0
	for _, text := range f.nodes {
		shape, rest, _ := strings.Cut(text, ",")
		parts := shapeOfNodes.FindStringSubmatch(shape)
		if parts == nil && isFileOfNodes(shape) {
			n, err := nodesOfFile(&b, text, shape, rest, mostMadeNodes-made)
			if err != nil {
				return "", err
			}
			made += n
			continue
		}
		if parts == nil {
			return "", usageError{phrase.Errorf(
				"--nodes %s: %q is no shape of nodes (try 3x4cpu16Gi, or 4cpu16Gi for one), and no file", text, shape,
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

// isFileOfNodes reports whether a value of --nodes is meant to be a file.
func isFileOfNodes(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

// nodesOfFile writes the nodes of a file, most of them at most: one of each template, or of those that are counted as
// many. It returns how many.
func nodesOfFile(b *strings.Builder, text, file, counts string, most int) (int, error) {
	data, err := bounded.ReadFile(file, mostOfTemplates)
	if err != nil {
		return 0, phrase.Errorf("--nodes %s: %w", file, disk.Bare(err))
	}
	templates, err := plan.Templates(data)
	if err != nil {
		return 0, phrase.Errorf("--nodes %s: %w", file, err)
	}
	many, err := countsOf(text, counts, templates)
	if err != nil {
		return 0, err
	}
	made := 0
	for i := range templates {
		for turn := range many[i] {
			if made++; made > most {
				return 0, usageError{phrase.Errorf("--nodes %s: from 1 to %d nodes are made", text, mostMadeNodes)}
			}
			n := templates[i].Node.DeepCopy()
			n.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
			if n.Name = nameOfTemplate(&templates[i]); counts != "" || templates[i].Node.Kind == "" {
				n.Name, n.UID = n.Name+"-"+strconv.Itoa(turn+1), ""
			}
			manifest, err := yaml.Marshal(n)
			if err != nil {
				return 0, phrase.Errorf("--nodes %s: %w", file, err)
			}
			fmt.Fprintf(b, "---\n%s", manifest)
		}
	}
	return made, nil
}

// nameOfTemplate is a template's name as a part of names of nodes.
func nameOfTemplate(o *plan.Offer) string { return strings.ReplaceAll(o.Name, " in ", "-") }

// countsOf are the numbers of nodes that are made of each template: one, or as in "small=3,large=2".
func countsOf(text, counts string, templates []plan.Offer) ([]int, error) {
	many := make([]int, len(templates))
	names := make([]string, len(templates))
	for i := range templates {
		names[i] = nameOfTemplate(&templates[i])
		if counts == "" {
			many[i] = 1
		}
	}
	for part := range strings.SplitSeq(counts, ",") {
		if counts == "" {
			break
		}
		name, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		at := slices.Index(names, name)
		switch {
		case at < 0:
			return nil, usageError{phrase.Errorf("--nodes %s: there is no %q in the file%s; there are %s", text, name,
				spelling.Hint(name, names), strings.Join(names, ", "))}
		case err != nil || n < 1 || n > mostMadeNodes:
			return nil, usageError{phrase.Errorf("--nodes %s: %q is no count (try %s=3)", text, part, name)}
		}
		many[at] = n
	}
	return many, nil
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
