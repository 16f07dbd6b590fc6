package extender

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/address"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Entry is one answer as a recording keeps it.
type Entry struct {
	Extender string `json:"extender"` // its name, as config.Config.ExtenderNames has it
	Call     string `json:"call"`
	Cycle    int64  `json:"cycle"`
	Pod      string `json:"pod"`   // namespace/name
	Asked    string `json:"asked"` // a digest of the question by names and UIDs, which redaction leaves alone
	Answer   answer `json:"answer"`
}

// answer is framework.Answer in short.
type answer struct {
	Failure string `json:"failure,omitempty"`
	// Others means: the nodes that passed are those of the question without those of Without, in the order of the
	// question. Else they are Nodes.
	Others       bool              `json:"others,omitempty"`
	Without      []string          `json:"without,omitempty"`
	Nodes        []string          `json:"nodes,omitempty"`
	Described    bool              `json:"described,omitempty"`
	Changed      []*corev1.Node    `json:"changed,omitempty"`
	Failed       map[string]string `json:"failed,omitempty"`
	Unresolvable map[string]string `json:"unresolvable,omitempty"`
	Scores       []score           `json:"scores,omitempty"`
	Victims      []victims         `json:"victims,omitempty"`
}

type score struct {
	Node  string `json:"node"`
	Score int64  `json:"score"`
}

type victims struct {
	Node       string   `json:"node"`
	UIDs       []string `json:"uids"`
	Violations int64    `json:"violations,omitempty"`
}

// Journal keeps answers. All copies of a player share one; any number of goroutines may use it.
type Journal struct {
	mu      sync.Mutex
	entries []Entry
	by      map[string][]int // by extender, call and digest: places in entries, in order of cycles
	missed  int
}

// NewJournal holds the answers of a recording. What is wrong with one that cannot be read is a sentence; it is left
// out.
func NewJournal(recorded []json.RawMessage) (*Journal, []phrase.Text) {
	j := &Journal{by: map[string][]int{}}
	var wrong []phrase.Text
	for i, text := range recorded {
		var e Entry
		if err := json.Unmarshal(text, &e); err != nil {
			wrong = append(wrong, phrase.Textf("recorded answer %d of an extender cannot be read, left out: %s", i+1,
				phrase.OnOneLine(err)))
			continue
		}
		j.add(e)
	}
	return j, wrong
}

// Entries are all answers, in the order they were recorded or given.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.entries)
}

// Missed is how often an answer was neither recorded nor to be had.
func (j *Journal) Missed() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.missed
}

func (j *Journal) add(e Entry) {
	places := j.by[e.key()]
	at, _ := slices.BinarySearchFunc(places, e.Cycle, func(i int, cycle int64) int {
		return int(j.entries[i].Cycle - cycle)
	})
	j.by[e.key()] = slices.Insert(places, at, len(j.entries))
	j.entries = append(j.entries, e)
}

// call gives the extenders of a configuration their names in the entries of old recordings, which have URL prefixes in
// the place of names and addresses in sentences.
func (j *Journal) call(c *config.Config) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries := j.entries
	j.entries, j.by = make([]Entry, 0, len(entries)), map[string][]int{}
	for _, e := range entries {
		for i := range c.Extenders {
			if e.Extender == c.Extenders[i].URLPrefix {
				e.Extender = c.ExtenderNames[i]
			}
		}
		e.Answer.hide()
		j.add(e)
	}
}

// hide leaves no address in the sentences of an answer.
func (s *answer) hide() {
	s.Failure = address.Hide(s.Failure)
	for _, reasons := range []map[string]string{s.Failed, s.Unresolvable} {
		for node, reason := range reasons {
			reasons[node] = address.Hide(reason)
		}
	}
}

// find is the answer to the same question of the same cycle.
func (j *Journal) find(e *Entry, q *framework.Question) (framework.Answer, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, i := range j.by[e.key()] {
		if j.entries[i].Cycle == e.Cycle {
			return j.entries[i].Answer.long(q), true
		}
	}
	return framework.Answer{}, false
}

