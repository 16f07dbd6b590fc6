package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// tell prints on standard error what was refused, and the notes about the input.
func (o *opened) tell(s Streams) {
	for _, line := range o.input.Refused {
		fmt.Fprintln(s.Err, o.language.Say("refused: %s", hear(o.language, line)))
	}
	for _, line := range append(slices.Clone(o.input.Notices), o.config.Warnings...) {
		fmt.Fprintln(s.Err, o.language.Say("note: %s", hear(o.language, line)))
	}
}

// caution prints on standard error what a run of the input cannot know.
func (o *opened) caution(s Streams) {
	for _, line := range o.cautions() {
		fmt.Fprintln(s.Err, o.language.Say("note: %s", hear(o.language, line)))
	}
}

// notes is all lines that tell and caution print, for the screen.
func (o *opened) notes() []phrase.Text {
	var notes []phrase.Text
	for _, line := range o.input.Refused {
		notes = append(notes, phrase.Textf("refused: %s", line))
	}
	return slices.Concat(notes, o.input.Notices, o.config.Warnings, o.cautions())
}

// doubts are the notes that make the verdict less than sure: all but that there is a configuration.
func (o *opened) doubts() []phrase.Text {
	return slices.Concat(o.input.Notices, o.config.Warnings, o.guesses())
}

func (o *opened) cautions() []phrase.Text {
	notes := o.guesses()
	if o.from != "" {
		notes = append(notes, phrase.Textf("configured by %s", o.from))
	}
	return notes
}

// guesses are what a run of the input cannot know.
func (o *opened) guesses() []phrase.Text {
	notes := o.input.Unserved(o.config)
	if missing := o.input.Missing(); len(missing) > 0 {
		notes = append(notes, phrase.Textf(
			"not in the input, and assumed absent: %s", phrase.JoinTexts("; ", missing...),
		))
	}
	if guests := o.guests(); o.input.Redacted && len(guests) > 0 {
		notes = append(notes, phrase.Textf(
			"the recording is redacted: annotations and custom resources that %s may read are not in it "+
				"(record --no-redact keeps them)",
			strings.Join(guests, ", "),
		))
	}
	if unjudged := o.unjudged(); len(unjudged) > 0 {
		notes = append(notes, phrase.Textf(
			"not judged by this build, as if they let every pod pass: %s", strings.Join(unjudged, ", "),
		))
	}
	return notes
}

// guests are the names of the plugins of others that the configuration enables.
func (o *opened) guests() []string {
	var names []string
	for _, p := range o.config.Profiles {
		for _, g := range p.Guests() {
			if !slices.Contains(names, g.Name()) {
				names = append(names, g.Name())
			}
		}
	}
	return names
}

// unanswered prints on standard error how many questions to extenders had no answer.
func (o *opened) unanswered(s Streams) {
	if o.journal == nil || o.journal.Missed() == 0 {
		return
	}
	l := o.language
	fmt.Fprintln(s.Err, l.Say(
		"note: %s to extenders had no recorded answer and counted as failed; --extenders ask asks their servers",
		l.Count(o.journal.Missed(), "question"),
	))
}

// complete is the end of a command that kept what was readable of its input: an error when something was not.
func (o *opened) complete() error {
	if len(o.input.Refused) > 0 {
		return phrase.Errorf("part of the input was refused and left out; the rest was used")
	}
	return nil
}

// unjudged lists the enabled plugins that this build does not have, each once.
func (o *opened) unjudged() []string {
	var out []string
	for _, p := range o.config.Profiles {
		for _, name := range p.Unjudged {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
