package command

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/session"
)

// kind is what an argument of a verb names.
type kind uint8

const (
	ofNumber kind = iota
	ofPod
	ofNode
	ofPodOrNode
	ofExplained // what explain takes: a pod, a node or podgroup/NAME
	ofBranch
	ofScheduler
	ofTheme
	ofLanguage
	ofVerb
	ofTopic // what help explains
	ofMotion
	ofBreak // pairs of a word and a value
	ofBreakID
	ofOrder
	ofLabel
	ofResource
	ofNumbers
	ofPart
	ofYes
	ofNothing // a word that cannot be guessed
	ofLike    // the word like
	ofSetting // what set takes
	ofSide    // what diff takes
	ofWish    // what relax takes
	ofEvent   // what fire takes
	ofBookmark
	ofBelief
	ofTried     // a pod that a cycle tried, or may try
	ofCondition // words of a CEL expression; they go on
	ofTable
	ofFormat
	ofPlan // what plan takes
)

// Vocabulary is what the arguments of verbs can be, at one position of a session.
type Vocabulary struct {
	pods, nodes, branches, schedulers, themes, plugins, scorers, breaks, bookmarks, events []string

	labels, resources func() []string // of nodes

	groups []string // podgroup/namespace/name
	// workloads are deploy/namespace/name and the like.
	workloads []string
	tried     []string // pods that a cycle tried, or may try
}

// VocabularyOf gathers the words; themes are the names that the verb theme takes. The session must be at rest.
func VocabularyOf(s *session.Session, f *session.Frame, themes []string) Vocabulary {
	names := s.At().Names()
	words := Vocabulary{
		pods: names.Pods, nodes: names.Nodes, groups: names.Groups, branches: f.Branches, themes: themes,
		schedulers: f.Schedulers,
	}
	words.workloads = workload.Named(s.At())
	if c := f.Try(); c != nil && c.Matrix != nil {
		words.plugins = c.Matrix.Plugins
	}
	if c := f.Try(); c != nil && c.Scores != nil {
		for i := range c.Scores.Columns {
			words.scorers = append(words.scorers, c.Scores.Columns[i].Plugin)
		}
	}
	words.tried, words.events = tried(f), s.At().Wakers()
	words.labels, words.resources = f.At.NodeLabels, f.At.Resources
	for _, k := range f.Bookmarks {
		words.bookmarks = append(words.bookmarks, strconv.Itoa(k.ID))
	}
	for _, b := range f.Breaks {
		words.breaks = append(words.breaks, strconv.Itoa(b.ID))
	}
	return words
}

// tried are the pods that goto can find: those of the cycles up to the cursor, and those that wait.
func tried(f *session.Frame) []string {
	var pods []string
	for i := range f.Timeline {
		if mark := &f.Timeline[i]; mark.Cycle > 0 && len(mark.Members) == 0 {
			pods = append(pods, mark.Pod)
		} else {
			pods = append(pods, mark.Members...)
		}
	}
	q := &f.Queue
	for _, rows := range [][]session.QueueRow{q.Active, q.Backoff, q.Unschedulable} {
		for i := range rows {
			if len(rows[i].Members) == 0 {
				pods = append(pods, rows[i].Pod)
			}
		}
	}
	slices.Sort(pods)
	return slices.Compact(pods)
}

// Complete is every way to go on with the last word of a text, as whole texts.
func (w Vocabulary) Complete(text string) []string {
	fields := strings.Fields(text)
	if len(fields) == 0 || strings.HasSuffix(text, " ") {
		fields = append(fields, "")
	}
	begun := fields[len(fields)-1]
	if v, err := Named(fields[0]); err == nil && v.Request == RequestAnswer && begun == "" {
		return nil // what could be answered would lie over the question, and look like an answer
	}
	before := text[:len(text)-len(begun)]
	var completed []string
	for _, word := range w.fitting(fields[:len(fields)-1]) {
		if begins(word, begun) {
			completed = append(completed, before+word)
		}
	}
	return completed
}

// leastSaid is how many letters of what a verb does find it.
const leastSaid = 3

// Saying are the verbs whose arguments or deeds have a word in them, for who does not know their names: "gate" finds
// relax.
func Saying(lang words.Language, word string) []string {
	if len([]rune(word)) < leastSaid {
		return nil
	}
	var names []string
	for _, v := range All() {
		if strings.Contains(strings.ToLower(v.Synopsis()+" "+lang.Of(v.Does)), strings.ToLower(word)) {
			names = append(names, v.Name)
		}
	}
	return names
}

// begins reports whether a word begins with a text; the name of a pod may stand for its key.
func begins(word, with string) bool {
	return strings.HasPrefix(word, with) || strings.HasPrefix(word[strings.LastIndex(word, "/")+1:], with)
}

