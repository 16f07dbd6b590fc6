package scenario

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// speaker answers for an extender, call by call, as its commands set; where no command is about a call, the answer
// changes nothing. Parse makes it, and it is read only.
type speaker map[framework.Call]*lines

// lines is a speaker's answer to one call.
type lines struct {
	fails        string
	failed       []framework.NodeReason
	unresolvable []framework.NodeReason
	without      []string
	claims       []string
	whole        bool
	scores       []framework.NodeScore
	keeps        []string
	victims      []chosenVictims
}

// chosenVictims are the pods an extender wants evicted from a node, by key.
type chosenVictims struct {
	node string
	pods []string
}

// Ask answers as the lines of the scenario do, and implements framework.Line.
func (s speaker) Ask(q framework.Question) framework.Answer {
	says, has := s[q.Call]
	if !has {
		says = &lines{}
	}
	if says.fails != "" {
		return framework.Answer{Failure: says.fails}
	}
	switch q.Call {
	case framework.CallFilter:
		return says.filter(&q)
	case framework.CallPrioritize:
		return framework.Answer{Scores: says.scores}
	case framework.CallPreempt:
		return says.preempt(&q)
	case framework.CallBind:
	}
	return framework.Answer{}
}

// filter lets every node pass that no command names, and returns only nodes of the question.
func (l *lines) filter(q *framework.Question) framework.Answer {
	a := framework.Answer{Described: l.whole}
	for _, node := range q.Nodes {
		is := func(r framework.NodeReason) bool { return r.Node == node.Name }
		failed, final := slices.IndexFunc(l.failed, is), slices.IndexFunc(l.unresolvable, is)
		if failed >= 0 {
			a.Failed = append(a.Failed, l.failed[failed])
		}
		if final >= 0 {
			a.Unresolvable = append(a.Unresolvable, l.unresolvable[final])
		}
		if failed < 0 && final < 0 && !slices.Contains(l.without, node.Name) {
			a.Nodes = append(a.Nodes, node.Name)
		}
	}
	a.Nodes = append(a.Nodes, l.claims...)
	byNode := func(x, y framework.NodeReason) int { return cmp.Compare(x.Node, y.Node) }
	slices.SortFunc(a.Failed, byNode)
	slices.SortFunc(a.Unresolvable, byNode)
	return a
}

// preempt agrees with the candidates, except for what the commands set.
func (l *lines) preempt(q *framework.Question) framework.Answer {
	var a framework.Answer
	for _, v := range q.Victims {
		if l.keeps != nil && !slices.Contains(l.keeps, v.Node) {
			continue
		}
		left := framework.NodeUIDs{Node: v.Node, Violations: v.Violations}
		for _, p := range v.Pods {
			left.UIDs = append(left.UIDs, cluster.UID(p.API))
		}
		a.Victims = append(a.Victims, left)
	}
	for _, chosen := range l.victims {
		i := slices.IndexFunc(a.Victims, func(v framework.NodeUIDs) bool { return v.Node == chosen.node })
		if i < 0 {
			a.Victims = append(a.Victims, framework.NodeUIDs{Node: chosen.node})
			i = len(a.Victims) - 1
		}
		a.Victims[i].UIDs = chosen.pods // a pod of a scenario has its key for a UID
	}
	slices.SortFunc(a.Victims, func(x, y framework.NodeUIDs) int { return cmp.Compare(x.Node, y.Node) })
	return a
}

func extenderWords() []word[lines] {
	rejection := func(put func(*lines, framework.NodeReason)) func(string) (func(*lines), error) {
		return func(v string) (func(*lines), error) {
			node, reason, named := strings.Cut(v, ":")
			if !named {
				return nil, phrase.Errorf("%q says no reason (want NODE:REASON)", v)
			}
			return func(l *lines) { put(l, framework.NodeReason{Node: node, Reason: reason}) }, nil
		}
	}
	list := func(put func(*lines, string)) func(string) (func(*lines), error) {
		return func(v string) (func(*lines), error) { return func(l *lines) { put(l, v) }, nil }
	}
	return []word[lines]{
		{
			name: "reject", value: "NODE:REASON", does: "filter: the node is among FailedNodes.", many: true,
			read: rejection(func(
				l *lines, r framework.NodeReason,
			) {
				l.failed = append(l.failed, r)
			}),
		},
		{
			name: "unresolvable", value: "NODE:REASON", does: "filter: the node is among FailedAndUnresolvableNodes.",
			many: true, read: rejection(func(
				l *lines, r framework.NodeReason,
			) {
				l.unresolvable = append(l.unresolvable, r)
			}),
		},
		{
			name: "without", value: "NODE", does: "filter: the node does not come back, and nothing is said of it.",
			many: true, read: list(func(l *lines, v string) { l.without = append(l.without, v) }),
		},
		{
			name: "claims", value: "NODE", does: "filter: the node comes back although nobody asked about it.",
			many: true, read: list(func(l *lines, v string) { l.claims = append(l.claims, v) }),
		},
		{
			name: "whole", does: "filter: nodes come back as objects, as from an extender that is not nodeCacheCapable.",
			read: func(v string) (func(*lines), error) {
				is, err := truth(v)
				return func(l *lines) { l.whole = is }, err
			},
		},
		{name: "score", value: "NODE:NUMBER", does: "prioritize: the node's score, 0 to 10.", many: true, read: nodeScore},
		{
			name: "keeps", value: "NODE", does: "preempt: of the candidates only such nodes are left.", many: true,
			read: list(func(l *lines, v string) { l.keeps = append(l.keeps, v) }),
		},
		{name: "victims", value: "NODE:[POD,...]", does: "preempt: who is to leave the node.", many: true, read: nodeVictims},
		{name: "fails", value: "WORDS", does: "the call fails with these words.", read: list(func(l *lines, v string) {
			l.fails = v
		})},
	}
}

