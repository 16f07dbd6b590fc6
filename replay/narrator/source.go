package narrator

import "github.com/schedstep/schedstep/core/trace"

// Release is the release of kube-scheduler whose files and functions are told.
const Release = "1.37"

// Source is where kube-scheduler does something.
type Source struct {
	Phase    trace.Phase
	File     string // below pkg/scheduler
	Function string // Name, or Type.Name
}

// Sources are the places in kube-scheduler of Release, in the order of a cycle. conformance holds them to its code.
func Sources() []Source {
	const (
		queue   = "backend/queue/scheduling_queue.go"
		runtime = "framework/runtime/framework.go"
		one     = "schedule_one.go"
	)
	return []Source{
		{trace.PhaseCluster, "eventhandlers.go", "addAllEventHandlers"},
		{trace.PhaseClock, queue, "PriorityQueue.flushBackoffQCompleted"},
		{trace.PhaseQueue, queue, "PriorityQueue.moveEntitiesToActiveOrBackoffQueue"},
		{trace.PhasePop, one, "Scheduler.ScheduleOne"},
		{trace.PhasePreFilter, runtime, "frameworkImpl.RunPreFilterPlugins"},
		{trace.PhaseFilter, one, "Scheduler.findNodesThatPassFilters"},
		{trace.PhasePostFilter, "framework/preemption/preemption.go", "Evaluator.Preempt"},
		{trace.PhasePreScore, runtime, "frameworkImpl.RunPreScorePlugins"},
		{trace.PhaseScore, one, "prioritizeNodes"},
		{trace.PhaseSelect, "framework/sorted_nodes.go", "NewSortedScoredNodes"},
		{trace.PhaseReserve, one, "Scheduler.assumeAndReserve"},
		{trace.PhasePermit, runtime, "frameworkImpl.RunPermitPlugins"},
		{trace.PhasePreBind, runtime, "frameworkImpl.RunPreBindPlugins"},
		{trace.PhaseBind, "framework/plugins/defaultbinder/default_binder.go", "DefaultBinder.Bind"},
		{trace.PhasePostBind, runtime, "frameworkImpl.RunPostBindPlugins"},
		{trace.PhaseFailure, one, "Scheduler.handleSchedulingFailure"},
		{trace.PhaseEnd, queue, "PriorityQueue.Done"},
	}
}

// sourceOf is the place of a phase.
func sourceOf(p trace.Phase) (Source, bool) {
	for _, s := range Sources() {
		if s.Phase == p {
			return s, true
		}
	}
	return Source{}, false
}
