package session

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Breakpoint is a predicate over facts. The fields that are set must all hold of the facts of one step; a step that
// they hold of is where Continue stops.
type Breakpoint struct {
	ID      int           `json:"id"`
	Once    bool          `json:"once,omitempty"`    // removed when it is hit (tbreak)
	Off     bool          `json:"off,omitempty"`     // kept, but not asked
	Trace   bool          `json:"trace,omitempty"`   // it tells that it was hit, and does not stop (trace)
	Hits    int           `json:"hits,omitempty"`    // how often it was hit
	Cond    string        `json:"cond,omitempty"`    // a CEL expression that must hold as well; see Condition
	Watch   string        `json:"watch,omitempty"`   // a belief that must have changed; alone
	On      string        `json:"on,omitempty"`      // commands that the screen or the prompt runs at a hit
	Pod     string        `json:"pod,omitempty"`     // namespace/name with * and ?; without a slash the name alone
	Label   string        `json:"label,omitempty"`   // kubectl's selector of labels: of the pod, or a pod of the group
	Node    string        `json:"node,omitempty"`    // the host, or a node that is rejected
	Plugin  string        `json:"plugin,omitempty"`  // a plugin that rejects, at any extension point
	Code    string        `json:"code,omitempty"`    // with Plugin or alone: the code of a rejection
	Outcome trace.Outcome `json:"outcome,omitempty"` // of the cycle
	Queue   string        `json:"queue,omitempty"`   // a queue an entity moves to
	Event   string        `json:"event,omitempty"`   // the kind of an object that changed, or kube-scheduler's label of it
	Diverge bool          `json:"diverge,omitempty"` // the replay parts from the recording

	passed    int        // how often its words held, whatever the condition said
	condition *condition // of Cond; nil: none
	belief    *belief    // of Watch; nil: none
	selector  labels.Selector
}

// String returns what it stops at, in the words of the command line.
func (b Breakpoint) String() string {
	var words []string
	add := func(word, value string) {
		if value != "" {
			words = append(words, word+" "+value)
		}
	}
	add("pod", b.Pod)
	add("label", b.Label)
	add("node", b.Node)
	add("plugin", b.Plugin)
	add("code", b.Code)
	add("outcome", string(b.Outcome))
	add("queue", b.Queue)
	add("event", b.Event)
	if b.Diverge {
		words = append(words, "divergence")
	}
	add("watch", b.Watch)
	add("if", b.Cond)
	return strings.Join(words, " ")
}

// BreakWords are the words of which a breakpoint is made. Each but divergence has a value.
func BreakWords() []string {
	return []string{"pod", "label", "node", "plugin", "code", "outcome", "queue", "event", "divergence", "if"}
}

// ParseBreakpoint reads pairs of a word and a value, such as "pod web-* plugin NodeResourcesFit", or the single word
// divergence. What follows the word "if" is a condition: "pod web-* if feasible == 0 && pod.priority > 1000".
func ParseBreakpoint(words []string) (Breakpoint, error) {
	var b Breakpoint
	fields := map[string]*string{
		"pod": &b.Pod, "label": &b.Label, "node": &b.Node, "plugin": &b.Plugin, "code": &b.Code, "queue": &b.Queue,
		"event":   &b.Event,
		"outcome": (*string)(&b.Outcome),
	}
	if i := slices.Index(words, "if"); i >= 0 {
		if err := b.setCondition(strings.Join(words[i+1:], " ")); err != nil {
			return b, err
		}
		words = words[:i]
	}
	for i := 0; i < len(words); i++ {
		if words[i] == "divergence" {
			b.Diverge = true
			continue
		}
		field, known := fields[words[i]]
		if !known {
			return b, phrase.Errorf("break: unknown word %q (one of %s)", words[i], strings.Join(BreakWords(), ", "))
		}
		if i++; i == len(words) {
			return b, phrase.Errorf("break: %s needs a value", words[i-1])
		}
		*field = words[i]
	}
	if err := b.choose(); err != nil {
		return b, err
	}
	return b, b.check()
}

// choose reads the selector of labels.
func (b *Breakpoint) choose() error {
	if b.Label == "" {
		return nil
	}
	selector, err := labels.Parse(b.Label)
	if err != nil {
		return phrase.Errorf("break: %q is not a selector of labels (app=web,tier!=batch): %w", b.Label, err)
	}
	b.selector = selector
	return nil
}

func (b Breakpoint) check() error {
	if b.String() == "" {
		return phrase.Errorf("break: at what? (break pod NAME, break node NAME, break plugin NAME, ...)")
	}
	if b.Code != "" {
		if _, ok := trace.CodeNamed(b.Code); !ok {
			return phrase.Errorf("break: %q is not a code (Unschedulable, UnschedulableAndUnresolvable, Error, Pending)", b.Code)
		}
	}
	for _, pattern := range []string{b.Pod, b.Node} {
		if _, err := path.Match(pattern, ""); err != nil {
			return phrase.Errorf("break: %q is not a pattern: %w", pattern, err)
		}
	}
	return nil
}

