package trace

import (
	"sort"
	"strconv"
	"strings"
)

// FitMessage is the message of kube-scheduler about a pod that fits nowhere (FitError, 1.37): the PreFilter's message,
// or a histogram of the reasons, sorted as text; then the message of PostFilter.
type FitMessage struct {
	Nodes      int    // all nodes
	PreFilter  string // set: no node was asked
	PostFilter string

	reasons map[string]int // reason -> nodes
	last    []string       // the reasons counted last, of which more nodes are not in reasons yet
	more    int
}

// Count adds a verdict that so many nodes share. Verdicts in a row that share their reasons cost next to nothing.
func (m *FitMessage) Count(v Verdict, nodes int) {
	if len(v.Reasons) == 0 {
		return
	}
	if len(v.Reasons) != len(m.last) || &v.Reasons[0] != &m.last[0] {
		m.settle()
		m.last = v.Reasons
	}
	m.more += nodes
}

func (m *FitMessage) settle() {
	if m.more > 0 && m.reasons == nil {
		m.reasons = map[string]int{}
	}
	for _, r := range m.last {
		m.reasons[r] += m.more
	}
	m.last, m.more = nil, 0
}

// Reasons has the number of nodes for each reason. It is read only.
func (m *FitMessage) Reasons() map[string]int {
	m.settle()
	return m.reasons
}

// String is the message.
func (m *FitMessage) String() string {
	m.settle()
	var b strings.Builder
	b.WriteString("0/")
	b.WriteString(strconv.Itoa(m.Nodes))
	b.WriteString(" nodes are available:")
	if m.PreFilter != "" {
		b.WriteString(" " + m.PreFilter + ".")
	} else if len(m.reasons) > 0 {
		lines := make([]string, 0, len(m.reasons))
		for reason, n := range m.reasons {
			lines = append(lines, strconv.Itoa(n)+" "+reason)
		}
		sort.Strings(lines)
		b.WriteString(" " + strings.Join(lines, ", ") + ".")
	}
	if m.PostFilter != "" {
		b.WriteString(" " + m.PostFilter)
	}
	return b.String()
}
