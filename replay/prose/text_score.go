package prose

// Why a node was chosen, and what its score is.
const (
	textOnlyNode       = "%s was the only feasible node, so nothing was scored"
	textWhy            = "Why %s and not %s"
	textScores         = "%s: %d against %d (%+d); raw %d, normalized %d, weight %d"
	textTotal          = "total: %d against %d (%+d)"
	textTied           = "%s nodes tied at %s (%s): %s decided"
	textNobodySays     = "the order of the nodes"
	textOnlyNodeFits   = "Only %s fits, so kube-scheduler did not score: there is nothing to choose."
	textNothingScored  = "Nothing was scored, because no node fits."
	textScoreAhead     = "The Score phase has not run yet."
	textAgainst        = "%s %d against %s %d: %s"
	textDifference     = "%s %+d"
	textNoDifference   = "every plugin gives both the same"
	textOvertake       = "%s would be ahead if %s had weight %d instead of %d."
	textNotChosenYet   = "No node is chosen yet."
	textScoreIs        = "Its score is %d:"
	textPart           = "%s %d (raw %d, normalized %d, weight %d)"
	textScoreOn        = "%s: %s, of a total of %d."
	textNotScored      = "%s was not scored, because it does not fit."
	textNothingToScore = "%s has nothing to score for this pod: its PreScore answered Skip. It adds 0 for every node."
	textNormalizes     = "NormalizeScore of the plugin turns raw scores, here %d to %d, into 0 to 100."
	textBetter         = "%d of %d nodes get more from it."
	textAllTheSame     = "Every node gets the same from it, so it decides nothing."
	textHighest        = "It is the highest of %d nodes."
	textHighestShared  = "It is the highest of %d nodes, as for %s more."
)
