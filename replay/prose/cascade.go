package prose

import (
	"fmt"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// Cascade is who has to leave for whom, and what becomes of each of them.
func Cascade(fallen []session.Fallen, whole bool) []Line {
	var t told
	without := 0
	for _, f := range fallen {
		where := textFallenNowhere
		if f.Node != "" {
			where = fmt.Sprintf(textFallenTo, f.Node)
		} else {
			without++
		}
		t.add(1, Verdict, textFallen, f.Pod, f.From, f.For, where)
	}
	t.note(words.Sentence(len(fallen), textLeftOne, textLeft) + fmt.Sprintf(textLeftWithout, without))
	if !whole {
		t.note(textCascadeCut)
	}
	return t
}
