// Package recording is schedstep's own file format: what happened to a cluster, event by event, in virtual time. It
// writes, reads, indexes and redacts recordings. It does not know what the events mean to a scheduler, follows no live
// cluster, and reads no format of another program.
//
// A recording is JSON Lines, compressed with zstd (`zstd -dc FILE | jq` reads it); uncompressed JSON Lines are read
// too. The first line is the Header. Each line after it is one event:
//
//	{"t":"2026-11-20T10:00:00Z","a":"Add","k":"Pod","o":{"kind":"Pod","apiVersion":"v1",...}}
//
// After the events come the answers of extenders, if a replay called any, as package extender writes them:
//
//	{"answer":{"extender":"http://...","call":"filter",...}}
//
// Last comes where a debugger stood in it, if the recording is a saved session, as package session writes it:
//
//	{"session":{"version":1,"branch":"main",...}}
//
// The header, every few events, and the index are zstd frames of their own, so that a reader can begin at any of them
// and a file that is cut anywhere keeps what came before. The index is the last line; after it, a frame that zstd skips
// holds the offset of the index.
//
// A Writer redacts by default: KeptText lists the text that stays in objects, kind by kind and with the reason, Rules
// what is taken out, rules.go decides what is left of annotations, and config.KeptMembers of configurations.
package recording

import (
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// The format's name and version in a header.
const (
	Format  = "schedstep.dev/recording"
	Version = 1 // the newest version that is read, and the one that is written
)

// Header is the first line of a recording: all that is known of it besides its events.
type Header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	Title  string `json:"title,omitempty"`
	Story  string `json:"story,omitempty"`  // what a demo is about, in prose
	Note   string `json:"note,omitempty"`   // anything else a reader should know, such as how a trace was mapped
	Source string `json:"source,omitempty"` // what it was made from

	Start time.Time `json:"start,omitzero"` // virtual time before the first event
	World World     `json:"world,omitempty"`
	Seed  uint64    `json:"seed,omitempty"`
	// Config is the text of a KubeSchedulerConfiguration; empty: the default.
	Config string `json:"config,omitempty"`
	// Release of kube-scheduler that decides, such as "1.36"; empty: it is not known.
	Release string `json:"release,omitempty"`
	// FeatureGates of kube-scheduler that are not at their defaults, as its flag takes them.
	FeatureGates string `json:"featureGates,omitempty"`

	// Until is when virtual time ends that goes on though nothing is left to do; zero: it does not go on.
	Until time.Time `json:"until,omitzero"`
	// Percentage of nodes to score that overrules the configuration; nil: none does.
	Percentage *int32 `json:"percentageOfNodesToScore,omitempty"`

	// Schedulers decide beside the one that the header is about.
	Schedulers []Scheduler `json:"schedulers,omitempty"`
	// Kubelets look at what is bound: others than the schedulers of the header bind too.
	Kubelets bool `json:"kubelets,omitempty"`

	// Kinds were watched: of these, what is not in the recording did not exist.
	Kinds []cluster.Kind `json:"kinds"`
	// Missing could not be watched, and the scheduler reads them: verdicts that need them are guesses.
	Missing []cluster.Kind `json:"missing,omitempty"`
	// Redacted means that the Rules were applied.
	Redacted bool `json:"redacted"`
	// Ended means that an uncompressed recording has a last line that counts its events: one without was cut.
	Ended bool `json:"ended,omitempty"`
	// Session means that the recording is a saved session: one without a line with the place of the session was cut.
	Session bool `json:"session,omitempty"`
}

// Scheduler is a scheduler beside the first. What a program decided is among the events; its command is in no
// recording.
type Scheduler struct {
	Name    string `json:"name"`                   // the schedulerName of the pods it places
	Release string `json:"release,omitempty"`      // as in Header
	Gates   string `json:"featureGates,omitempty"` // as in Header
	Config  string `json:"config,omitempty"`       // as in Header
}

// World is what is meant to answer a scheduler that is played the recording.
type World string

// The worlds.
const (
	Recorded  World = "recorded"  // what really happened happens; the default
	Simulated World = "simulated" // the scheduler's effects happen
)

// Entry is one event of a recording.
type Entry struct {
	Number int // from 0; events this build cannot read are counted
	Line   int // from 1, the header being line 1
	At     time.Time
	Event  cluster.Event
}

// Problem is one sentence about a recording. Problems never stop the reading of what is readable.
type Problem struct {
	Line int // where it was met first; 0: the whole file
	What phrase.Text
	More int // further lines with the same problem
}

// String is "line 7: unknown kind \"Widget\", left out, and 3 more like it".
func (p Problem) String() string { return p.Phrase().String() }

// Phrase is the sentence with its values apart.
func (p Problem) Phrase() phrase.Phrase {
	said := p.What.Phrase()
	if p.Line > 0 {
		said = phrase.New("line %d: %s", p.Line, said)
	}
	if p.More > 0 {
		said = phrase.New("%s, and %d more like it", said, p.More)
	}
	return said
}

// tally gathers problems: the same sentence is kept once, and each line counts once however often it is read.
type tally struct {
	list []Problem
	at   map[phrase.Text]int
	seen map[phrase.Text]map[int]bool
}

func (t *tally) add(line int, what phrase.Text) {
	if t.at == nil {
		t.at, t.seen = make(map[phrase.Text]int), make(map[phrase.Text]map[int]bool)
	}
	i, again := t.at[what]
	if !again {
		t.at[what] = len(t.list)
		t.seen[what] = map[int]bool{line: true}
		t.list = append(t.list, Problem{Line: line, What: what})
		return
	}
	if t.seen[what][line] {
		return
	}
	t.seen[what][line] = true
	t.list[i].More++
	t.list[i].Line = min(t.list[i].Line, line)
}
