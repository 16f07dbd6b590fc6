package ask

import (
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/workload"
)

// ofWorkload is the answer about a whole workload, of the questions that take one in place of a pod.
type ofWorkload struct{ workload.Answer }

// OfWorkload is what all pods of a workload need; if whole is set, also why the first without a node has none.
func OfWorkload(c Call, w workload.Workload, whole bool) (Answer, error) {
	found, err := workload.Find(c.Context, c.At, w, c.Progress)
	if err != nil {
		return nil, err
	}
	if !whole {
		found.First = nil
	}
	return ofWorkload{found}, nil
}

// Title is what the page is called.
func (a ofWorkload) Title(lang words.Language) string {
	return lang.Say("How many pods of %s fit", a.Of.Word())
}

// Lines are the pods that fit, and the changes with which all do.
func (a ofWorkload) Lines(lang words.Language) []prose.Line {
	return prose.Workload(lang, a.Answer, prose.Usual)
}

// Next is nothing.
func (a ofWorkload) Next() []string { return nil }
