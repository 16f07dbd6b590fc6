package prose

// What would have to change.
const (
	textSmallest    = "Smallest change: %s."
	textOrElse      = ", or "
	textAnd         = " and "
	textRequestLess = "request %s"
	textFree        = "free %s"
	textTolerate    = "tolerate %s"
	textLabelNode   = "label the node %s"
	textUncordon    = "uncordon the node"
	textLess        = "%s less %s"
	textOf          = "%s of %s"
	textEquals      = "%s=%s"
	textMeets       = "%s: %s"
)
