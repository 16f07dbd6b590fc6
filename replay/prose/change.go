package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// Changed is a change in words: "request 500m less cpu", "free 1Gi of memory", "tolerate gpu=true:NoSchedule".
func Changed(c trace.Change) string {
	parts := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		parts[i] = changePart(c.Kind, p)
	}
	all := strings.Join(parts, textAnd)
	switch c.Kind {
	case trace.RequestLess:
		return fmt.Sprintf(textRequestLess, all)
	case trace.FreeOnNode:
		return fmt.Sprintf(textFree, all)
	case trace.TolerateTaint:
		return fmt.Sprintf(textTolerate, all)
	case trace.LabelNode:
		return fmt.Sprintf(textLabelNode, all)
	case trace.UncordonNode:
		return textUncordon
	case trace.SatisfyEvidence:
	}
	return all
}

func changePart(kind trace.ChangeKind, p trace.ChangePart) string {
	switch kind {
	case trace.RequestLess:
		return fmt.Sprintf(textLess, p.By, p.What)
	case trace.FreeOnNode:
		return fmt.Sprintf(textOf, p.By, p.What)
	case trace.LabelNode:
		return fmt.Sprintf(textEquals, p.What, p.To)
	case trace.TolerateTaint, trace.UncordonNode, trace.SatisfyEvidence:
	}
	if p.To.IsZero() {
		return p.What
	}
	return fmt.Sprintf(textMeets, p.What, p.To)
}

// smallest is what alone would make the plugin that gave the advice accept the node, in one line; false when it names
// nothing.
func smallest(advice trace.Advice) (Line, bool) {
	if len(advice.Changes) == 0 {
		return Line{}, false
	}
	changes := make([]string, len(advice.Changes))
	for i, c := range advice.Changes {
		changes[i] = Changed(c)
	}
	return Line{Role: Change, Text: fmt.Sprintf(textSmallest, strings.Join(changes, textOrElse))}, true
}