func nodeScore(v string) (func(*lines), error) {
	node, number, _ := strings.Cut(v, ":")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, phrase.Errorf("%q is no score (want NODE:NUMBER)", v)
	}
	return func(l *lines) { l.scores = append(l.scores, framework.NodeScore{Node: node, Score: n}) }, nil
}

func nodeVictims(v string) (func(*lines), error) {
	node, pods, named := strings.Cut(v, ":")
	if !named {
		return nil, phrase.Errorf("%q names no pods (want NODE:POD,POD, or NODE: for nobody)", v)
	}
	chosen := chosenVictims{node: node}
	for _, pod := range strings.FieldsFunc(pods, func(r rune) bool { return r == ',' }) {
		chosen.pods = append(chosen.pods, key(pod))
	}
	return func(l *lines) { l.victims = append(l.victims, chosen) }, nil
}

// spoken is an extender command that was read.
type spoken struct {
	url  string
	call framework.Call
	says *lines
}

// readExtender reads URL CALL [WORD...].
func readExtender(c *call) (action, []problem) {
	names, rest, wrong := named(c, 2)
	if len(wrong) > 0 {
		return nil, wrong
	}
	calls := []string{
		string(framework.CallFilter), string(framework.CallPrioritize), string(framework.CallPreempt),
		string(framework.CallBind),
	}
	if !slices.Contains(calls, names[1]) {
		return nil, []problem{{c.line, phrase.Textf("unknown call %q (want %s)", names[1], strings.Join(calls, ", "))}}
	}
	said, wrong := readWords(rest, extenderWords(), nil)
	says := &lines{}
	for _, change := range said.early {
		change(says)
	}
	c.spoken = &spoken{names[0], framework.Call(names[1]), says}
	return func(*run) error { return nil }, wrong
}

// give gives the opening an answer to a call; it returns a complaint when there is one already, or when no scheduler
// would make the call.
func (s *opening) give(said *spoken, plugins []config.Plugin) phrase.Text {
	if !slices.Contains(s.extenderNames(plugins), said.url) {
		return phrase.Textf("the configuration has no extender %q", said.url)
	}
	if s.extenders[said.url] == nil {
		if s.extenders == nil {
			s.extenders = map[string]speaker{}
		}
		s.extenders[said.url] = speaker{}
	}
	if s.extenders[said.url][said.call] != nil {
		return phrase.Textf("what extender %s says to %s is said above", said.url, said.call)
	}
	s.extenders[said.url][said.call] = said.says
	return ""
}

// extenderNames are the URL prefixes of the configuration's extenders.
func (s *opening) extenderNames(plugins []config.Plugin) []string {
	if s.config == nil {
		return nil
	}
	gates, err := config.ParseGatesOf(s.release, s.gates)
	if err != nil {
		return nil
	}
	c, err := config.LoadWith(s.config, "config", config.Options{Gates: gates, Plugins: plugins})
	if err != nil {
		return nil
	}
	var urls []string
	for i := range c.Extenders {
		urls = append(urls, c.Extenders[i].URLPrefix)
	}
	return urls
}

// Extenders answer for the extenders of the scenario's configuration, by URL prefix; nil when there are none. No server
// is ever called.
func (s *Scenario) Extenders() map[string]framework.Line {
	urls := s.extenderNames(s.plugins)
	if len(urls) == 0 {
		return nil
	}
	all := make(map[string]framework.Line, len(urls))
	for _, url := range urls {
		all[url] = s.extenders[url]
	}
	return all
}