// nearest is the answer to the same question in the last cycle before this one that has it, else in the first one
// after. When there is none, the question is counted as missed.
func (j *Journal) nearest(e *Entry, q *framework.Question) (framework.Answer, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	places := j.by[e.key()]
	if len(places) == 0 {
		j.missed++
		return framework.Answer{}, false
	}
	best := places[0]
	for _, i := range places {
		if j.entries[i].Cycle <= e.Cycle {
			best = i
		}
	}
	return j.entries[best].Answer.long(q), true
}

func (j *Journal) keep(e *Entry, q *framework.Question, a *framework.Answer) {
	e.Answer = short(q, a)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.add(*e)
}

func (e *Entry) key() string { return e.Extender + "\n" + e.Call + "\n" + e.Asked }

// identify is a question without its answer.
func identify(extender string, q *framework.Question) Entry {
	sum := sha256.New()
	part := func(text string) {
		sum.Write([]byte(text))
		sum.Write([]byte{0})
	}
	part(q.Pod.Key)
	part(q.Pod.UID())
	for _, node := range q.Nodes {
		part(node.Name)
	}
	for _, v := range q.Victims {
		part(v.Node)
		part(strconv.FormatInt(v.Violations, 10))
		for _, p := range v.Pods {
			part(p.UID())
		}
	}
	part(q.Node)
	return Entry{
		Extender: extender, Call: string(q.Call), Cycle: q.Cycle, Pod: q.Pod.Key,
		Asked: hex.EncodeToString(sum.Sum(nil)[:12]),
	}
}

// short is an answer as it is kept.
func short(q *framework.Question, a *framework.Answer) answer {
	s := answer{
		Failure: a.Failure, Described: a.Described, Changed: a.Changed, Failed: byNode(a.Failed),
		Unresolvable: byNode(a.Unresolvable),
	}
	s.Without, s.Others = without(q, a.Nodes)
	if !s.Others {
		s.Nodes = a.Nodes
	}
	for _, n := range a.Scores {
		s.Scores = append(s.Scores, score(n))
	}
	for _, v := range a.Victims {
		s.Victims = append(s.Victims, victims(v))
	}
	return s
}

// without are the nodes of the question that did not pass; false when those that passed are not the others in their
// order.
func without(q *framework.Question, passed []string) ([]string, bool) {
	if len(passed) == 0 {
		return nil, false
	}
	var missing []string
	for _, node := range q.Nodes {
		if len(passed) > 0 && passed[0] == node.Name {
			passed = passed[1:]
			continue
		}
		missing = append(missing, node.Name)
	}
	return missing, len(passed) == 0
}

// long is a kept answer to a question.
func (s *answer) long(q *framework.Question) framework.Answer {
	a := framework.Answer{
		Failure: s.Failure, Nodes: s.Nodes, Described: s.Described, Changed: s.Changed,
		Failed: inOrder(s.Failed), Unresolvable: inOrder(s.Unresolvable),
	}
	if s.Others {
		a.Nodes = make([]string, 0, len(q.Nodes))
		missing := s.Without
		for _, node := range q.Nodes {
			if len(missing) > 0 && missing[0] == node.Name {
				missing = missing[1:]
				continue
			}
			a.Nodes = append(a.Nodes, node.Name)
		}
	}
	for _, n := range s.Scores {
		a.Scores = append(a.Scores, framework.NodeScore(n))
	}
	for _, v := range s.Victims {
		a.Victims = append(a.Victims, framework.NodeUIDs(v))
	}
	return a
}

func byNode(reasons []framework.NodeReason) map[string]string {
	if len(reasons) == 0 {
		return nil
	}
	all := make(map[string]string, len(reasons))
	for _, r := range reasons {
		all[r.Node] = r.Reason
	}
	return all
}

// inOrder is the nodes of a map with their reasons, by name.
func inOrder(reasons map[string]string) []framework.NodeReason {
	var all []framework.NodeReason
	for node, reason := range reasons {
		all = append(all, framework.NodeReason{Node: node, Reason: reason})
	}
	slices.SortFunc(all, func(a, b framework.NodeReason) int { return strings.Compare(a.Node, b.Node) })
	return all
}
