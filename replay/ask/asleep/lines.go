package asleep

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
)

const (
	textSleepers      = "%s asleep that a cycle would place now, of %s"
	textOneSleeps     = "%d pod is"
	textSomeSleep     = "%d pods are"
	textAsked         = "%d unschedulable pod"
	textAskedAll      = "%d unschedulable pods"
	textNobodySleeps  = "No pod sleeps that a cycle would place now: %s asked about."
	textSleeper       = "%s would come to %s, since %s; it is tried again at %s at the latest"
	textMadeRoom      = "step %s made room for it: %s"
	textNotRegistered = "%s does not wait for such events"
	textHintSaidNo    = "the hint of %s was asked, and said that this does not help"
	textWakeIt        = "wake %s has it tried"
)

// Lines are the pods that sleep, each with what made room for it and why nothing woke it.
func (a Answer) Lines(lang words.Language) []prose.Line {
	pods := lang.Sentence(a.Asked, textAsked, textAskedAll)
	if len(a.Found) == 0 {
		return []prose.Line{{Role: prose.Note, Text: lang.Say(textNobodySleeps, pods)}}
	}
	lines := []prose.Line{{
		Role: prose.Heading, Text: lang.Say(textSleepers, lang.Sentence(len(a.Found), textOneSleeps, textSomeSleep), pods),
	}}
	add := func(level int, role prose.Role, text string) {
		lines = append(lines, prose.Line{Level: level, Role: role, Text: text})
	}
	for _, s := range a.Found {
		add(1, prose.Verdict, lang.Say(textSleeper, s.Pod, s.Node, words.Clock(s.Since), words.Clock(s.Until)))
		if s.Event != "" {
			add(2, prose.Evidence, lang.Say(textMadeRoom, strconv.Itoa(s.Step), s.Event))
		}
		for _, h := range s.Hints {
			said := textNotRegistered
			if h.Asked {
				said = textHintSaidNo
			}
			add(2, prose.Evidence, lang.Say(said, h.Plugin))
		}
		add(2, prose.Change, lang.Say(textWakeIt, strings.TrimPrefix(s.Pod, trace.GroupKey(""))))
	}
	return lines
}
