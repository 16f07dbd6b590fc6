package input

import (
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// workloads is which of them the importer reads.
func (r *reading) workloads() importer.Workloads {
	if r.Templates.Applied || r.Templates.Controllers || len(r.Templates.Replicas) > 0 {
		return importer.AllWorkloads
	}
	return importer.UnappliedWorkloads
}

// noWorkload is the error of a name that --replicas has and the input has not.
func (r *reading) noWorkload(name string) error {
	return phrase.Errorf(
		"--replicas %s=%d: no Deployment, ReplicaSet, StatefulSet, Job or other workload of the input has that name",
		name, r.Templates.Replicas[name],
	)
}

// found takes the kinds that were made from those the input lacks.
func (in *Report) found(made templates.Result) {
	if len(made.Made) == 0 {
		return
	}
	there := map[cluster.Kind]bool{}
	for _, o := range made.Objects {
		there[cluster.Kind(o.Object.GetObjectKind().GroupVersionKind().Kind)] = true
	}
	in.lacks = slices.DeleteFunc(in.lacks, func(k cluster.Kind) bool { return there[k] })
}

// mostNamed is how many workloads one sentence names.
const mostNamed = 6

// made lists the pods of the input that are in none of the files.
func (in *Report) made() []phrase.Text {
	var parts []phrase.Text
	pods := 0
	for i, m := range in.Made {
		if i < mostNamed {
			parts = append(parts, saysMade(m))
		}
		pods += len(m.Pods)
	}
	if len(parts) == 0 {
		return nil
	}
	text := phrase.Textf("made %s", phrase.JoinTexts(", ", parts...))
	if more := len(in.Made) - mostNamed; more > 0 {
		text = phrase.Textf("%s, and of %d more workloads; %d pods in all", text, more, pods)
	}
	return []phrase.Text{text}
}

func saysMade(m templates.Made) phrase.Text {
	text := phrase.Textf("%s of %s %s", phrase.Count(len(m.Pods), "pod", "pods"), m.Kind, m.Name)
	if m.There > 0 {
		text = phrase.Textf("%s (%d more in the input)", text, m.There)
	}
	return text
}
