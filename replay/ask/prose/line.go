package prose

import (
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// Role is what a line is for: the layout gives each role its look.
type Role uint8

// The roles.
const (
	Verdict  Role = iota // what became of the pod, or what a plugin answers
	Heading              // what the lines below it tell
	Evidence             // what was compared with what
	Change               // what would help
	Note                 // what else there is to know
)

// Sign is the meaning of a line as one symbol, which the layout may draw in front of it. The text means the same.
type Sign uint8

// The signs.
const (
	NoSign   Sign = iota
	Passes        // it fits, or is placed
	Rejects       // it does not fit
	Final         // it does not fit, and evicting pods cannot help
	Broken        // an error
	NotAsked      // a plugin had nothing to check, or was not asked
	NotTried      // a node that was not looked at
	Waits         // it has to wait for something
	Diverges      // the replay differs from the recording
	Running       // it is happening now
	Guesses       // it rests on something that is assumed
)

// Line is one line of an explanation. Lines of a higher level belong to the last one of a lower level before them.
type Line struct {
	Level int
	Role  Role
	Sign  Sign
	Text  string
}

// The one set of limits: how much is listed where the tables of the screen, or -o wide, have the rest.
const (
	mostGroups    = 8  // kinds of objections
	mostNames     = 6  // names in a list
	mostNearest   = 5  // nodes that almost fit
	mostChanges   = 5  // changes that would open nodes
	mostResidents = 40 // pods of a node
)

// Plain lays lines out as text: two columns for a level, and an empty line before a heading.
func Plain(lines []Line) []string {
	var out []string
	for _, l := range lines {
		if l.Role == Heading && len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, strings.Repeat("  ", l.Level)+l.Text)
	}
	return out
}

// told collects the lines of an explanation.
type told struct {
	language words.Language
	lines    []Line
}

func (t *told) add(level int, role Role, text string, values ...string) {
	filled := make([]interface{}, len(values))
	for i, v := range values {
		filled[i] = v
	}
	t.lines = append(t.lines, Line{Level: level, Role: role, Text: t.language.Say(text, filled...)})
}

// signed adds a line on the lowest level with a sign.
func (t *told) signed(sign Sign, text string) {
	t.lines = append(t.lines, Line{Role: Verdict, Sign: sign, Text: text})
}

// note adds a line with what else there is to know.
func (t *told) note(text string) { t.lines = append(t.lines, Line{Role: Note, Text: text}) }

// sentence ends a sentence that was put together from parts.
func sentence(lang words.Language, said string) string { return said + lang.Of(".") }

// names is the first few of a list of names.
func names(lang words.Language, list []string) string {
	text := strings.Join(list[:min(len(list), mostNames)], ", ")
	if more := len(list) - mostNames; more > 0 {
		text += lang.Say(textMore, more)
	}
	return text
}

// signOf is the sign of a verdict.
func signOf(v trace.Verdict) Sign {
	switch v.Code {
	case trace.Success:
		return Passes
	case trace.Skip:
		return NotAsked
	case trace.Wait, trace.Pending:
		return Waits
	case trace.Error:
		return Broken
	case trace.UnschedulableAndUnresolvable:
		return Final
	case trace.Unschedulable:
	}
	return Rejects
}

// outcomeSign is the sign for the outcome of a cycle.
func outcomeSign(o trace.Outcome) Sign {
	switch o {
	case trace.Scheduled:
		return Passes
	case trace.Waiting:
		return Waits
	case trace.Preempting:
		return Final
	case trace.SchedulerError:
		return Broken
	case trace.SkippedScheduling:
		return NotAsked
	case trace.NotSchedulable:
	}
	return Rejects
}
