// Package scenario is a language for events and expectations written by hand, as text: the language of core's tests, of
// bug reports, and an input format of the command line. It is not a recording (package recording is for those), and it
// schedules nothing itself: it drives a core.Scheduler and prints the facts of its trace.
//
// A file opens with a sentence about what it shows. Then comes one command a line, made of a name and words:
//
//	# A pod that fits nowhere is parked, and a larger node wakes it.
//
//	node small cpu=1
//	pod web cpu=2
//	schedule
//	----
//	cycle 1: default/web popped from activeQ, attempt 1, priority 0, 1 nodes
//	  small: NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu
//	  ...
//
// docs/scenario.md is the grammar; it is made from the tables of this package by Manual.
//
// Modules of others may import it (docs/stability.md).
package scenario

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// begin is when virtual time begins in every scenario.
var begin = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Scenario is a file that makes sense: every command and every word is known, and every value can be read.
type Scenario struct {
	name    string
	story   string
	lines   []string
	steps   []step
	plugins []config.Plugin // from outside, that the configuration may name
	quiet   bool            // it is a fragment that ends without a line break
	program Program         // runs programs; nil: none runs

	opening        // what holds from the beginning
	later   []turn // releases that it begins anew with, in order
}

// opening is the content of the commands before all others.
type opening struct {
	release   *release.Release   // of kube-scheduler
	config    []byte             // a KubeSchedulerConfiguration; nil: the default
	gates     string             // feature gates, as config.ParseGatesOf reads them
	extenders map[string]speaker // the answers of the configuration's extenders, by URL prefix
	rivals    []*rival           // schedulers beside the first, in order
}

// turn is a place where a scenario begins anew, with an empty cluster and another release.
type turn struct {
	at int // the first of steps after it
	opening
}

// step is a command ready to be run.
type step struct {
	call *call
	asks bool // it prints something worth expecting
	act  action
}

// action carries out a command; what it prints goes to the run. Its error does not name the line.
type action func(r *run) error

// Parse reads a file; name is how errors call it. An error joins a sentence for every line that is wrong. The file's
// config may name the given plugins besides those of kube-scheduler.
func Parse(name string, data []byte, plugins ...config.Plugin) (*Scenario, error) {
	if err := config.CheckPlugins(plugins); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	s := &Scenario{
		name: name, plugins: plugins, quiet: !strings.HasSuffix(text, "\n"),
		opening: opening{release: release.Newest()},
	}
	s.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	s.story = story(s.lines)
	found := &problems{name: name}
	book := commands()
	r := reader{lines: s.lines, problems: found, book: book}
	calls := r.calls()
	if len(calls) == 0 && len(found.all) == 0 {
		found.add(len(s.lines), "there is no command in it (want at least: node n1, pod web, run)")
	}
	h := head{scenario: s, opening: &s.opening}
	for i, c := range calls {
		command, known := commandNamed(book, c.name)
		if !known {
			found.add(c.line, phrase.Textf("unknown command %q%s", c.name, spelling.Hint(c.name, commandNames(book))))
			continue
		}
		c.release, c.gates, c.plugins = h.opening.release, h.opening.gates, plugins
		if c.name == "release" && i > 0 {
			h.beginAnew(i)
		}
		act, wrong := command.read(c)
		for _, p := range wrong {
			found.add(p.line, p.what)
		}
		if complaint := h.take(i, c, len(wrong) == 0); complaint != "" {
			found.add(c.line, complaint)
		}
		s.steps = append(s.steps, step{call: c, asks: command.asks, act: act})
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Story is the sentence the file opens with, in one line; empty when it does not.
func (s *Scenario) Story() string { return s.story }

// Config is the KubeSchedulerConfiguration of the scenario; nil for the default.
func (s *Scenario) Config() []byte { return s.config }

// story joins the comment lines at the top.
func story(lines []string) string {
	var all []string
	for _, line := range lines {
		text, comment := strings.CutPrefix(line, "#")
		if !comment {
			break
		}
		if text = strings.TrimSpace(text); text == "" {
			break
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// Looks reports whether data is probably a scenario: its first line that is neither empty nor a comment begins with a
// command and not with the key of a YAML map.
func Looks(data []byte) bool {
	book := commands()
	for line := range strings.Lines(string(data[:min(len(data), 64<<10)])) {
		line = strings.TrimRight(line, "\r\n")
		if isBlank(line) || strings.HasPrefix(line, "#") {
			continue
		}
		name, _, _ := strings.Cut(line, " ")
		_, known := commandNamed(book, name)
		return known
	}
	return false
}
