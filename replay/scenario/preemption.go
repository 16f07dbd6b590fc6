package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// printPreemption prints the candidates as rows, the best first, and below them the nodes that are none.
func (r *run) printPreemption() error {
	if r.last == nil {
		return errNoCycle
	}
	p := r.last.Latest().Preemption
	if p == nil {
		return phrase.Errorf("the last cycle tried to make no room")
	}
	if p.Message == "" { // a release that reports no reason after a success
		r.print("preemption: nothing is said")
	} else {
		r.print(p.Message)
	}
	if len(p.Candidates) > 0 {
		table := [][]string{{"", "violations", "highest", "sum", "victims", "earliest", ""}}
		for i := range p.Candidates {
			c := &p.Candidates[i]
			table = append(table, []string{
				p.Nodes[c.Node], strconv.Itoa(c.Violations()), fmt.Sprint(c.Highest), fmt.Sprint(c.Sum),
				strconv.Itoa(len(c.Victims)),
				c.Earliest.UTC().Format(time.RFC3339), namesOf(c.Victims, c.Violating, c.Reprieved),
			})
		}
		r.printTable(table)
	}
	for i := range p.Refused {
		refused := &p.Refused[i]
		r.print(p.Nodes[refused.Node] + ": " + strings.TrimSpace(refused.Plugin+" "+refused.Verdict.String()))
	}
	if names := nodesNamed(p.Nodes, p.Untried); names != "" {
		r.print("not tried: " + names)
	}
	if names := nodesNamed(p.Nodes, p.Unhelpful); names != "" {
		r.print("no eviction would help: " + names)
	}
	return nil
}

// namesOf lists the victims of a node, marks those that a budget protects, and names those that may stay.
func namesOf(victims, violating, reprieved []string) string {
	text := strings.Join(victims, " ")
	if len(violating) > 0 {
		text += "; protected: " + strings.Join(violating, " ")
	}
	if len(reprieved) > 0 {
		text += "; may stay: " + strings.Join(reprieved, " ")
	}
	return text
}

func nodesNamed(names []string, places []int32) string {
	var some []string
	for _, i := range places {
		some = append(some, names[i])
	}
	return inShort(some)
}
