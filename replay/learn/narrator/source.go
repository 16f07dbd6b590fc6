package narrator

import (
	"slices"

	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/schedstep/schedstep/core/trace"
)

// Release is the newest release of kube-scheduler whose files and functions are listed.
const Release = "1.37"

// Source is where kube-scheduler does something.
type Source struct {
	Phase    trace.Phase
	File     string // from the root of kubernetes/kubernetes
	Function string // Name, or Type.Name
}

const (
	queueFile   = "backend/queue/scheduling_queue.go"
	runtimeFile = "framework/runtime/framework.go"
	cycleFile   = "schedule_one.go"
)

// newest are the places in kube-scheduler of Release, in the order of a cycle; files are those below its folder.
var newest = []Source{
	{trace.PhaseCluster, "eventhandlers.go", "addAllEventHandlers"},
	{trace.PhaseClock, queueFile, "PriorityQueue.flushBackoffQCompleted"},
	{trace.PhaseQueue, queueFile, "PriorityQueue.moveEntitiesToActiveOrBackoffQueue"},
	{trace.PhasePop, cycleFile, "Scheduler.ScheduleOne"},
	{trace.PhasePreFilter, runtimeFile, "frameworkImpl.RunPreFilterPlugins"},
	{trace.PhaseFilter, cycleFile, "Scheduler.findNodesThatPassFilters"},
	{trace.PhasePostFilter, "framework/preemption/preemption.go", "Evaluator.Preempt"},
	{trace.PhasePreScore, runtimeFile, "frameworkImpl.RunPreScorePlugins"},
	{trace.PhaseScore, cycleFile, "prioritizeNodes"},
	{trace.PhaseSelect, "framework/sorted_nodes.go", "NewSortedScoredNodes"},
	{trace.PhaseReserve, cycleFile, "Scheduler.assumeAndReserve"},
	{trace.PhasePermit, runtimeFile, "frameworkImpl.RunPermitPlugins"},
	{trace.PhasePreBind, runtimeFile, "frameworkImpl.RunPreBindPlugins"},
	{trace.PhaseBind, "framework/plugins/defaultbinder/default_binder.go", "DefaultBinder.Bind"},
	{trace.PhasePostBind, runtimeFile, "frameworkImpl.RunPostBindPlugins"},
	{trace.PhaseFailure, cycleFile, "Scheduler.handleSchedulingFailure"},
	{trace.PhaseEnd, queueFile, "PriorityQueue.Done"},
}

