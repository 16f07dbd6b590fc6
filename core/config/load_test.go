package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// withArgs is a configuration with the args of one plugin.
func withArgs(plugin, yaml string) string {
	return head + "profiles:\n- pluginConfig:\n  - name: " + plugin + "\n    args: " + yaml + "\n"
}

// withPlugins is a configuration with the plugins of one profile.
func withPlugins(yaml string) string { return head + "profiles:\n- plugins: " + yaml + "\n" }

// refusals are configurations that are wrong, by what is wrong with them, and the error for each.
var refusals = map[string]struct{ give, want string }{
	"empty": {
		"",
		"f.yaml: nothing in it (want apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration)",
	},
	"only comments": {
		"# nothing\n---\n",
		"f.yaml: nothing in it (want apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration)",
	},
	"no YAML": {"a: [", "f.yaml: neither YAML nor JSON: yaml: line 1: did not find expected node content"},
	"a list": {
		"- a",
		"f.yaml: not an object with fields (want apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration)",
	},
	"no type": {
		"profiles: []",
		"f.yaml: no apiVersion and no kind (want apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration)",
	},
	"v1beta1": {
		strings.Replace(head, "/v1", "/v1beta1", 1),
		`f.yaml: apiVersion: Invalid value: "kubescheduler.config.k8s.io/v1beta1": kube-scheduler 1.22 was the last to read it; this build is kube-scheduler 1.37 and needs kubescheduler.config.k8s.io/v1`,
	},
	"v1beta2": {
		strings.Replace(head, "/v1", "/v1beta2", 1),
		`f.yaml: apiVersion: Invalid value: "kubescheduler.config.k8s.io/v1beta2": kube-scheduler 1.27 was the last to read it; this build is kube-scheduler 1.37 and needs kubescheduler.config.k8s.io/v1`,
	},
	"v1beta3": {
		strings.Replace(head, "/v1", "/v1beta3", 1),
		`f.yaml: apiVersion: Invalid value: "kubescheduler.config.k8s.io/v1beta3": kube-scheduler 1.28 was the last to read it; this build is kube-scheduler 1.37 and needs kubescheduler.config.k8s.io/v1`,
	},
	"v2": {
		strings.Replace(head, "/v1", "/v2", 1),
		`f.yaml: apiVersion: Invalid value: "kubescheduler.config.k8s.io/v2": this build is kube-scheduler 1.37 and needs kubescheduler.config.k8s.io/v1`,
	},
	"policy": {
		`{"apiVersion":"v1","kind":"Policy","predicates":[]}`,
		`f.yaml: kind: Invalid value: "Policy": kube-scheduler 1.22 was the last to read a Policy (--kube-version 1.19 plays one that does); this build is kube-scheduler 1.37 and needs its settings as KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1`,
	},
	"another kind": {
		"apiVersion: v1\nkind: ConfigMap\n",
		`f.yaml: kind: Invalid value: "ConfigMap": is no scheduler configuration (want KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1)`,
	},
	"unknown field": {withPlugins("{scores: {enabled: []}}"), `f.yaml: profiles[0].plugins.scores: unknown field`},
	"wrong case":    {head + "Parallelism: 3", `f.yaml: Parallelism: unknown field`},
	"repeated field": {
		head + "parallelism: 3\nparallelism: 3\n",
		`f.yaml: neither YAML nor JSON: yaml: unmarshal errors: line 4: key "parallelism" already set in map`,
	},
	"wrong type":  {head + "podMaxBackoffSeconds: ten", `f.yaml: podMaxBackoffSeconds: found string, want int64`},
	"wrong shape": {head + "profiles: {}", `f.yaml: profiles: found object, want list`},

	"parallelism": {head +
		"parallelism: 0", `f.yaml: parallelism: Invalid value: 0: should be an integer value greater than zero`},
	"percentage": {head +
		"percentageOfNodesToScore: 101", `f.yaml: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]`},
	"profile percentage": {
		head + "profiles: [{percentageOfNodesToScore: -1}]",
		`f.yaml: profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]`,
	},
	"initial backoff": {head +
		"podInitialBackoffSeconds: 0", `f.yaml: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0`},
	"max backoff": {
		head + "podInitialBackoffSeconds: 20",
		`f.yaml: podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds`,
	},
	"burst": {head +
		"clientConnection: {burst: -1}", `f.yaml: clientConnection.burst: Invalid value: -1: must be non-negative`},
	"lease": {
		head + "leaderElection: {leaseDuration: 5s}",
		`f.yaml: leaderElection.leaseDuration: Invalid value: "5s": must be greater than renewDeadline, which is 10s`,
	},
	"renew": {
		head + "leaderElection: {renewDeadline: -1s}",
		`f.yaml: leaderElection.renewDeadline: Invalid value: "-1s": must be greater than zero`,
	},
	"lock": {
		head + "leaderElection: {resourceLock: endpoints}",
		`f.yaml: leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"`,
	},
	"no name": {
		head + "profiles: [{schedulerName: a}, {}]",
		`f.yaml: profiles[1].schedulerName: Required value: every profile needs a name of its own`,
	},
	"empty name": {
		head + `profiles: [{schedulerName: ""}]`,
		`f.yaml: profiles[0].schedulerName: Required value: every profile needs a name of its own`,
	},
	"name twice": {
		head + "profiles: [{schedulerName: a}, {schedulerName: a}]",
		`f.yaml: profiles[1].schedulerName: Duplicate value: "a" is the name of profiles[0] already`,
	},
	"queue sorts": {
		head + "profiles: [{schedulerName: a}, {schedulerName: b, plugins: {queueSort: {enabled: [{name: PrioritySort}]}}}]",
		`f.yaml: profiles[1].plugins.queueSort: Forbidden: must be the same for all profiles, and profiles[0] says otherwise`,
	},
	"queue sort args": {
		head + "profiles: [{schedulerName: a}, {schedulerName: b, pluginConfig: [{name: PrioritySort, args: {x: 1}}]}]",
		`f.yaml: profiles[1].pluginConfig: Forbidden: the args of PrioritySort must be the same for all profiles, and profiles[0] says otherwise`,
	},
	"no queue sort": {
		withPlugins(`{queueSort: {disabled: [{name: "*"}]}}`),
		`f.yaml: profiles[0].plugins.queueSort: Invalid value: 0: exactly one queue sort plugin is needed for profile "default-scheduler"`,
	},
	"no bind": {
		withPlugins(`{bind: {disabled: [{name: DefaultBinder}]}}`),
		`f.yaml: profiles[0].plugins.bind: Required value: at least one bind plugin is needed for profile "default-scheduler" (DefaultBinder is kube-scheduler's)`,
	},

	"misspelt plugin": {
		withPlugins("{score: {enabled: [{name: NodeName}, {name: NodeAfinity}]}}"),
		`f.yaml: profiles[0].plugins.score.enabled[1].name: Invalid value: "NodeAfinity": is no plugin of kube-scheduler 1.37 (did you mean "NodeAffinity"?)`,
	},
	"wrong letters": {
		withPlugins("{multiPoint: {enabled: [{name: imagelocality}]}}"),
		`f.yaml: profiles[0].plugins.multiPoint.enabled[0].name: Invalid value: "imagelocality": is no plugin of kube-scheduler 1.37 (did you mean "ImageLocality"?)`,
	},
	"removed plugin": {
		withPlugins("{filter: {enabled: [{name: EBSLimits}]}}"),
		`f.yaml: profiles[0].plugins.filter.enabled[0].name: Invalid value: "EBSLimits": is no plugin of kube-scheduler 1.37 any more (what it did is done by NodeVolumeLimits)`,
	},
	"unheard-of plugin": {
		withPlugins("{filter: {enabled: [{name: OurCompanysOwn}]}}"),
		`f.yaml: profiles[0].plugins.filter.enabled[0].name: Invalid value: "OurCompanysOwn": is no plugin of kube-scheduler 1.37, and this program was not built with a plugin of that name (docs/plugins.md)`,
	},
	"wrong point": {
		withPlugins("{filter: {enabled: [{name: ImageLocality}]}}"),
		`f.yaml: profiles[0].plugins.filter.enabled[0].name: Invalid value: "ImageLocality": has no part in filter (kube-scheduler asks it at [Score])`,
	},
	"plugin twice at a point": {
		withPlugins("{filter: {enabled: [{name: NodeName}, {name: NodeName}]}}"),
		`f.yaml: profiles[0].plugins.filter.enabled[1].name: Invalid value: "NodeName": is enabled twice`,
	},
	"plugin twice at multiPoint": {
		withPlugins("{multiPoint: {enabled: [{name: DefaultBinder}, {name: DefaultBinder}]}}"),
		`f.yaml: profiles[0].plugins.multiPoint.enabled: Invalid value: "DefaultBinder": is enabled twice for bind`,
	},
	"negative weight first": {
		withPlugins("{score: {enabled: [{name: NodeResourcesFit, weight: -2}]}}"),
		`f.yaml: profiles[0].plugins.score: Invalid value: -200: total score of Score plugins could overflow (no weights below 0)`,
	},

	"args twice": {
		head + "profiles: [{pluginConfig: [{name: NodeAffinity}, {name: NodeAffinity}]}]",
		`f.yaml: profiles[0].pluginConfig[1]: Duplicate value: "NodeAffinity" has its args in profiles[0].pluginConfig[0] already`,
	},
	"args of another plugin": {
		withArgs("NodeResourcesFit", "{kind: NodeAffinityArgs}"),
		`f.yaml: profiles[0].pluginConfig[0].args.kind: Invalid value: "NodeAffinityArgs": NodeResourcesFit takes NodeResourcesFitArgs`,
	},
	"args of another version": {
		withArgs("NodeResourcesFit", "{apiVersion: kubescheduler.config.k8s.io/v1beta3}"),
		`f.yaml: profiles[0].pluginConfig[0].args.apiVersion: Invalid value: "kubescheduler.config.k8s.io/v1beta3": this build is kube-scheduler 1.37 and needs kubescheduler.config.k8s.io/v1`,
	},
	"unknown argument": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {kind: x}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.kind: unknown field`,
	},
	"argument of wrong type": {
		withArgs("InterPodAffinity", "{hardPodAffinityWeight: one}"),
		`f.yaml: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: found string, want int32`,
	},
	"args that are no object": {
		withArgs("InterPodAffinity", "7"), `f.yaml: profiles[0].pluginConfig[0].args: found number, want object`,
	},

	"preemption percentage": {
		withArgs("DefaultPreemption", "{minCandidateNodesPercentage: 101}"),
		`f.yaml: profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]`,
	},
	"preemption absolute": {
		withArgs("DefaultPreemption", "{minCandidateNodesAbsolute: -1}"),
		`f.yaml: profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)`,
	},
	"preemption nothing": {withArgs(
		"DefaultPreemption", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}",
	), `f.yaml: profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute` + "\n" +
		`f.yaml: profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage`},
	"hard weight": {
		withArgs("InterPodAffinity", "{hardPodAffinityWeight: 101}"),
		`f.yaml: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]`,
	},
	"added affinity": {
		withArgs(
			"NodeAffinity",
			"{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Innn}]}]}}}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Innn": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`,
	},
	"balanced weight": {
		withArgs("NodeResourcesBalancedAllocation", "{resources: [{name: cpu, weight: 2}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.resources[0].weight: Invalid value: 2: must be 1`,
	},
	"balanced twice": {
		withArgs("NodeResourcesBalancedAllocation", "{resources: [{name: cpu}, {name: cpu}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.resources[1].name: Duplicate value: "cpu"`,
	},
	"fit strategy": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {type: Best}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"`,
	},
	"fit weight": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 101}]}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]`,
	},
	"fit without ratio": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {type: RequestedToCapacityRatio}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio`,
	},
	"fit without shape": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {}}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified`,
	},
	"fit with ratio": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated, requestedToCapacityRatio: {}}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio`,
	},
	"fit ignored group": {
		withArgs("NodeResourcesFit", "{ignoredResourceGroups: [a/b]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.ignoredResourceGroups[0]: Invalid value: "a/b": resource group name can't contain '/'`,
	},
	"shape falls": {
		withArgs("VolumeBinding", "{shape: [{utilization: 5, score: 1}, {utilization: 5, score: 2}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.shape[1].utilization: Invalid value: 5: values must be sorted in increasing order`,
	},
	"shape utilization": {
		withArgs("VolumeBinding", "{shape: [{utilization: 101, score: 1}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.shape[0].utilization: Invalid value: 101: not in valid range [0, 100]`,
	},
	"shape score": {
		withArgs("VolumeBinding", "{shape: [{utilization: 1, score: 11}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.shape[0].score: Invalid value: 11: not in valid range [0, 10]`,
	},
	"bind timeout": {
		withArgs("VolumeBinding", "{bindTimeoutSeconds: -1}"),
		`f.yaml: profiles[0].pluginConfig[0].args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value`,
	},
	"filter timeout": {
		withArgs("DynamicResources", "{filterTimeout: -1s}"),
		`f.yaml: profiles[0].pluginConfig[0].args.filterTimeout: Invalid value: "-1s": must be zero or positive`,
	},
	"binding timeout": {
		withArgs("DynamicResources", "{bindingTimeout: 1ms}"),
		`f.yaml: profiles[0].pluginConfig[0].args.bindingTimeout: Invalid value: "1ms": must be at least 1 second`,
	},
	"spread type": {
		withArgs("PodTopologySpread", "{defaultingType: Other}"),
		`f.yaml: profiles[0].pluginConfig[0].args.defaultingType: Unsupported value: "Other": supported values: "System", "List"`,
	},
	"spread system list": {
		withArgs("PodTopologySpread", "{defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty`,
	},
	"spread skew": {
		withArgs(
			"PodTopologySpread",
			"{defaultingType: List, defaultConstraints: [{topologyKey: z, whenUnsatisfiable: DoNotSchedule}]}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)`,
	},
	"spread key": {withArgs(
		"PodTopologySpread",
		"{defaultingType: List, defaultConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}",
	), `f.yaml: profiles[0].pluginConfig[0].args.defaultConstraints[0].topologyKey: Required value: can not be empty`},
	"spread action": {
		withArgs("PodTopologySpread", "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z}]}"),
		`f.yaml: profiles[0].pluginConfig[0].args.defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty`,
	},
	"spread odd action": {
		withArgs(
			"PodTopologySpread",
			"{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: Never}]}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"`,
	},
	"spread selector": {
		withArgs(
			"PodTopologySpread",
			"{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod`,
	},
	"spread twice": {withArgs(
		"PodTopologySpread",
		"{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]}",
	), `f.yaml: profiles[0].pluginConfig[0].args.defaultConstraints[1]: Duplicate value: "{z, DoNotSchedule}"`},

	"preemption below 0": {
		withArgs("DefaultPreemption", "{minCandidateNodesPercentage: -1}"),
		`f.yaml: profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: -1: not in valid range [0, 100]`,
	},
	"hard weight below 0": {
		withArgs("InterPodAffinity", "{hardPodAffinityWeight: -1}"),
		`f.yaml: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]`,
	},
	"fit weight below 0": {
		withArgs("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: -1}]}}"),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight: Invalid value: -1: resource weight of cpu not in valid range (0, 100]`,
	},
	"fit shape falls": {
		withArgs(
			"NodeResourcesFit",
			"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 9, score: 1}, {utilization: 5, score: 2}]}}}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 5: values must be sorted in increasing order`,
	},
	"fit shape utilization": {
		withArgs(
			"NodeResourcesFit",
			"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: -1, score: 1}]}}}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[0].utilization: Invalid value: -1: not in valid range [0, 100]`,
	},
	"fit shape score": {
		withArgs(
			"NodeResourcesFit",
			"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 1, score: -1}]}}}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: -1: not in valid range [0, 10]`,
	},
	"preferred added affinity": {
		withArgs(
			"NodeAffinity",
			"{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: Innn}]}}]}}",
		),
		`f.yaml: profiles[0].pluginConfig[0].args.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].matchExpressions[0].operator: Unsupported value: "Innn": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`,
	},
	"extender resource twice": {
		head +
			"extenders: [{urlPrefix: 'http://a', managedResources: [{name: example.com/a}]}, {urlPrefix: 'http://b', managedResources: [{name: example.com/a}]}]",
		`f.yaml: extenders[1].managedResources[0].name: Invalid value: "example.com/a": duplicate extender managed resource name`,
	},
	"extender resource name": {
		head +
			"extenders: [{urlPrefix: 'http://a', managedResources: [{name: requests.example.com/a}, {name: kubernetes.io/a}]}]",
		`f.yaml: extenders[0].managedResources[0].name: Invalid value: "requests.example.com/a": is an invalid extended resource name` + "\n" +
			`f.yaml: extenders[0].managedResources[1].name: Invalid value: "kubernetes.io/a": is an invalid extended resource name`,
	},
	"extender ignores what nobody judges": {
		head +
			"profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]\nextenders: [{urlPrefix: 'http://a', managedResources: [{name: example.com/a, ignoredByScheduler: true}]}]",
		`f.yaml: profiles[0].pluginConfig: couldn't build extenders: can't find NodeResourcesFitArgs in plugin config`,
	},
	"wrong extenders": {
		head +
			"extenders: [{urlPrefix: 'http://a', prioritizeVerb: p, bindVerb: b, managedResources: [{name: cpu}]}, {urlPrefix: 'http://b', bindVerb: b}]",
		"f.yaml: extenders[0].weight: Invalid value: 0: must have a positive weight applied to it\n" +
			`f.yaml: extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name` + "\n" +
			`f.yaml: extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind`,
	},
	"everything at once": {
		head +
			"parallelism: -1\nprofiles: [{percentageOfNodesToScore: 200, plugins: {filter: {enabled: [{name: NodeNam}]}}}]\n",
		"f.yaml: profiles[0].percentageOfNodesToScore: Invalid value: 200: not in valid range [0-100]\n" +
			`f.yaml: profiles[0].plugins.filter.enabled[0].name: Invalid value: "NodeNam": is no plugin of kube-scheduler 1.37 (did you mean "NodeName"?)` + "\n" +
			"f.yaml: parallelism: Invalid value: -1: should be an integer value greater than zero",
	},
}

func TestRefusalSaysWhereWhatAndWhatIsRight(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load([]byte(c.give), "f.yaml")
			if err == nil {
				t.Fatalf("accepted:\n%s", c.give)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSamplesOfOtherSchedulersAreRefusedUsefully(t *testing.T) {
	other := func(path, name string) string {
		return path + `: Invalid value: "` + name + `": belongs to another scheduler, kubernetes-sigs/scheduler-plugins, and cannot run here ` +
			`(take it out to see what kube-scheduler 1.37 alone would do)`
	}
	beta := `: apiVersion: Invalid value: "kubescheduler.config.k8s.io/v1beta3": kube-scheduler 1.28 was the last to read it; ` +
		`this build is kube-scheduler 1.37 and needs kubescheduler.config.k8s.io/v1`
	for file, want := range map[string][]string{
		"coscheduling.yaml": {
			other("coscheduling.yaml: profiles[0].plugins.multiPoint.enabled[0].name", "Coscheduling"),
			other("coscheduling.yaml: profiles[0].plugins.queueSort.enabled[0].name", "Coscheduling"),
			other("coscheduling.yaml: profiles[0].pluginConfig[0].name", "Coscheduling"),
		},
		"nodemetadata.yaml": {
			other("nodemetadata.yaml: profiles[0].plugins.score.enabled[0].name", "NodeMetadata"),
			other("nodemetadata.yaml: profiles[0].pluginConfig[0].name", "NodeMetadata"),
		},
		"noderesources.yaml": {
			other("noderesources.yaml: profiles[0].plugins.score.enabled[0].name", "NodeResourcesAllocatable"),
			other("noderesources.yaml: profiles[0].pluginConfig[0].name", "NodeResourcesAllocatable"),
		},
		"podstate.yaml": {other("podstate.yaml: profiles[0].plugins.score.enabled[0].name", "PodState")},
		"qos.yaml":      {"qos.yaml" + beta},
		"trimaran.yaml": {"trimaran.yaml" + beta},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata/samples", file))
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.Load(data, file)
			if err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(strings.Join(want, "\n"), err.Error()); diff != "" {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWarningsNameWhatHasNoEffect(t *testing.T) {
	c, err := config.Load([]byte(head+`
profiles:
- plugins:
    multiPoint:
      enabled: [{name: NodeAffinity, weight: -1}]
    filter:
      disabled: [{name: NodeResourcesLeastAllocated}, {name: NodePort}, {name: "*"}]
  pluginConfig:
  - name: NodeName
    args: {x: 1}
  - name: NodeResourceFit
    args: {}
---
kind: another
`), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"f.yaml: 1 more documents follow the first; kube-scheduler reads the first only, and so does schedstep",
		"f.yaml: profiles[0].plugins.multiPoint.enabled[0]: with weight -1, NodeAffinity prefers what it would otherwise avoid",
		`f.yaml: profiles[0].plugins.filter.disabled[0]: nothing to disable: "NodeResourcesLeastAllocated" is no plugin of kube-scheduler 1.37 any more (what it did is done by NodeResourcesFit with scoringStrategy LeastAllocated)`,
		`f.yaml: profiles[0].plugins.filter.disabled[1]: nothing to disable: "NodePort" is no plugin of kube-scheduler 1.37 (did you mean "NodePorts"?)`,
		"f.yaml: profiles[0].pluginConfig[0].args: NodeName takes no args, and kube-scheduler ignores these",
		`f.yaml: profiles[0].pluginConfig[1].name: "NodeResourceFit" is no plugin of kube-scheduler 1.37 (did you mean "NodeResourcesFit"?); kube-scheduler ignores its args`,
	}
	if diff := cmp.Diff(want, phrase.Strings(c.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestArgsOfADisabledFitAreNotJudged(t *testing.T) {
	const give = head +
		"profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}, pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [a/b]}}]}]"
	if _, err := config.Load([]byte(give), "f.yaml"); err != nil {
		t.Error(err)
	}
}

func TestBackoffComesFromTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		give         string
		initial, max time.Duration
	}{
		"defaults": {head, time.Second, 10 * time.Second},
		"given":    {head + "podInitialBackoffSeconds: 3\npodMaxBackoffSeconds: 3\n", 3 * time.Second, 3 * time.Second},
	} {
		got, err := config.Load([]byte(c.give), "f.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if got.InitialBackoff != c.initial || got.MaxBackoff != c.max {
			t.Errorf("%s: backoff %s to %s, want %s to %s", name, got.InitialBackoff, got.MaxBackoff, c.initial, c.max)
		}
	}
}

func TestProfileIsFoundByItsName(t *testing.T) {
	c := load(t, "testdata/expand/several_profiles.yaml")
	if p, ok := c.Profile("no-scoring"); !ok || p != c.Profiles[1] {
		t.Errorf("Profile(no-scoring) = %v, %v; want the second", p, ok)
	}
	if _, ok := c.Profile("nobody"); ok {
		t.Error("Profile(nobody) was found")
	}
}

// FuzzLoad shows that whatever is given is refused with sentences that name the source, or makes profiles that can run.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/samples/*.yaml", "testdata/expand/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add([]byte(head +
		"profiles: [{schedulerName: a, pluginConfig: [{name: NodeResourcesFit, args: null}]}, {schedulerName: b}]"))
	f.Add([]byte(head + "podInitialBackoffSeconds: 9223372036854775807\npodMaxBackoffSeconds: 9223372036854775807\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Load(data, "fuzz.yaml")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.yaml: ") {
				t.Errorf("refusal without its source: %v", err)
			}
			return
		}
		if len(c.Profiles) == 0 || len(c.Profiles) != len(c.Expanded) {
			t.Fatalf("%d profiles, %d expansions", len(c.Profiles), len(c.Expanded))
		}
		if c.InitialBackoff <= 0 || c.MaxBackoff < c.InitialBackoff {
			t.Errorf("backoff %s to %s", c.InitialBackoff, c.MaxBackoff)
		}
		for i, p := range c.Profiles {
			if first, ok := c.Profile(p.SchedulerName); !ok || first != p {
				t.Errorf("profile %d: the name %q is not its own", i, p.SchedulerName)
			}
			if len(c.Expanded[i].At(framework.QueueSort)) != 1 || len(c.Expanded[i].At(framework.Bind)) == 0 {
				t.Errorf("profile %q sorts or binds with nothing", p.SchedulerName)
			}
			if p.Percentage < 0 || p.Percentage > 100 {
				t.Errorf("profile %q scores %d%% of the nodes", p.SchedulerName, p.Percentage)
			}
		}
	})
}
