package prose

// What was compared with what.
const (
	textTerm        = "term %d: %s"
	textAmounts     = "%s: wants %s, %s free"
	textFreeOf      = "%s: %s free"
	textUsedOf      = " (%s of %s used)"
	textUser        = "%s %s"
	textNominee     = "%s %s (nominated there)"
	textLargest     = "; largest users: %s"
	textBecauseOf   = "; because of %s"
	textNoLabel     = "needs %s; the node has no such label"
	textOtherLabel  = "needs %s; the node has %s=%s"
	textExpression  = "%s %s"
	textDeviceTaken = "device %s: taken by the claim %s"
	textWants       = "wants %s"
	textHas         = "has %s"
	textFigure      = "%s"
	textUsed        = "used %s"
	textThere       = "%s there already"
	textTaken       = "taken: %s"
	textCapacity    = "capacity %s"
)
