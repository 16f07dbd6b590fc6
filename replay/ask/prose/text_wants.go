package prose

// What a pod requests of its node.
const (
	textAsksFor        = "It asks for %s."
	textAmount         = "%s %s"
	textWantsResources = "%s"
	textWantsLabels    = "a node with %s"
	textWantsPorts     = "host port %s"
	textWantsClaims    = "claims %s"
	textWantsRules     = "rules: %s"
	textWantsTolerates = "tolerates %s"
	textWantsGates     = "gates: %s"
	textWantsScheduler = "scheduler %s"
	textHasRoom        = "%s: wants %s, %s free of %s"
	textMadeBy         = "It was made by %s."
)