// until lists the places that were different up to a release. A row holds for older releases too, unless an older row
// names another place; a row without a function means that there was none. The newest comes first.
var until = []struct {
	minor int
	Source
}{
	{36, Source{trace.PhaseQueue, queueFile, "PriorityQueue.movePodsToActiveOrBackoffQueue"}},
	{36, Source{trace.PhaseSelect, cycleFile, "newSortedNodeScores"}},
	{35, Source{trace.PhaseReserve, cycleFile, "Scheduler.assume"}},
	{34, Source{trace.PhaseSelect, cycleFile, "selectHost"}},
	{31, Source{trace.PhaseClock, queueFileBefore, "PriorityQueue.flushBackoffQCompleted"}},
	{31, Source{trace.PhaseQueue, queueFileBefore, "PriorityQueue.movePodsToActiveOrBackoffQueue"}},
	{31, Source{trace.PhaseEnd, queueFileBefore, "PriorityQueue.Done"}},
	{29, Source{trace.PhasePop, cycleFile, "Scheduler.scheduleOne"}},
	{19, Source{trace.PhasePop, cycleFileBefore, "Scheduler.scheduleOne"}},
	{19, Source{trace.PhaseFilter, genericFile, "genericScheduler.findNodesThatPassFilters"}},
	{19, Source{trace.PhasePostFilter, preemptionFileBefore, "DefaultPreemption.preempt"}},
	{19, Source{trace.PhaseScore, genericFile, "genericScheduler.prioritizeNodes"}},
	{19, Source{trace.PhaseSelect, genericFile, "genericScheduler.selectHost"}},
	{19, Source{trace.PhaseReserve, cycleFileBefore, "Scheduler.assume"}},
	{19, Source{trace.PhaseFailure, cycleFileBefore, "Scheduler.recordSchedulingFailure"}},
	{19, Source{trace.PhaseEnd, cycleFileBefore, "Scheduler.scheduleOne"}},
	{17, Source{trace.PhaseCluster, "eventhandlers.go", "AddAllEventHandlers"}},
	{17, Source{trace.PhasePreFilter, "algorithm/predicates/metadata.go", "MetadataProducerFactory.GetPredicateMetadata"}},
	{17, Source{trace.PhaseFilter, genericFile, "genericScheduler.findNodesThatFit"}},
	{17, Source{trace.PhasePostFilter, genericFile, "genericScheduler.Preempt"}},
	{17, Source{trace.PhasePreScore, "algorithm/priorities/metadata.go", "MetadataFactory.PriorityMetadata"}},
	{17, Source{trace.PhasePermit, runtimeFileBefore, "framework.RunPermitPlugins"}},
	{17, Source{trace.PhasePreBind, cycleFileBefore, "Scheduler.bindVolumes"}},
	{17, Source{trace.PhaseBind, "factory.go", "binder.Bind"}},
	{17, Source{trace.PhasePostBind, runtimeFileBefore, "framework.RunPostBindPlugins"}},
	{10, Source{trace.PhaseCluster, factoryFile, "NewConfigFactory"}},
	{10, Source{trace.PhaseClock, backoffFile, "BackoffEntry.TryWait"}},
	{10, Source{trace.PhaseQueue, factoryFile, "configFactory.addPodToSchedulingQueue"}},
	{10, Source{trace.PhasePreFilter, "algorithm/predicates/metadata.go", "PredicateMetadataFactory.GetMetadata"}},
	{10, Source{trace.PhaseFilter, genericFile, "findNodesThatFit"}},
	{10, Source{trace.PhasePreScore, "algorithm/priorities/metadata.go", "PriorityMetadataFactory.PriorityMetadata"}},
	{10, Source{trace.PhaseScore, genericFile, "PrioritizeNodes"}},
	{10, Source{Phase: trace.PhasePermit}},
	{10, Source{trace.PhasePreBind, cycleFileBefore, "Scheduler.assumeAndBindVolumes"}},
	{10, Source{trace.PhaseBind, factoryFile, "binder.Bind"}},
	{10, Source{Phase: trace.PhasePostBind}},
	{10, Source{trace.PhaseFailure, factoryFile, "configFactory.MakeDefaultErrorFunc"}},
	{6, Source{trace.PhaseClock, backoffFile, "backoffEntry.TryWait"}},
	{6, Source{trace.PhaseQueue, factoryFile, "ConfigFactory.Run"}},
	{6, Source{Phase: trace.PhasePostFilter}},
	{6, Source{trace.PhasePreScore, "algorithm/priorities/metadata.go", "PriorityMetadata"}},
	{6, Source{trace.PhaseReserve, "schedulercache/cache.go", "schedulerCache.AssumePod"}},
	{6, Source{Phase: trace.PhasePreBind}},
	{6, Source{trace.PhaseFailure, factoryFile, "ConfigFactory.MakeDefaultErrorFunc"}},
}

const (
	queueFileBefore      = "internal/queue/scheduling_queue.go"
	cycleFileBefore      = "scheduler.go"
	genericFile          = "core/generic_scheduler.go"
	runtimeFileBefore    = "framework/v1alpha1/framework.go"
	preemptionFileBefore = "framework/plugins/defaultpreemption/default_preemption.go"
	factoryFile          = "factory/factory.go"
	backoffFile          = "util/backoff_utils.go"
)

// known are the minor versions whose source was read for until.
var known = []int{6, 10, 17, 19, 29, 30, 31, 32, 33, 34, 35, 36, 37}

// Sources are the places in kube-scheduler of a release such as "1.36", in the order of a cycle; none for one that
// was not read. The tests of conformance hold them to its code.
func Sources(release string) []Source {
	version, err := utilversion.ParseGeneric(release)
	if err != nil {
		return nil
	}
	minor := int(version.Minor()) //nolint:gosec // small
	if !slices.Contains(known, minor) {
		return nil
	}
	places := slices.Clone(newest)
	for _, row := range until {
		if minor <= row.minor {
			places[slices.IndexFunc(places, func(s Source) bool { return s.Phase == row.Phase })] = row.Source
		}
	}
	places = slices.DeleteFunc(places, func(s Source) bool { return s.Function == "" })
	for i := range places {
		places[i].File = folderOf(minor) + places[i].File
	}
	return places
}

// folderOf is where kube-scheduler is in the source of a release.
func folderOf(minor int) string {
	if minor < movedOut {
		return "plugin/pkg/scheduler/"
	}
	return "pkg/scheduler/"
}

// movedOut is the release that moved kube-scheduler out of the folder of plugins.
const movedOut = 10

// sourceOf is the place of a phase in a release.
func sourceOf(release string, p trace.Phase) (Source, bool) {
	places := Sources(release)
	at := slices.IndexFunc(places, func(s Source) bool { return s.Phase == p })
	if at < 0 {
		return Source{}, false
	}
	return places[at], true
}
