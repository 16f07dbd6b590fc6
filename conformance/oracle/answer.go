package oracle

import "github.com/schedstep/schedstep/conformance/answer"

// Answer and the others are the forms of what an Oracle says.
type (
	Answer           = answer.Answer
	Batch            = answer.Batch
	Change           = answer.Change
	Decision         = answer.Decision
	Enabled          = answer.Enabled
	Event            = answer.Event
	Gate             = answer.Gate
	Hint             = answer.Hint
	NodeAnswer       = answer.NodeAnswer
	NodeScores       = answer.NodeScores
	PluginScore      = answer.PluginScore
	PreFilterOutcome = answer.PreFilterOutcome
	PreFilterVerdict = answer.PreFilterVerdict
	Preemption       = answer.Preemption
	Verdict          = answer.Verdict
	Victims          = answer.Victims
)
