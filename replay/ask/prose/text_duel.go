package prose

// Why a node was not chosen.
const (
	textOtherRejected = "%s was not scored, because it does not fit:"
	textOtherNotTried = "%s was not scored, because kube-scheduler did not look at it."
	textNoCompany     = "No node fits %s, so there is no score to compare with: what a plugin gives a node depends on the " +
		"others that fit. The command changes lists what would give the pod a node; apply carries it out, " +
		"and against tells the scores then."
	textOtherChosen = "%s is the node that was chosen."
	textDecides     = "%s decided: it gives %+d of the lead."
	textFlips       = "%s is chosen if %s has weight %d instead of %d; with %d it is not. Both were run."
	textNoFlip      = "No other weight of one plugin has %s chosen."

	textHadPassed     = "As if %s had passed the filters (in brackets what kube-scheduler did not work out)"
	textHadLooked     = "As if kube-scheduler had looked at %s (in brackets what it did not work out)"
	textSupposed      = "%s: %s against %s (%+d); raw %s and %s, normalized %s and %s, weight %d"
	textSupposedTotal = "total: %s against %s (%+d)"
	textStillAhead    = "%s would still be ahead."
	textWouldBeAhead  = "%s would be ahead."
	textWouldTie      = "They would tie."
	textAlone         = "kube-scheduler does not score a single feasible node; " +
		"in brackets what the plugins would give %s."
	textAlonePart       = "%s: %s; raw %s, normalized %s, weight %d"
	textAloneTotal      = "total: %s"
	textNotSupposed     = "What the plugins would score cannot be worked out: %s"
	textExtenderUnasked = "%s would score too, and was not asked."
)
