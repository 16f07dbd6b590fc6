package prose

// The texts of one line.
const (
	textNodeLine         = "node %s: %s"
	textNodeChosen       = "chosen"
	textNodeFeasible     = "feasible"
	textNodeAhead        = "not decided yet"
	textNodeNotEvaluated = "not evaluated"
	textNodeRejected     = "rejected"
	textInBrackets       = " (%s)"
	textScoreLine        = "node %s: total %d"
	textTotalOf          = "%s %d"
	textRow              = "%s, priority %d, attempts %d"
	textRowBacksOff      = ", backs off for %s"
	textRowGang          = ", gang with minCount %d, %d here, %d on nodes"
	textRowGated         = ", gated by %s"
	textMarkCycle        = "%s cycle %d: %s %s"
	textMarkDiffers      = "; recorded otherwise"
	textMarkEvent        = "%s step %d: %s"
	textPlacementLine    = "placement %s: %s, %s"
	textMemberLine       = "member %d %s: %s: %s"
	textMemberFound      = "found %s, %s"
)
