package input

import (
	"io"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/replay/source/importer"
)

// madeNodes stands for the nodes of Options where a path is named.
const madeNodes = "--nodes"

// besides reports whether there are objects beside a recording or a scenario.
func (r *reading) besides() bool { return len(r.paths) > 0 || r.Nodes != "" }

// addNodes adds the nodes of Options to a dump. One whose name a node of the dump or of main (nil: there is none) has
// takes the next that is free.
func (r *reading) addNodes(dump *importer.Dump, main *Input) error {
	if r.Nodes == "" {
		return nil
	}
	made, err := importer.Read(r.ctx, []string{madeNodes}, importer.Options{
		Streams: map[string]io.Reader{madeNodes: strings.NewReader(r.Nodes)}, Most: r.Most,
	})
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, o := range dump.Objects {
		if n, is := o.Object.(*corev1.Node); is {
			taken[n.Name] = true
		}
	}
	if main != nil {
		for _, timed := range main.All() {
			if n, is := timed.Event.Object.(*corev1.Node); is {
				taken[n.Name] = true
			}
		}
	}
	for _, o := range made.Objects {
		n, is := o.Object.(*corev1.Node)
		if !is {
			continue
		}
		n.Name = freeName(n.Name, taken)
		taken[n.Name] = true
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[corev1.LabelHostname] = n.Name
		dump.Objects = append(dump.Objects, importer.Object{Object: n, Source: madeNodes})
	}
	return nil
}

// freeName is a name that is not taken: the one that is wanted, or with another number at its end.
func freeName(name string, taken map[string]bool) string {
	stem := strings.TrimRight(name, "0123456789")
	number, err := strconv.Atoi(name[len(stem):])
	if err != nil || !strings.HasSuffix(stem, "-") {
		stem, number = name+"-", 1
	}
	for taken[name] {
		number++
		name = stem + strconv.Itoa(number)
	}
	return name
}
