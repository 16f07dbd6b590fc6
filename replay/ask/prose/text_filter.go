package prose

// What filters make of a node.
const (
	textNothingToCheck = "%s has nothing to check for this pod: its PreFilter answered Skip, so it is asked " +
		"about no node."
	textAccepts            = "%s accepts %s on %s."
	textWouldAccept        = "%s would accept %s on %s."
	textNotAsked           = "%s was not asked about %s."
	textReported           = "This is what kube-scheduler reports for %s; it asks no further filter there."
	textNotYet             = "kube-scheduler has not come to this yet."
	textAskingNow          = "kube-scheduler is asking about %s now."
	textDoesNotFit         = "%s does not fit. kube-scheduler stopped at %s."
	textChosen             = "%s fits, and was chosen."
	textFitsNotChosen      = "%s fits, but %s was chosen."
	textFits               = "%s fits."
	textEvictingCannotHelp = "Evicting pods cannot help: preemption skips this node."
	textFilterBroke        = "The filter ended in an error, so kube-scheduler ends the whole cycle."
	textStoppedBefore      = "kube-scheduler did not ask it here: it had stopped at %s."
	textNominatedFirst     = "kube-scheduler did not look at %s: the nominated node %s was tried first, and fits."
	textHintFirst          = "kube-scheduler did not look at %s: %s comes next in the scores reused from cycle %d, " +
		"and fits."
	textLeftOut     = "kube-scheduler did not look at %s: PreFilter of %s leaves it out."
	textSearchEnded = "kube-scheduler did not look at %s: the search had ended before."
	textEnough      = "kube-scheduler did not look at %s: it had found enough nodes before, %d that fit among " +
		"%d of %d."
	textFilterPassed   = "%d filter passed"
	textFiltersPassed  = "%d filters passed"
	textFilterSkipped  = "%d filter had nothing to check"
	textFiltersSkipped = "%d filters had nothing to check"
	textWouldPass      = "would pass if asked: %s"
	textInCycle        = "In cycle %d, attempt %d:"
	textNoFilterAsked  = "It ended before any filter was asked."
)