// fitting is what may come after some words.
func (w Vocabulary) fitting(before []string) []string {
	if len(before) == 0 {
		return w.of(ofVerb)
	}
	v, err := Named(before[0])
	if err != nil || len(v.takes) == 0 {
		return nil
	}
	arguments := before[1:]
	takes := v.takes[min(len(arguments), len(v.takes)-1)]
	switch takes {
	case ofBreak:
		return w.breakpoint(arguments)
	case ofSetting:
		return w.setting(arguments)
	case ofPlan:
		return w.planWords(arguments)
	case ofSide:
		return w.sideWords()
	case ofCondition:
		return session.ConditionWords()
	}
	if len(arguments) >= len(v.takes) {
		return nil
	}
	return w.of(takes)
}

// languageNames are the tags that the verb language takes.
func languageNames() []string {
	var tags []string
	for _, l := range words.Languages() {
		tags = append(tags, l.String())
	}
	return tags
}

// of is every word of a kind.
func (w Vocabulary) of(k kind) []string {
	switch k {
	case ofPod:
		return w.pods
	case ofTried:
		return slices.Concat(w.tried, []string{"step", "start", "end"})
	case ofNode:
		return w.nodes
	case ofPodOrNode:
		return slices.Concat(w.pods, w.nodes)
	case ofExplained:
		return slices.Concat(w.pods, w.nodes, w.workloads, w.groups)
	case ofScheduler:
		return w.schedulers
	case ofBranch:
		return w.branches
	case ofTheme:
		return w.themes
	case ofLanguage:
		return languageNames()
	case ofBreakID:
		return w.breaks
	case ofVerb:
		return Names()
	case ofTopic:
		return append(Names(), topicNames()...)
	case ofMotion:
		return motionNames()
	case ofOrder:
		return OrderNames()
	case ofLabel:
		return w.labels()
	case ofResource:
		return w.resources()
	case ofNumbers:
		return []string{view.Weighted.String(), view.Normalized.String(), view.Raw.String()}
	case ofPart:
		return partNames()
	case ofYes:
		return []string{"yes"}
	case ofLike:
		return []string{"like"}
	case ofBookmark:
		return w.bookmarks
	case ofEvent:
		return w.events
	case ofWish:
		return wishNames()
	case ofBelief:
		return w.beliefs()
	case ofTable:
		return exportWords()
	case ofFormat:
		return formats
	}
	return nil
}

// setting is what may come next after set.
func (w Vocabulary) setting(words []string) []string {
	switch {
	case len(words) == 0:
		return settingWords()
	case len(words) == 1 && (words[0] == "request" || words[0] == "priority"):
		return w.pods
	case len(words) == 1 && words[0] == "plugin":
		return w.plugins
	case len(words) == 1 && words[0] == "release":
		return session.Releases()
	case len(words) == 2 && words[0] == "plugin":
		return []string{"off"}
	case len(words) == 1 && words[0] == "weight":
		return w.scorers
	case len(words) == 2 && words[0] == "request":
		return []string{"cpu=", "memory="}
	}
	return nil
}

func wishNames() []string {
	var names []string
	for _, wish := range session.Wishes() {
		names = append(names, string(wish))
	}
	return names
}

// beliefs are some of what can be watched, for every node and pod.
func (w Vocabulary) beliefs() []string {
	var all []string
	for _, n := range w.nodes {
		all = append(all, "node."+n+".requested.cpu", "node."+n+".requested.memory", "node."+n+".pods", "node."+n+".taints")
	}
	for _, p := range w.pods {
		all = append(all, "pod."+p+".queue", "pod."+p+".node", "pod."+p+".nominated")
	}
	return append(all, "queue.active", "queue.backoff", "queue.unschedulable", "queue.gated", "queue.inflight")
}

// breakpoint is what may come next in a breakpoint: a word, or the value of the last word.
func (w Vocabulary) breakpoint(words []string) []string {
	if slices.Contains(words, "if") {
		return session.ConditionWords()
	}
	wantsValue := ""
	for _, word := range words {
		switch {
		case wantsValue != "":
			wantsValue = ""
		case word != "divergence":
			wantsValue = word
		}
	}
	switch wantsValue {
	case "":
		return session.BreakWords()
	case "pod":
		return w.pods
	case "node":
		return w.nodes
	case "plugin":
		return w.plugins
	case "code":
		return []string{
			trace.Unschedulable.String(), trace.UnschedulableAndUnresolvable.String(), trace.Error.String(),
			trace.Pending.String(),
		}
	case "outcome":
		return outcomes
	case "queue":
		return queueWords
	case "event":
		return eventWords
	}
	return nil
}

// Names are the names of all verbs.
func Names() []string {
	var names []string
	for _, v := range All() {
		names = append(names, v.Name)
	}
	return names
}

func motionNames() []string {
	var names []string
	for _, m := range motions() {
		names = append(names, m.name)
	}
	return names
}

// OrderNames are the orders that sort takes.
func OrderNames() []string {
	var names []string
	for _, o := range view.Orders() {
		names = append(names, o.String())
	}
	return names
}
