package remedy

// Kind is what a change is about.
type Kind uint8

// The kinds.
const (
	Ungate Kind = iota
	Uncordon
	LabelNode
	Tolerate
	Untaint
	Request
	HonorTaints       // spread constraints leave out nodes whose taints the pod does not tolerate
	HonorNodeAffinity // and those that its node affinity excludes
	RaiseSkew         // spread constraints allow a larger skew
	DropMinDomains    // and want no number of domains
	Soften            // spread constraints become preferences
	DropPort
	DropSelector
	DropNodeAffinity
	RelabelPod
	DropAffinity
	DropAntiAffinity
	EaseBudget // a disruption budget lets one more pod go
	EvictPod
	ScaleDown  // a workload has fewer replicas
	Prioritize // the pod gets a PriorityClass that is there
	NameClass  // a claim that names no class names one
	MarkClass  // a class is marked default
	RenewKeys  // a volume's node affinity has the keys of labels that nodes have today
	UndoResize // a pod that waits for more than it has goes back to what it has
	AddVolume
	AddNode
	DisablePlugin
	AddSeveral // more than one node, all alike
)

// kindNames are the names of the kinds in data.
var kindNames = [...]string{
	Ungate: "RemoveGate", Uncordon: "Uncordon", LabelNode: "LabelNode", Tolerate: "Tolerate", Untaint: "RemoveTaint",
	Request: "RequestLess", HonorTaints: "HonorTaints", HonorNodeAffinity: "HonorNodeAffinity", RaiseSkew: "RaiseMaxSkew",
	DropMinDomains: "DropMinDomains", Soften: "ScheduleAnyway", DropPort: "DropHostPort",
	DropSelector: "DropNodeSelector", DropNodeAffinity: "DropNodeAffinity", RelabelPod: "RemoveLabel",
	DropAffinity: "DropPodAffinity", DropAntiAffinity: "DropPodAntiAffinity", EaseBudget: "EaseBudget",
	ScaleDown:  "ScaleDown",
	EvictPod:   "Evict",
	Prioritize: "SetPriorityClass", NameClass: "SetStorageClass", AddVolume: "AddVolume",
	MarkClass: "MarkDefaultClass", RenewKeys: "RenewVolumeKeys", UndoResize: "UndoResize",
	AddNode: "AddNode", DisablePlugin: "DisablePlugin", AddSeveral: "AddNodes",
}

// String is the name of the kind in data.
func (k Kind) String() string { return kindNames[k] }

// costs are what a change costs: the more it takes away from others, or the harder it is to have, the more. A set costs
// what its changes cost together. docs/changes.md has the same table.
var costs = [...]int{
	Ungate:            10,
	Uncordon:          20,
	LabelNode:         30,
	Tolerate:          30,
	Untaint:           40,
	Request:           40, // and requestShare
	HonorTaints:       45,
	HonorNodeAffinity: 45,
	RaiseSkew:         47, // and 1 for each step, at most 4
	DropMinDomains:    46,
	Soften:            50,
	DropPort:          50,
	DropSelector:      60,
	DropNodeAffinity:  70,
	RelabelPod:        70,
	DropAffinity:      70,
	DropAntiAffinity:  80,
	EvictPod:          100, // and what follows
	EaseBudget:        200, // and what follows
	ScaleDown:         150, // for each replica, and what follows
	NameClass:         35,
	MarkClass:         55,
	RenewKeys:         20,
	UndoResize:        35,
	AddVolume:         120,
	Prioritize:        260,
	AddNode:           300,
	DisablePlugin:     1000,
}

const (
	requestShare    = 60  // of a request that is given up whole; of a part of it the same part
	evictImportant  = 100 // besides, when the evicted pod's priority is not lower than the pod's
	scaleToNone     = 100 // besides, when a workload has no replica then
	easeMore        = 20  // besides, for each pod after the first that has to stay no more
	easeAll         = 100 // besides, when none has to stay
	evictUnreplaced = 50  // besides, when no controller creates the evicted pod again
)

// requestCost is what it costs to request so much less of what is wanted.
func requestCost(by, want int64) int {
	return costs[Request] + int((requestShare*by+want-1)/max(want, 1))
}
