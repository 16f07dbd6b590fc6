package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// wants is what a pod requests of its node, in one line.
func (t *told) wants(w session.Wants) {
	if asks := Asks(t.language, w); asks != "" {
		t.add(0, Note, textAsksFor, asks)
	}
	if w.Controller != "" {
		t.add(0, Note, textMadeBy, w.Controller)
	}
}

// Fits is what a pod wants beside what a node had for it: why NodeResourcesFit accepts it.
func Fits(lang words.Language, w session.Wants, rooms []session.Room) []Line {
	t := told{language: lang}
	for _, r := range w.Requests {
		for _, room := range rooms {
			if room.Resource == r.Resource {
				t.add(1, Evidence, textHasRoom, r.Resource, r.Amount.String(), room.Free.String(), room.Capacity.String())
			}
		}
	}
	return t.lines
}

// Asks is what a pod requires of its node, in words; "" for nothing.
func Asks(lang words.Language, w session.Wants) string {
	var parts []string
	add := func(text string, values []string) {
		if len(values) > 0 {
			parts = append(parts, fmt.Sprintf(text, strings.Join(values, ", ")))
		}
	}
	amounts := make([]string, len(w.Requests))
	for i, r := range w.Requests {
		amounts[i] = fmt.Sprintf(textAmount, r.Resource, r.Amount)
	}
	add(textWantsResources, amounts)
	add(lang.Of(textWantsLabels), w.Selector)
	add(lang.Of(textWantsPorts), w.Ports)
	add(lang.Of(textWantsClaims), w.Claims)
	add(lang.Of(textWantsRules), w.Rules)
	add(lang.Of(textWantsTolerates), w.Tolerates)
	add(lang.Of(textWantsGates), w.Gates)
	if w.Scheduler != "" {
		add(lang.Of(textWantsScheduler), []string{w.Scheduler})
	}
	return strings.Join(parts, lang.Of("; "))
}
