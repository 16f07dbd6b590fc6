// Package demo is the recordings that come with the program, each a short story. It only hands them out; they are read
// and played like any other recording.
package demo

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

//go:embed *.schedstep
var files embed.FS

// Demo is one embedded recording.
type Demo struct {
	Name  string
	About string // in one line
}

// All lists the demos, the one to begin with first.
func All() []Demo {
	return []Demo{
		{"rollout", "a rollout that stops fitting: requests, taints, and the last node that had room"},
		{"pending", "why is gpu-1 pending, what would place it, and what does that do to the others (docs/tour.md)"},
		{"zones", "anti-affinity meets zones: one replica too many, and who is in its way"},
		{"spread", "topology spread with an unlabelled node: why the skew counts what it counts"},
		{"gates", "gates, backoff and a node that arrives: who is woken, by which event and whose hint"},
		{"preemption", "an urgent pod and full nodes: whose place it takes, by which criterion, and what budgets protect"},
		{"volumes", "a volume in one zone, volumes made where pods go, and nodes that can attach no more"},
		{"devices", "claims for GPUs: which device went to whom, and what is wrong with the others"},
		{
			"releases",
			"the same pods under kube-scheduler 1.37, 1.29, 1.19, 1.10 and 1.6: who goes elsewhere, and what is said",
		},
		{"gang", "a gang within one zone: quorum, placements compared, and a group that makes room for itself"},
	}
}

// Names lists the names of the demos in the same order.
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
	}
	return names
}

// Open opens a demo's recording.
func Open(name string) (fs.File, error) {
	f, err := files.Open(name + ".schedstep")
	if err != nil {
		return nil, phrase.Errorf("there is no demo %q%s (there are %s)", name, spelling.Hint(name, Names()),
			strings.Join(Names(), ", "))
	}
	return f, nil
}
