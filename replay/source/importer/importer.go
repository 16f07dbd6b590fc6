// Package importer turns other people's files into typed Kubernetes API objects that know where they came from:
// kubectl's lists and streams, cluster dumps, support bundles, simulator exports, hand-written manifests. It is not a
// parser of schedstep's own recordings, it talks to no cluster, and it makes no events: what the objects mean to the
// scheduler is decided by its callers.
package importer

import (
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Object is one API object and the place it was read from.
type Object struct {
	// Object is a pointer to a typed API object of the newest version this build knows (*corev1.Pod,
	// *policyv1.PodDisruptionBudget), with its TypeMeta set and without managed fields and kubectl's last-applied
	// annotation. The caller owns it.
	Object runtime.Object
	// Source is where the object was found: "pods.json item 12 (default/web-7)", "web.yaml line 34".
	Source string
}

// Severity is what a Problem did to what was read.
type Severity int

// The severities, worst first.
const (
	// Refused: something was left out.
	Refused Severity = iota
	// Warning: the object is kept, and part of it was not understood.
	Warning
	// Notice: nothing is wrong with the file, and the reader should know.
	Notice
)

// String names the severity as a message prefix.
func (s Severity) String() string {
	switch s { //exhaustive:enforce
	case Refused:
		return "refused"
	case Warning:
		return "warning"
	case Notice:
		return "notice"
	}
	return fmt.Sprintf("Severity(%d)", int(s))
}

// Problem is one sentence about the input. Problems never stop the reading of what is readable.
type Problem struct {
	Severity Severity
	// Where is the file and the line or item: "pods.json line 4182".
	Where string
	// What was found, in lower case and without a full stop.
	What phrase.Text
	// Right is what would be right; empty when What has it.
	Right phrase.Text
	// More counts further places with the same problem, which are not listed.
	More int

	like likeness
	soft string // what its file counts as where the layout of the input is known; empty: the problem stands
	file string // that a soft problem is about
}

// Error is the whole sentence: "pods.json line 7: pod \"web-7\": ... is not a quantity (try \"2\"), and 3 more like
// it".
func (p Problem) Error() string { return p.Phrase().String() }

// Phrase is the sentence with its values apart.
func (p Problem) Phrase() phrase.Phrase {
	said := p.What.Phrase()
	if p.Where != "" {
		said = phrase.New("%s: %s", p.Where, said)
	}
	if p.Right != "" {
		said = phrase.New("%s (%s)", said, p.Right)
	}
	if p.More > 0 {
		said = phrase.New("%s, and %d more like it", said, p.More)
	}
	return said
}

// LeftOut counts what was understood well enough to know that the scheduler does not read it.
type LeftOut struct {
	// What is a kind ("Secret", "Deployment") or a sort of file ("log or text file").
	What  string
	Count int
	// Why is empty for kinds the scheduler simply does not read.
	Why phrase.Text
	// First is the first place it was met.
	First string
}

// String is "12 Secret" or "3 Job: " with why they were left out.
func (l LeftOut) String() string {
	what := l.What
	if l.Count > 1 && strings.HasSuffix(what, "log") {
		what += "s"
	}
	if l.Why == "" {
		return fmt.Sprintf("%d %s", l.Count, what)
	}
	return fmt.Sprintf("%d %s: %s", l.Count, what, l.Why)
}

// Config is a scheduler configuration found among the objects: a KubeSchedulerConfiguration, or a Policy of an old
// version.
type Config struct {
	// Raw is one JSON or YAML document, with apiVersion and kind.
	Raw    []byte
	Source string
}

// Absence is a kind that the default profile reads and that no part of the input held, not even as an empty list.
type Absence struct {
	Kind string
	// Guess names the verdicts that are guesses without it.
	Guess string
}

// String is "PodDisruptionBudget (preemption ...)".
func (a Absence) String() string {
	if a.Guess == "" {
		return a.Kind
	}
	return a.Kind + " (" + a.Guess + ")"
}

// Dump is everything that was read. All slices are in an order that depends on the input only.
type Dump struct {
	// Objects are in the order of the input; Sort gives the order an API server would list them in.
	Objects  []Object
	Problems []Problem
	Left     []LeftOut
	Configs  []Config
	// Events are schedulers' decisions about pods, in the order of the input.
	Events []PodEvent
	// Holders are objects of other programs that hold the gates of pods.
	Holders []Holder
	Missing []Absence
	// Formats names the shapes that were met, such as "Troubleshoot support bundle" or "YAML stream".
	Formats []string
	// Emptier explains why nodes look emptier than they are, by the tool that wrote the input; "" when they do not.
	Emptier phrase.Text
	// Version is the API server's version, such as "v1.36.2"; "" when the input does not have it.
	Version string
}

// Format overrules detection. The zero value detects from content.
type Format string

// The formats that a caller can set.
const (
	Detect Format = ""
	JSON   Format = "json"
	YAML   Format = "yaml"
)

// defaultMost is larger than the largest clusters, and leaves a small machine its memory.
const defaultMost = 2 << 30

// Options of Read; the zero value is useful.
type Options struct {
	// Streams are read in the place of opening a path: standard input for "-", and pipes of which a beginning was
	// looked at.
	Streams map[string]io.Reader
	Format  Format
	// Progress, if set, is called now and then by the reading goroutine with bytes read and bytes to read;
	// total is 0 while the size is unknown.
	Progress func(done, total int64)
	// Most is how many bytes are read, those of archives being counted again as they are unpacked; 0: 2 GiB.
	Most      int64
	Workloads Workloads
	// Whole keeps what no scheduler reads of the pods of a cluster: environment, mounts, probes, states of containers.
	Whole bool
	// Custom keeps objects of CustomResourceDefinitions, which a plugin may read. Without it they are left out.
	Custom bool
	// Workers decode in parallel; 0 means as many as there are processors. The result does not depend on it.
	Workers int
}
