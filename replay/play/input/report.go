package input

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// Report is what is known about an input besides what is played: where it is from, what was left out of it or could not
// be in it, and what was odd.
type Report struct {
	Title string      // the recording's own, or the first file's name
	Story string      // what a demo is about; may be empty
	From  string      // where the configuration was found
	Told  phrase.Text // how the release is known: "its nodes say so"; "" for one that the user chose
	// Redacted: annotations, and the values of custom resources, are not in the recording.
	Redacted bool

	Made []templates.Made // workloads of which pods were made
	// Workloads are the Deployments, DaemonSets and Jobs of the input, where its Options want them.
	Workloads []cluster.Object
	// Holders are objects of other programs that hold the gates of pods.
	Holders []importer.Holder

	// Hidden is why a past that was rebuilt of logs shows less than was there; "" for one that shows all.
	Hidden phrase.Text
	// Began is when schedulers began to decide after they were started, as their logs show.
	Began []time.Time
	// Past is how complete a past is that was rebuilt of logs; nil: the input is none.
	Past *Past

	Refused []phrase.Text // sentences: what could not be read and was left out
	Notices []phrase.Text // sentences: what is worth knowing

	lacks   []cluster.Kind // that the input could not hold
	left    []importer.LeftOut
	spent   int                 // objects that only admission reads
	events  []importer.PodEvent // from the Event objects of the input
	emptier phrase.Text         // why nodes look emptier than they were; "" when the input shows no reason
	release string              // of the cluster, from its nodes; ""
	sources map[string]string   // where objects of a dump were found, by kind and key; nil: it is none
}

// Lacks reports whether the input could not hold objects of a kind.
func (in *Report) Lacks(k cluster.Kind) bool { return slices.Contains(in.lacks, k) }
