package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/replay/session"
)

// wants is what a pod asks of its node, in one line.
func (t *told) wants(w session.Wants) {
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
	add(textWantsLabels, w.Selector)
	add(textWantsPorts, w.Ports)
	add(textWantsClaims, w.Claims)
	add(textWantsRules, w.Rules)
	add(textWantsTolerates, w.Tolerates)
	add(textWantsGates, w.Gates)
	if w.Scheduler != "" {
		add(textWantsScheduler, []string{w.Scheduler})
	}
	if len(parts) > 0 {
		t.add(0, Note, textAsksFor, strings.Join(parts, "; "))
	}
	if w.Controller != "" {
		t.add(0, Note, textMadeBy, w.Controller)
	}
}
