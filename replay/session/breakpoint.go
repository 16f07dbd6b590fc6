package session

import (
	"fmt"
	"path"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// Breakpoint is a predicate over facts. The fields that are set must all hold of the facts of one step; a step that
// they hold of is where Continue stops.
type Breakpoint struct {
	ID      int
	Once    bool // removed when it strikes (tbreak)
	Off     bool // kept, but not asked
	Hits    int
	Pod     string        // namespace/name with * and ?; without a slash the name alone
	Node    string        // the host, or a node that is rejected
	Plugin  string        // a plugin that rejects, at any extension point
	Code    string        // with Plugin or alone: the code of a rejection
	Outcome trace.Outcome // of the cycle
	Queue   string        // a queue an entity moves to
	Event   string        // the kind of an object an event was about
	Diverge bool          // the replay parts from the recording
}

// String says what it stops at, in the words of the command line.
func (b Breakpoint) String() string {
	var words []string
	add := func(word, value string) {
		if value != "" {
			words = append(words, word+" "+value)
		}
	}
	add("pod", b.Pod)
	add("node", b.Node)
	add("plugin", b.Plugin)
	add("code", b.Code)
	add("outcome", string(b.Outcome))
	add("queue", b.Queue)
	add("event", b.Event)
	if b.Diverge {
		words = append(words, "divergence")
	}
	return strings.Join(words, " ")
}

// ParseBreakpoint reads pairs of a word and a value, such as "pod web-* plugin NodeResourcesFit", or the single word
// divergence.
func ParseBreakpoint(words []string) (Breakpoint, error) {
	var b Breakpoint
	fields := map[string]*string{
		"pod": &b.Pod, "node": &b.Node, "plugin": &b.Plugin, "code": &b.Code, "queue": &b.Queue, "event": &b.Event,
		"outcome": (*string)(&b.Outcome),
	}
	for i := 0; i < len(words); i++ {
		if words[i] == "divergence" {
			b.Diverge = true
			continue
		}
		field, known := fields[words[i]]
		if !known {
			return b, fmt.Errorf("break: unknown word %q (one of pod, node, plugin, code, outcome, queue, event, divergence)", words[i])
		}
		if i++; i == len(words) {
			return b, fmt.Errorf("break: %s needs a value", words[i-1])
		}
		*field = words[i]
	}
	return b, b.check()
}

func (b Breakpoint) check() error {
	if b.String() == "" {
		return fmt.Errorf("break: at what? (break pod NAME, break node NAME, break plugin NAME, ...)")
	}
	if b.Code != "" {
		if _, ok := trace.CodeNamed(b.Code); !ok {
			return fmt.Errorf("break: %q is not a code (Unschedulable, UnschedulableAndUnresolvable, Error, Pending)", b.Code)
		}
	}
	for _, pattern := range []string{b.Pod, b.Node} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("break: %q is not a pattern: %w", pattern, err)
		}
	}
	return nil
}

// Strikes says whether the breakpoint holds of the facts of one step.
func (b Breakpoint) Strikes(facts []trace.Fact) bool {
	if b.Off {
		return false
	}
	e := evidence{Breakpoint: b}
	for _, f := range facts {
		e.see(f)
	}
	return (b.Pod == "" || e.pod) && (b.Node == "" || e.node) && (b.Plugin == "" && b.Code == "" || e.rejected) &&
		(b.Outcome == "" || e.outcome) && (b.Queue == "" || e.queue) && (b.Event == "" || e.event) && (!b.Diverge || e.diverged)
}

// evidence gathers which of a breakpoint's fields hold.
type evidence struct {
	Breakpoint
	pod, node, rejected, outcome, queue, event, diverged bool
}

func (e *evidence) see(fact trace.Fact) {
	switch f := fact.(type) {
	case trace.Popped:
		e.pod = e.pod || podMatches(e.Pod, f.Entity.Key())
	case trace.Moved:
		e.queue = e.queue || f.To == e.Queue
		e.pod = e.pod || podMatches(e.Pod, f.Entity.Key())
	case trace.Observed:
		e.event = e.event || f.Kind == e.Event
		e.pod = e.pod || f.Kind == "Pod" && podMatches(e.Pod, f.Object)
		e.node = e.node || f.Kind == "Node" && matches(e.Node, f.Object)
	case trace.PreFiltered:
		e.reject(f.Plugin, f.Verdict)
	case trace.Filtered:
		e.seeMatrix(f.Matrix)
	case trace.PostFiltered:
		e.reject(f.Plugin, f.Verdict)
	case trace.Ran:
		e.reject(f.Plugin, f.Verdict)
	case trace.Ended:
		e.outcome = e.outcome || f.Outcome == e.Outcome
		e.node = e.node || matches(e.Node, f.Node)
	case trace.Diverged:
		e.diverged = true
	}
}

// seeMatrix looks at what kube-scheduler itself met: the first failure of each node it evaluated.
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
