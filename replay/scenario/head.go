package scenario

import (
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// headOrder is in which order the commands come that are before all others; extender and
// scheduler alone may be repeated.
var headOrder = []string{"release", "gates", "config", "extender", "scheduler"}

// head takes in the commands at the top of a scenario.
type head struct {
	scenario *Scenario
	opening  *opening // that is being read
	last     int      // of headOrder, 1 + the last command there was
	next     int      // the number in the file of the command after it
}

// beginAnew reads another opening, from the command with that number in the file on.
func (h *head) beginAnew(i int) {
	later := &h.scenario.later
	*later = append(*later, turn{at: len(h.scenario.steps), opening: opening{release: h.opening.release}})
	h.opening, h.last, h.next = &(*later)[len(*later)-1].opening, 0, i
}

// take keeps the content of a command of the head, if it could be read, and returns what is wrong with its place. i is
// the number of the command in the file; commands of other kinds pass.
func (h *head) take(i int, c *call, good bool) phrase.Text {
	at := 1 + slices.Index(headOrder, c.name)
	if at == 0 {
		return ""
	}
	again := at == h.last && (c.name == "extender" || c.name == "scheduler")
	noConfig := c.name == "extender" && h.last > 0 && h.last < at-1
	if i != h.next || at <= h.last && !again || noConfig {
		return outOfPlace[c.name]
	}
	h.last, h.next = at, h.next+1
	if !good {
		return ""
	}
	switch c.name {
	case "release":
		h.opening.release = c.release
	case "gates":
		h.opening.gates = c.gates
	case "config":
		h.opening.config = c.config
	case "extender":
		return h.opening.give(c.spoken, c.plugins)
	case "scheduler":
		return h.opening.join(c.rival)
	}
	return ""
}

// outOfPlace has the right place of each command of the head.
var outOfPlace = map[string]phrase.Text{
	"release":   "release comes before every other command that it is to hold for",
	"gates":     "gates comes before every other command but release, and once",
	"config":    "config comes before every other command but release and gates, and once",
	"extender":  "extender comes after config, before every other command",
	"scheduler": "scheduler comes after release, gates, config and extender, before every other command",
}
