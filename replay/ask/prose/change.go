package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// Changed is a change in words: "request 500m less cpu", "free 1Gi of memory", "tolerate gpu=true:NoSchedule".
func Changed(lang words.Language, c trace.Change) string {
	parts := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		parts[i] = changePart(lang, c.Kind, p)
	}
	all := strings.Join(parts, lang.Of(textAnd))
	switch c.Kind {
	case trace.RequestLess:
		return lang.Say(textRequestLess, all)
	case trace.FreeOnNode:
		return lang.Say(textFree, all)
	case trace.TolerateTaint:
		return lang.Say(textTolerate, all)
	case trace.LabelNode:
		return lang.Say(textLabelNode, all)
	case trace.UncordonNode:
		return lang.Of(textUncordon)
	case trace.SatisfyEvidence:
	}
	return all
}

func changePart(lang words.Language, kind trace.ChangeKind, p trace.ChangePart) string {
	switch kind {
	case trace.RequestLess:
		return lang.Say(textLess, p.By, p.What)
	case trace.FreeOnNode:
		return lang.Say(textOf, p.By, p.What)
	case trace.LabelNode:
		return fmt.Sprintf(textEquals, p.What, p.To)
	case trace.TolerateTaint, trace.UncordonNode, trace.SatisfyEvidence:
	}
	about := p.What
	if kind == trace.SatisfyEvidence {
		about = lang.Render(p.Says)
	}
	if p.To.IsZero() {
		return about
	}
	return fmt.Sprintf(textMeets, about, lang.Render(p.To))
}

// smallest is what alone would make the plugin that gave the advice accept the node, in one line; false when it names
// nothing.
func smallest(lang words.Language, advice trace.Advice) (Line, bool) {
	if len(advice.Changes) == 0 {
		return Line{}, false
	}
	changes := make([]string, len(advice.Changes))
	for i, c := range advice.Changes {
		changes[i] = Changed(lang, c)
	}
	return Line{Role: Change, Text: lang.Say(textSmallest, strings.Join(changes, lang.Of(textOrElse)))}, true
}