// words is how many of its words are set, besides the condition.
func (b Breakpoint) words() int {
	b.Cond, b.Label = "", ""
	return len(strings.Fields(b.String()))
}

// setCondition gives the breakpoint a CEL expression that must hold as well, or with "" takes it away.
func (b *Breakpoint) setCondition(text string) error {
	b.Cond, b.condition = "", nil
	if text == "" {
		return nil
	}
	c, err := parseCondition(text)
	if err == nil {
		b.Cond, b.condition = text, c
	}
	return err
}

// strikes reports whether the words of the breakpoint hold of the facts of one step. A pod is meant by a cycle that
// tries it; together with a queue, by its moves to that queue; together with an event, by events about it. Without
// words every cycle is meant: only the condition decides.
func (b Breakpoint) strikes(facts []trace.Fact) bool {
	if b.Off || b.Watch != "" {
		return false
	}
	e := evidence{Breakpoint: b}
	for _, f := range facts {
		e.see(f)
	}
	if (b.Cond != "" || b.Label != "") && b.words() == 0 {
		return e.cycle
	}
	return (b.Pod == "" || e.pod) && (b.Node == "" || e.node) && (b.Plugin == "" && b.Code == "" || e.rejected) &&
		(b.Outcome == "" || e.outcome) && (b.Queue == "" || e.queue) && (b.Event == "" || e.event) && (!b.Diverge ||
		e.diverged)
}

// evidence gathers which of a breakpoint's fields hold.
type evidence struct {
	Breakpoint
	cycle, pod, node, rejected, outcome, queue, event, diverged bool
}

func (e *evidence) see(fact trace.Fact) {
	if plugin, v, is := trace.AnswerIn(fact); is {
		if _, ofGroup := fact.(trace.Feasible); !ofGroup || v.Code != trace.Wait { // which every member but the last says
			e.reject(plugin, v)
		}
		return
	}
	switch f := fact.(type) {
	case trace.Popped:
		e.cycle = true
		e.pod = e.pod || e.Queue == "" && e.Event == "" && podMatches(e.Pod, f.Entity.Key())
	case trace.Gathered:
		for _, m := range f.Members {
			e.pod = e.pod || e.Queue == "" && e.Event == "" && podMatches(e.Pod, m.Key())
		}
	case trace.MemberSettled:
		e.end(f.Outcome, f.Node)
	case trace.Moved:
		if e.Queue != "" && string(f.To) == e.Queue && (e.Pod == "" || podMatches(e.Pod, f.Entity.Key())) {
			e.queue, e.pod = true, true
		}
	case trace.Observed:
		e.observe(f)
	case trace.Filtered:
		e.seeMatrix(f.Matrix)
	case trace.Ended:
		e.end(f.Outcome, f.Node)
	case trace.Diverged, trace.Stayed:
		e.diverged = true
	}
}

// observe looks at an event: the one that is meant is of the kind or has the label, and is about the pod or the node,
// if such are named.
func (e *evidence) observe(f trace.Observed) {
	if f.Kind != e.Event && !slices.Contains(f.Events, e.Event) {
		return
	}
	aboutPod := f.Kind == "Pod" && podMatches(e.Pod, f.Object)
	aboutNode := f.Kind == "Node" && matches(e.Node, f.Object)
	if (e.Pod == "" || aboutPod) && (e.Node == "" || aboutNode) {
		e.event, e.pod, e.node = true, e.pod || aboutPod, e.node || aboutNode
	}
}

func (e *evidence) seeMatrix(m *trace.Matrix) {
	for _, node := range m.Visited {
		first := m.First[node]
		if first < 0 || e.Node != "" && !matches(e.Node, m.Nodes[node]) {
			continue
		}
		e.node = true
		if v, ok := m.Verdict(int(node), int(first)); ok {
			e.reject(m.Plugins[first], v)
		}
	}
}

// end looks at the outcome of a pod, and at its node.
func (e *evidence) end(o trace.Outcome, node string) {
	e.outcome = e.outcome || o == e.Outcome
	e.node = e.node || matches(e.Node, node)
}

func (e *evidence) reject(plugin string, v trace.Verdict) {
	if v.OK() || v.Code == trace.Skip {
		return
	}
	e.rejected = e.rejected || (e.Plugin == "" || e.Plugin == plugin) && (e.Code == "" || e.Code == v.Code.String())
}

// podMatches compares with the whole key when the pattern has a slash, else with the name.
func podMatches(pattern, key string) bool {
	if !strings.Contains(pattern, "/") {
		key = key[strings.LastIndex(key, "/")+1:]
	}
	return matches(pattern, key)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
