package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

// Transcript is what the commands of a run printed.
type Transcript struct {
	scenario *Scenario
	outputs  []string // one per step that was run
	facts    []trace.Fact
}

// Run runs the scenario. An error names the line at which it ended, and the transcript goes as far.
func (s *Scenario) Run() (*Transcript, error) {
	t := &Transcript{scenario: s}
	_, err := s.play(t)
	return t, err
}

func (s *Scenario) play(t *Transcript) (*run, error) {
	r, err := s.begin(&s.opening)
	if err != nil {
		return nil, err
	}
	later := s.later
	for i, step := range s.steps {
		if len(later) > 0 && later[0].at == i {
			if r, err = s.begin(&later[0].opening); err != nil {
				return nil, err
			}
			later = later[1:]
		}
		r.out.Reset()
		if !asksOnly(step.call.name) {
			r.facts = nil
		}
		if err := step.act(r); err != nil {
			return r, phrase.Errorf("%s line %d: %w", s.name, step.call.line, err)
		}
		t.outputs = append(t.outputs, r.out.String())
		if !asksOnly(step.call.name) {
			t.facts = append(t.facts, r.facts...)
		}
	}
	return r, nil
}

// begin is a run of an empty cluster.
func (s *Scenario) begin(o *opening) (*run, error) {
	gates, err := config.ParseGatesOf(o.release, o.gates)
	if err != nil {
		return nil, err
	}
	decided := config.Options{Gates: gates, Plugins: s.plugins}
	c := config.DefaultWith(decided)
	if o.config != nil {
		if c, err = config.LoadWith(o.config, s.name, decided); err != nil {
			return nil, err
		}
	}
	lines := make([]framework.Line, len(c.Extenders))
	for i := range c.Extenders {
		lines[i] = o.extenders[c.Extenders[i].URLPrefix]
	}
	r, err := newRun(c.Connected(lines), o, s.plugins)
	if err != nil {
		return nil, phrase.Errorf("%s %w", s.name, err)
	}
	r.program = s.program
	return r, nil
}

// Rerun runs a scenario and returns its text with the output that every command has now: the same text when all of its
// expectations came true. It is for tests, as of a plugin of your own; name is how errors call the text, and its config
// may name the given plugins.
func Rerun(name string, text []byte, plugins ...config.Plugin) ([]byte, error) {
	s, err := Parse(name, text, plugins...)
	if err != nil {
		return nil, err
	}
	t, err := s.Run()
	if err != nil {
		return nil, err
	}
	return t.File(), nil
}

// asksOnly reports whether a command leaves the facts of the one before it.
func asksOnly(name string) bool {
	return slices.ContainsFunc(askingCommands(), func(c command) bool { return c.name == name })
}

// File is the scenario's file as it would be if its expectations were what was printed: every command that prints has
// them, others where they had them before. It equals the file when all expectations came true.
func (t *Transcript) File() []byte {
	var b strings.Builder
	s := t.scenario
	from := 0
	line := func(text string) {
		b.WriteString(text)
		b.WriteString("\n")
	}
	for i, output := range t.outputs {
		c := s.steps[i].call
		for _, text := range s.lines[from:c.end] {
			line(text)
		}
		from = c.end
		if !c.expects && !s.steps[i].asks {
			continue
		}
		line(separator)
		b.WriteString(output)
		from = c.after
		if !c.expects && from < len(s.lines) && !isBlank(s.lines[from]) {
			line("")
		}
	}
	for _, text := range s.lines[from:] {
		line(text)
	}
	text := b.String()
	if s.quiet {
		text = strings.TrimSuffix(text, "\n")
	}
	return []byte(text)
}

// Output is everything that was printed, in order.
func (t *Transcript) Output() string { return strings.Join(t.outputs, "") }

// Facts is everything that happened, in the order of the file: what follows a fork, then what follows the way back.
func (t *Transcript) Facts() []trace.Fact { return t.facts }

// Replay is a scenario as a replay: its events at their moments, without its cycles and questions.
type Replay struct {
	Script source.Script
	Start  time.Time // virtual time before the first event
	Until  time.Time // virtual time at the end of the file
	Config []byte    // a KubeSchedulerConfiguration; nil: the default
	Gates  string    // feature gates, as config.ParseGatesOf reads them
	// Release is the version of kube-scheduler that decides.
	Release string
	// Schedulers decide beside the first one.
	Schedulers []play.Declared
	Programs   []string // schedulers that have decided already: what they bound is in Script
	// Hold reports which bindings and evictions wait until an event of the script shows their outcome; nil: none. It is
	// for play.Hooks, and always gives the same answer for one effect.
	Hold func(core.Effect) bool
}

// Replay runs the scenario and keeps what its commands did to the cluster. Events that come after a cycle in the file
// come a millisecond after it in the script, because a player delivers all events that are due before it tries a pod.
func (s *Scenario) Replay() (*Replay, error) {
	if len(s.later) > 0 {
		return nil, phrase.Errorf("%s line %d: begins anew under another release, so it is no single story to be replayed; "+
			"split it", s.name, s.steps[s.later[0].at].call.line)
	}
	r, err := s.play(&Transcript{})
	if err != nil {
		return nil, err
	}
	replayed := &Replay{
		Script: slices.Clip(r.recorded), Start: begin, Until: r.scheduler().Now(), Config: s.config, Gates: s.gates,
		Release: s.release.Version, Schedulers: s.declared(),
	}
	for _, p := range r.programs {
		replayed.Programs = append(replayed.Programs, p.Name)
	}
	if held := r.kept; len(held) > 0 {
		replayed.Hold = func(e core.Effect) bool { return slices.Contains(held, effectID(e)) }
	}
	return replayed, nil
}
