package cascade

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
)

const (
	textFallen        = "%s leaves %s for %s; created again, it %s"
	textFallenTo      = "is on %s in the end"
	textFallenNowhere = "has no node in the end"
	textLeftOne       = "%d pod has to leave in all"
	textLeft          = "%d pods have to leave in all"
	textLeftWithout   = "; without a node when the queues have settled: %d."
	textCascadeCut    = "It went on after that, and was not followed any further."
)

// Title is what the page is called.
func (a answer) Title(lang words.Language) string {
	return lang.Of("Who leaves for whom, and what becomes of them")
}

// Next is nothing.
func (a answer) Next() []string { return nil }

// Lines are the pods that leave, and how many have no node in the end.
func (a answer) Lines(lang words.Language) []prose.Line {
	var lines []prose.Line
	without := 0
	for _, f := range a.Fallen {
		where := lang.Of(textFallenNowhere)
		if f.Node != "" {
			where = lang.Say(textFallenTo, f.Node)
		} else {
			without++
		}
		lines = append(lines, prose.Line{
			Level: 1, Role: prose.Verdict, Text: lang.Say(textFallen, f.Pod, f.From, f.For, where),
		})
	}
	lines = append(lines, prose.Line{Role: prose.Note, Text: lang.Sentence(len(a.Fallen), textLeftOne, textLeft) +
		lang.Say(textLeftWithout, without)})
	if !a.Whole {
		lines = append(lines, prose.Line{Role: prose.Note, Text: lang.Of(textCascadeCut)})
	}
	return lines
}
