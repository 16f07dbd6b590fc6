// Package extender calls kube-scheduler's extenders: it is the HTTP client of their protocol
// (pkg/scheduler/extender.go, 1.37), and the journal that records every answer, so that steps can be run again, here or
// from a recording, without a server. It does not decide what an answer means for a pod: core does.
package extender

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/address"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Policy chooses the server to call when no answer is recorded.
type Policy uint8

// The policies. Bind is a call of its own, because it changes a cluster: the one that the server is responsible for.
const (
	Recorded   Policy = iota // none: a question without a recorded answer fails
	Ask                      // the servers; a binding is not sent to them and counts as done
	AskAndBind               // the servers, with everything
)

var policyNames = [...]string{"recorded", "ask", "ask-and-bind"}

// String is the word the command line uses.
func (p Policy) String() string { return policyNames[p] }

// PolicyNamed finds a policy by the word of the command line.
func PolicyNamed(name string) (Policy, bool) {
	for i, n := range policyNames {
		if n == name {
			return Policy(i), true
		}
	}
	return 0, false
}

// Policies are the words of the command line.
func Policies() []string { return policyNames[:] }

// Connect returns the configuration with a line for every extender: to the journal and, for questions that it does not
// hold, to the servers that the policy allows. Calls fail once ctx has ended. The error is the one with which
// kube-scheduler would refuse to start.
func Connect(ctx context.Context, c *config.Config, j *Journal, p Policy) (*config.Config, error) {
	var lines []framework.Line
	j.call(c)
	for i := range c.Extenders {
		e, name := &c.Extenders[i], c.ExtenderNames[i]
		l := &line{journal: j, extender: name}
		if p != Recorded {
			s, err := newServer(ctx, e, name)
			if err != nil {
				return nil, phrase.Errorf("couldn't build extenders: %s: %w", name, err)
			}
			s.binds = p == AskAndBind
			l.source = s
		}
		lines = append(lines, l)
	}
	return c.Connected(lines), nil
}

// ConnectTo is the configuration with a line for every extender: to the journal, and for what it does not hold to
// sources, by URL prefix. An extender without a source fails.
func ConnectTo(c *config.Config, j *Journal, sources map[string]framework.Line) *config.Config {
	var lines []framework.Line
	j.call(c)
	for i := range c.Extenders {
		lines = append(lines, &line{
			journal: j, extender: c.ExtenderNames[i], source: sources[c.Extenders[i].URLPrefix],
		})
	}
	return c.Connected(lines)
}

// line answers from the journal, or calls the server and records its answer.
type line struct {
	journal  *Journal
	extender string         // its name
	source   framework.Line // nil: none is asked
}

// Ask implements framework.Line.
func (l *line) Ask(q framework.Question) framework.Answer {
	entry := identify(l.extender, &q)
	if a, kept := l.journal.find(&entry, &q); kept {
		return a
	}
	if l.source == nil {
		if a, like := l.journal.nearest(&entry, &q); like {
			return a
		}
		return framework.Answer{Failure: fmt.Sprintf(
			"extender %s: its answer to %s for pod %s in cycle %d is not recorded, and no server is asked", l.extender,
			q.Call, q.Pod.Key, q.Cycle)}
	}
	a := withoutAddresses(l.source.Ask(q))
	l.journal.keep(&entry, &q, &a)
	return a
}

// withoutAddresses is an answer whose sentences name no address: they end in messages and recordings.
func withoutAddresses(a framework.Answer) framework.Answer {
	a.Failure = address.Hide(a.Failure)
	for _, reasons := range []*[]framework.NodeReason{&a.Failed, &a.Unresolvable} {
		*reasons = slices.Clone(*reasons)
		for i := range *reasons {
			(*reasons)[i].Reason = address.Hide((*reasons)[i].Reason)
		}
	}
	return a
}
