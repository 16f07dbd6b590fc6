package prose

// What is told of one pod.
const (
	textPodIs          = "%s is %s."
	textNotTried       = "No cycle has tried it on a node yet; this is what one would find now."
	textSays           = "kube-scheduler says: %s"
	textWouldSay       = "kube-scheduler would say: %s"
	textHow            = "In cycle %s, attempt %s: %s of %s nodes evaluated, %s feasible."
	textNext           = "What would have it tried again"
	textBefore         = "Before any node, %s answers %s"
	textObjections     = "What rejects it, by all reasons of a node"
	textRuledOut       = "What ruled the other nodes out, by all reasons of a node"
	textObjection      = "%s: %s"
	textMoreObjections = "and %s more combinations of reasons"
	textNearest        = "The nearest nodes"
	textEveryNode      = "Every rejecting node, the nearest first"
	textAnswer         = "%s: %s"
	textExtenders      = "Extenders"
	textAnyOne         = "Any one of these would make a node fit"
	textWhere          = "%s (%s)"
	textHistory        = "What happened to it"
	textEvent          = "%s  %-10s  %s"
	textStep           = "step %d"
	textCycle          = "cycle %d"
	textNode           = "%d node"
	textNodes          = "%d nodes"
	textMore           = " and %d more"
)

// Why a node was chosen.
const (
	textOnlyNode = "%s was the only feasible node, so nothing was scored"
	textWhy      = "Why %s and not %s"
	textScores   = "%s: %d against %d (%+d); raw %d, normalized %d, weight %d"
	textTotal    = "total: %d against %d (%+d)"
	textTied     = "%s nodes tied at %s (%s): %s decided"
)
