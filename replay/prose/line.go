package prose

import (
	"fmt"
	"strings"
)

// Role is what a line is for: who lays lines out gives each role its look.
type Role uint8

// The roles.
const (
	Verdict  Role = iota // what became of the pod, or what a plugin answers
	Heading              // what the lines below it tell
	Evidence             // what was compared with what
	Change               // what would help
	Note                 // what else there is to know
)

// Line is one thing that is told. Lines of a higher level belong to the last one of a lower level before them.
type Line struct {
	Level int
	Role  Role
	Text  string
}

// The one set of limits: how much is told where the tables of the screen, or -o wide, hold the rest.
const (
	mostGroups  = 8 // kinds of objections
	mostNames   = 6 // names in a list
	mostNearest = 5 // nodes that almost fit
	mostChanges = 5
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

// told collects lines.
type told []Line

func (t *told) add(level int, role Role, text string, values ...string) {
	filled := make([]interface{}, len(values))
	for i, v := range values {
		filled[i] = v
	}
	*t = append(*t, Line{level, role, fmt.Sprintf(text, filled...)})
}

// names is the first few of a list of names.
func names(list []string) string {
	text := strings.Join(list[:min(len(list), mostNames)], ", ")
	if more := len(list) - mostNames; more > 0 {
		text += fmt.Sprintf(textMore, more)
	}
	return text
}

func count(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}
