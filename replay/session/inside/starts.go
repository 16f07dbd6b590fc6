package inside

const (
	mainFile     = "cmd/kube-scheduler/scheduler.go"
	optionsFile  = "cmd/kube-scheduler/app/options/options.go"
	serverFile   = "cmd/kube-scheduler/app/server.go"
	handlersFile = "pkg/scheduler/eventhandlers.go"
	loopFile     = "pkg/scheduler/scheduler.go"
	cycleFile    = "pkg/scheduler/schedule_one.go"
	factoryFile  = "pkg/scheduler/factory.go"
	genericFile  = "pkg/scheduler/core/generic_scheduler.go"

	queueFile       = "pkg/scheduler/backend/queue/scheduling_queue.go"
	queueFileBefore = "pkg/scheduler/internal/queue/scheduling_queue.go"
	queueFile1_10   = "pkg/scheduler/core/scheduling_queue.go"

	serverFile1_6    = "plugin/cmd/kube-scheduler/app/server.go"
	configurator1_6  = "plugin/cmd/kube-scheduler/app/configurator.go"
	factoryFile1_6   = "plugin/pkg/scheduler/factory/factory.go"
	factoryFile1_10  = "pkg/scheduler/factory/factory.go"
	defaultsFile1_6  = "plugin/cmd/kube-scheduler/app/options/options.go"
	loopFile1_6      = "plugin/pkg/scheduler/scheduler.go"
	newServerOptions = "NewSchedulerServer"
)

// starts are the starts, the newest first. Their watches and parts are in tables of their own.
var starts = []since[Start]{
	{32, modern(queueFile, "PriorityQueue", "ScheduleOne")},
	{30, modern(queueFileBefore, "PriorityQueue", "ScheduleOne")},
	{20, modern(queueFileBefore, "PriorityQueue", "scheduleOne")},
	{18, start1_19()},
	{11, start1_17()},
	{7, start1_10()},
	{0, start1_6()},
}

// modern is the start of 1.29 and later.
func modern(queue, of, cycle string) Start {
	return Start{
		Defaults: Place{"pkg/scheduler/apis/config/latest/latest.go", "Default"}, Workers: 16, Beside: true,
		Steps: []Step{
			{Options, Place{optionsFile, "NewOptions"}, []Place{
				{mainFile, "main"}, {serverFile, "NewSchedulerCommand"}, {serverFile, "runCommand"},
			}},
			{Configuration, Place{serverFile, "Setup"}, []Place{
				{optionsFile, "Options.Validate"}, {optionsFile, "Options.Config"}, {loopFile, "New"},
			}},
			{Clients, Place{optionsFile, "createClients"}, nil},
			{Informers, Place{loopFile, "NewInformerFactory"}, nil},
			{Queue, Place{queue, "NewSchedulingQueue"}, nil},
			{Handlers, Place{handlersFile, "addAllEventHandlers"}, []Place{{loopFile, "Scheduler.applyDefaultHandlers"}}},
			{Sync, Place{handlersFile, "Scheduler.WaitForHandlersSync"}, []Place{{serverFile, "Run"}}},
			{Loop, Place{loopFile, "Scheduler.Run"}, []Place{
				{queue, of + ".Run"}, {cycleFile, "Scheduler." + cycle}, {queue, of + ".Close"},
			}},
		},
	}
}

func start1_19() Start {
	return Start{
		Defaults: Place{optionsFile, "newDefaultComponentConfig"}, Workers: 16, Fixed: true,
		Steps: []Step{
			{Options, Place{optionsFile, "NewOptions"}, []Place{
				{mainFile, "main"}, {serverFile, "NewSchedulerCommand"}, {serverFile, "runCommand"},
			}},
			{Configuration, Place{serverFile, "Setup"}, []Place{
				{optionsFile, "Options.Validate"},
				{optionsFile, "Options.Config"},
				{loopFile, "New"},
				{factoryFile, "Configurator.createFromProvider"},
				{factoryFile, "Configurator.createFromConfig"},
				{factoryFile, "Configurator.create"},
				{genericFile, "NewGenericScheduler"},
			}},
			{Clients, Place{optionsFile, "createClients"}, nil},
			{Informers, Place{loopFile, "NewInformerFactory"}, nil},
			{Queue, Place{queueFileBefore, "NewSchedulingQueue"}, nil},
			{Handlers, Place{handlersFile, "addAllEventHandlers"}, nil},
			{Sync, Place{serverFile, "Run"}, nil},
			{Loop, Place{loopFile, "Scheduler.Run"}, []Place{
				{queueFileBefore, "PriorityQueue.Run"},
				{loopFile, "Scheduler.scheduleOne"},
				{queueFileBefore, "PriorityQueue.Close"},
			}},
		},
	}
}

