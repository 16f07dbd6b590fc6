package oracle

import "github.com/schedstep/schedstep/conformance/answer"

// The forms of an Oracle's answers.

type (
	// Answer is all that kube-scheduler decides about one pending pod in one state of the cluster.
	Answer = answer.Answer
	// Batch is what a cycle did with the scores that an earlier one left.
	Batch = answer.Batch
	// Change is an object before and after; Before is nil for an addition, After for a deletion.
	Change = answer.Change
	// Decision is what Scheduler.SchedulePod and PostFilter concluded.
	Decision = answer.Decision
	// Enabled is one plugin at one extension point; Weight is 0 where nothing scores.
	Enabled = answer.Enabled
	// Event is one event that kube-scheduler's handlers derive from a change.
	Event = answer.Event
	// Gate is a feature gate as it is set now.
	Gate = answer.Gate
	// Hint is what one plugin makes of one event for a pod it rejected.
	Hint = answer.Hint
	// NodeAnswer is the complete truth about one node.
	NodeAnswer = answer.NodeAnswer
	// NodeScores are the scores of one feasible node, in the order of the profile.
	NodeScores = answer.NodeScores
	// PluginScore is one Score plugin's contribution to one node.
	PluginScore = answer.PluginScore
	// PreFilterOutcome is what the framework made of all PreFilter plugins.
	PreFilterOutcome = answer.PreFilterOutcome
	// PreFilterVerdict is one plugin's PreFilter answer.
	PreFilterVerdict = answer.PreFilterVerdict
	// Preemption is what PostFilter did for an unschedulable pod.
	Preemption = answer.Preemption
	// Scheduler is a kube-scheduler over one cluster, which answers for one pod at a time.
	Scheduler = answer.Scheduler
	// Verdict is the result of one plugin at one extension point.
	Verdict = answer.Verdict
	// Victims are the pods that would leave one node.
	Victims = answer.Victims
)
