package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/widget"
)

// longestLine is the longest line of input that is taken, in bytes.
const longestLine = 1 << 20

// mostFound is how many names find lists at the prompt.
const mostFound = 20

// reading is a prompt over lines.
type reading struct {
	session *session.Session
	in      *bufio.Scanner
	out     *bufio.Writer
	before  string // the last line, which an empty one repeats
}

// Plain answers verbs line by line, in labelled lines without colours, boxes or cursor movement, for screen readers
// and scripts. It returns when the input ends or says quit; the error is of reading or writing.
func Plain(s *session.Session, in io.Reader, out io.Writer, _ Options) error {
	r := &reading{session: s, in: bufio.NewScanner(in), out: bufio.NewWriter(out)}
	r.in.Buffer(nil, longestLine)
	f := s.Frame()
	r.print("replay: " + f.Title)
	if f.Story != "" {
		r.print("story: " + f.Story)
	}
	r.print(describe(f)...)
	for r.ask("> ") {
		if !r.take(r.in.Text()) {
			break
		}
	}
	if err := r.in.Err(); err != nil {
		return fmt.Errorf("the prompt's input: %w", err)
	}
	return r.out.Flush()
}

// ask prints a prompt and waits for a line; false at the end of the input.
func (r *reading) ask(prompt string) bool {
	_, _ = r.out.WriteString(prompt) // an error of the writer is kept by it until Flush
	_ = r.out.Flush()
	if r.in.Scan() {
		return true
	}
	_, _ = r.out.WriteString("\n")
	return false
}

// print writes lines; what came from elsewhere cannot control the terminal.
func (r *reading) print(lines ...string) {
	for _, l := range lines {
		_, _ = r.out.WriteString(widget.Sanitize(l))
		_ = r.out.WriteByte('\n')
	}
}

// take carries out a line; false when it says quit. An empty line is the one before again; a line that begins with #
// is a remark.
func (r *reading) take(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "#") {
		return true
	}
	if text == "" {
		text = r.before
	}
	r.before = text
	for _, one := range commands(text) {
		more, err := r.carryOut(one)
		if err != nil {
			r.print("error: " + err.Error())
			return true
		}
		if !more {
			return false
		}
	}
	return true
}

func (r *reading) carryOut(text string) (more bool, err error) {
	v, args, err := parse(text)
	if err != nil {
		return true, err
	}
	if v.run == nil {
		return v.wish != wishQuit, r.grant(v, args)
	}
	result, err := v.run(call{ctx: context.Background(), session: r.session, args: args})
	if err != nil {
		return true, err
	}
	r.answer(result)
	for _, line := range commands(result.then) {
		if more, err := r.carryOut(line); err != nil || !more {
			return more, err
		}
	}
	if result.ask.yes == "" {
		return true, nil
	}
	if !r.ask("y or n? ") || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(r.in.Text())), "y") {
		r.print("nothing was done")
		return true, nil
	}
	return r.carryOut(result.ask.yes)
}

func (r *reading) answer(a answer) {
	for _, p := range []page{a.page, a.ask.page} {
		if len(p.lines) > 0 {
			r.print(p.title)
			r.print(p.lines...)
		}
	}
	if a.said != "" {
		r.print(a.said)
	}
	if a.moved {
		r.print(describe(r.session.Frame())...)
	}
}

// grant answers the verbs that concern a screen, as far as there is an answer without one.
func (r *reading) grant(v verb, args []string) error {
	text := strings.Join(args, " ")
	switch v.wish {
	case wishHelp:
		p, err := helpOn(args)
		r.print(p.lines...)
		return err
	case wishFind:
		return r.find(text)
	case wishShow:
		return r.show(args)
	case wishFilter:
		r.print(describeFilter(r.session.Frame(), text)...)
	case wishQuit:
	default:
		return fmt.Errorf("%s: only a screen has that", v.name)
	}
	return nil
}

// find lists the pods and nodes that some letters may mean, the likeliest first.
func (r *reading) find(text string) error {
	if text == "" {
		return fmt.Errorf("find: what? (find TEXT)")
	}
	names := r.session.Names()
	kinds := []struct {
		word string
		all  []string
	}{{"pod", names.Pods}, {"node", names.Nodes}, {"command", verbNames()}}
	found := 0
	for _, k := range kinds {
		matches := fuzzy.Find(text, k.all)
		found += len(matches)
		for _, m := range matches[:min(len(matches), mostFound)] {
			r.print(k.word + " " + m.Str)
		}
		if more := len(matches) - mostFound; more > 0 {
			r.print(fmt.Sprintf("and %d more", more))
		}
	}
	if found == 0 {
		r.print("nothing fits " + text)
	}
	return nil
}

// show prints one part of what a screen would show.
func (r *reading) show(args []string) error {
	f := r.session.Frame()
	name, rest := "state", ""
	if len(args) > 0 {
		name, rest = args[0], strings.Join(args[1:], " ")
	}
	for _, known := range partNames() {
		if strings.HasPrefix(known, name) {
			r.print(linesOf(f, known, rest)...)
			return nil
		}
	}
	return fmt.Errorf("show: %q is no part (%s)", name, strings.Join(partNames(), ", "))
}

// linesOf is a part of the screen in lines.
func linesOf(f *session.Frame, part, containing string) []string {
	switch part {
	case "queue":
		return describeQueue(f)
	case "filter":
		return aboutMember(f, func(f *session.Frame) []string { return describeFilter(f, containing) })
	case "score":
		return aboutMember(f, describeScores)
	case "preemption":
		return describePreemption(f, containing)
	case "group":
		return describeGroup(f, containing)
	case "binding":
		return describeFacts(f, bindingPhases()...)
	case "facts":
		return describeFacts(f)
	case "why":
		return describeWhy(f)
	case "timeline":
		return describeTimeline(f)
	}
	return describe(f)
}

// describeWhy is what the screen's pane Why says about the cell or the cycle at the cursor.
func describeWhy(f *session.Frame) []string {
	c := cycleOf(f)
	if c == nil {
		return []string{"no cycle has run yet"}
	}
	if c.Group != nil {
		return describeGroup(f, "")
	}
	if f.Cell != nil && c.Matrix != nil {
		return []string{c.Matrix.Plugins[f.Cell.Plugin] + " on " + nodeLine(c, f.Cell.Node)}
	}
	if c.Ended != nil && c.Ended.Outcome != trace.Scheduled {
		return append([]string{c.Ended.Message}, describeFilter(f, "rejected")[1:]...)
	}
	return describeCycle(f, c)
}