func start1_17() Start {
	return Start{
		Defaults: Place{optionsFile, "newDefaultComponentConfig"}, Workers: 16, Fixed: true,
		Steps: []Step{
			{Options, Place{optionsFile, "NewOptions"}, []Place{
				{mainFile, "main"}, {serverFile, "NewSchedulerCommand"}, {serverFile, "runCommand"},
			}},
			{Configuration, Place{optionsFile, "Options.ApplyTo"}, []Place{
				{optionsFile, "Options.Validate"},
				{serverFile, "Run"},
				{loopFile, "New"},
				{factoryFile, "Configurator.CreateFromProvider"},
				{factoryFile, "Configurator.CreateFromConfig"},
				{factoryFile, "Configurator.CreateFromKeys"},
				{genericFile, "NewGenericScheduler"},
			}},
			{Clients, Place{optionsFile, "createClients"}, nil},
			{Informers, Place{optionsFile, "Options.Config"}, nil},
			{Queue, Place{queueFileBefore, "NewSchedulingQueue"}, nil},
			{Handlers, Place{handlersFile, "AddAllEventHandlers"}, nil},
			{Sync, Place{serverFile, "Run"}, nil},
			{Loop, Place{loopFile, "Scheduler.Run"}, []Place{{loopFile, "Scheduler.scheduleOne"}}},
		},
	}
}

func start1_10() Start {
	return Start{
		Defaults: Place{serverFile, "Options.ApplyDefaults"}, Lister: true, Workers: 16, Fixed: true,
		Steps: []Step{
			{Options, Place{serverFile, "NewOptions"}, []Place{
				{mainFile, "main"},
				{serverFile, "NewSchedulerCommand"},
				{serverFile, "Options.AddFlags"},
				{serverFile, "Options.Complete"},
				{serverFile, "Options.Validate"},
			}},
			{Configuration, Place{serverFile, "Options.Run"}, []Place{
				{serverFile, "Options.loadConfigFromFile"},
				{"pkg/scheduler/algorithmprovider/plugins.go", "ApplyFeatureGates"},
				{serverFile, newServerOptions},
			}},
			{Clients, Place{serverFile, "createClients"}, []Place{
				{serverFile, "makeLeaderElectionConfig"},
				{serverFile, "makeHealthzServer"},
				{serverFile, "makeMetricsServer"},
			}},
			{Informers, Place{serverFile, newServerOptions}, []Place{{factoryFile1_10, "NewPodInformer"}}},
			{Queue, Place{queueFile1_10, "NewSchedulingQueue"}, []Place{
				{serverFile, "SchedulerServer.Run"}, {serverFile, "SchedulerServer.SchedulerConfig"},
			}},
			{Handlers, Place{factoryFile1_10, "NewConfigFactory"}, []Place{
				{factoryFile1_10, "configFactory.CreateFromProvider"},
				{factoryFile1_10, "configFactory.CreateFromConfig"},
				{factoryFile1_10, "configFactory.CreateFromKeys"},
				{genericFile, "NewGenericScheduler"},
				{loopFile, "NewFromConfig"},
			}},
			{Sync, Place{serverFile, "SchedulerServer.Run"}, nil},
			{Loop, Place{loopFile, "Scheduler.Run"}, []Place{
				{"pkg/scheduler/volumebinder/volume_binder.go", "VolumeBinder.Run"},
				{loopFile, "Scheduler.bindVolumesWorker"},
				{loopFile, "Scheduler.scheduleOne"},
			}},
		},
	}
}

func start1_6() Start {
	return Start{
		Defaults: Place{defaultsFile1_6, newServerOptions}, Unsynced: true, AnyPod: true, Lister: true,
		Workers: 16, Fixed: true,
		Steps: []Step{
			{Options, Place{defaultsFile1_6, newServerOptions}, []Place{
				{"plugin/cmd/kube-scheduler/scheduler.go", "main"},
				{defaultsFile1_6, "SchedulerServer.AddFlags"},
				{"pkg/version/verflag/verflag.go", "PrintAndExitIfRequested"},
				{serverFile1_6, "Run"},
			}},
			{Clients, Place{configurator1_6, "createClient"}, []Place{{configurator1_6, "createRecorder"}}},
			{Informers, Place{serverFile1_6, "Run"}, nil},
			{Queue, Place{factoryFile1_6, "NewConfigFactory"}, []Place{{configurator1_6, "createScheduler"}}},
			{Handlers, Place{factoryFile1_6, "NewConfigFactory"}, nil},
			{Configuration, Place{configurator1_6, "schedulerConfigurator.Create"}, []Place{
				{loopFile1_6, "NewFromConfigurator"},
				{factoryFile1_6, "ConfigFactory.CreateFromProvider"},
				{factoryFile1_6, "ConfigFactory.CreateFromConfig"},
				{factoryFile1_6, "ConfigFactory.CreateFromKeys"},
				{factoryFile1_6, "ConfigFactory.GetPredicates"},
				{factoryFile1_6, "ConfigFactory.GetPriorityFunctionConfigs"},
				{factoryFile1_6, "ConfigFactory.GetPriorityMetadataProducer"},
				{factoryFile1_6, "ConfigFactory.GetPredicateMetadataProducer"},
			}},
			{Sync, Place{factoryFile1_6, "ConfigFactory.Run"}, []Place{
				{"plugin/pkg/scheduler/core/generic_scheduler.go", "NewGenericScheduler"},
			}},
			{Loop, Place{loopFile1_6, "Scheduler.Run"}, []Place{{loopFile1_6, "Scheduler.scheduleOne"}}},
		},
	}
}

