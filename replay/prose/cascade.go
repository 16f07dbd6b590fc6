package prose

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Cascade says which pods are evicted for which pod, and where each of them goes.
func Cascade(lang words.Language, fallen []session.Fallen, whole bool) []Line {
	t := told{language: lang}
	without := 0
	for _, f := range fallen {
		where := lang.Of(textFallenNowhere)
		if f.Node != "" {
			where = lang.Say(textFallenTo, f.Node)
		} else {
			without++
		}
		t.add(1, Verdict, textFallen, f.Pod, f.From, f.For, where)
	}
	t.note(lang.Sentence(len(fallen), textLeftOne, textLeft) + lang.Say(textLeftWithout, without))
	if !whole {
		t.note(lang.Of(textCascadeCut))
	}
	return t.lines
}