// parts are what a scheduler is made of, the newest first.
var parts = []since[Parts]{
	{37, modernParts("NextEntity")},
	{20, modernParts("NextPod")},
	{18, Parts{Type: Place{loopFile, "Scheduler"}, Fields: []Part{
		{"SchedulerCache", Keeps},
		{"Algorithm", Decides},
		{"NextPod", Nexts},
		{"Error", Fails},
		{"StopEverything", Stops},
		{"SchedulingQueue", Queues},
		{"Profiles", Configures},
		{"client", Speaks},
	}}},
	{11, Parts{Type: Place{loopFile, "Scheduler"}, Fields: []Part{
		{"SchedulerCache", Keeps},
		{"Algorithm", Decides},
		{"GetBinder", Binds},
		{"podConditionUpdater", Conditions},
		{"podPreemptor", Evicts},
		{"Framework", Configures},
		{"NextPod", Nexts},
		{"Error", Fails},
		{"Recorder", Records},
		{"StopEverything", Stops},
		{"VolumeBinder", BindsVolumes},
		{"SchedulingQueue", Queues},
		{"scheduledPodsHasSynced", Syncs},
	}}},
	{7, Parts{Type: Place{loopFile, "Config"}, Fields: []Part{
		{"SchedulerCache", Keeps},
		{"Ecache", Remembers},
		{"NodeLister", ListsNodes},
		{"Algorithm", Decides},
		{"GetBinder", Binds},
		{"PodConditionUpdater", Conditions},
		{"PodPreemptor", Evicts},
		{"NextPod", Nexts},
		{"WaitForCacheSync", Syncs},
		{"Error", Fails},
		{"Recorder", Records},
		{"StopEverything", Stops},
		{"VolumeBinder", BindsVolumes},
	}, Folder: "pkg/scheduler", Packages: append(packages(), Package{"volumebinder", VolumeBinding})}},
	{0, Parts{Type: Place{loopFile1_6, "Config"}, Fields: []Part{
		{"SchedulerCache", Keeps},
		{"NodeLister", ListsNodes},
		{"Algorithm", Decides},
		{"Binder", Binds},
		{"PodConditionUpdater", Conditions},
		{"NextPod", Nexts},
		{"Error", Fails},
		{"Recorder", Records},
		{"StopEverything", Stops},
	}, Folder: "plugin/pkg/scheduler", Packages: packages()}},
}

// packages are those of 1.6 and 1.10.
func packages() []Package {
	return []Package{
		{"algorithm", Judging},
		{"algorithmprovider", Providing},
		{"api", Configuring},
		{"core", Choosing},
		{"factory", Assembling},
		{"metrics", Measuring},
		{"schedulercache", Believing},
		{"testing", Testing},
		{"util", Helping},
	}
}

func modernParts(next string) Parts {
	return Parts{Type: Place{loopFile, "Scheduler"}, Fields: []Part{
		{"Cache", Keeps},
		{"Extenders", Extends},
		{next, Nexts},
		{"FailureHandler", Fails},
		{"SchedulePod", Decides},
		{"StopEverything", Stops},
		{"SchedulingQueue", Queues},
		{"Profiles", Configures},
		{"client", Speaks},
		{"nodeInfoSnapshot", Snapshots},
		{"percentageOfNodesToScore", Suffices},
		{"nextStartNodeIndex", Turns},
		{"registeredHandlers", Knows},
	}}
}

// askedOfQueues are the methods of SchedulingQueue, without those of what it embeds, the newest first.
var askedOfQueues = []since[[]string]{
	{20, nil},
	{18, []string{
		"Add", "AddUnschedulableIfNotPresent", "SchedulingCycle", "Pop", "Update", "Delete",
		"MoveAllToActiveOrBackoffQueue", "AssignedPodAdded", "AssignedPodUpdated", "PendingPods", "Close",
		"NumUnschedulablePods", "Run",
	}},
	{11, []string{
		"Add", "AddUnschedulableIfNotPresent", "SchedulingCycle", "Pop", "Update", "Delete",
		"MoveAllToActiveOrBackoffQueue", "AssignedPodAdded", "AssignedPodUpdated", "NominatedPodsForNode",
		"PendingPods", "Close", "UpdateNominatedPodForNode", "DeleteNominatedPodIfExists", "NumUnschedulablePods",
	}},
	{7, []string{
		"Add", "AddIfNotPresent", "AddUnschedulableIfNotPresent", "Pop", "Update", "Delete", "MoveAllToActiveQueue",
		"AssignedPodAdded", "AssignedPodUpdated", "WaitingPodsForNode",
	}},
	{0, nil},
}
