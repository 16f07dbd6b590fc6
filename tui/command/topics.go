package command

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
)

// topics are words of kube-scheduler that help explains besides the verbs: its extension points, its plugins and its
// queues.
var topics = map[string]string{
	"QueueSort": "Says which pod of activeQ is popped first: the one with the highest priority, then the one that has " +
		"waited longest.",
	"PreEnqueue": "Is asked before a pod comes into activeQ. A plugin that says no gates the pod: no cycle tries it.",
	"PreFilter": "Is asked once in a cycle, before any node. A plugin studies the pod, may reject it at once, and may " +
		"name the " +
		"only nodes that count.",
	"Filter": "Is asked about each node: does it take the pod? The first plugin that says no is the reason that " +
		"kube-scheduler reports; schedstep asks all the others too and shows their answers in brackets.",
	"PostFilter": "Is asked when no node takes the pod. DefaultPreemption looks for pods that could be evicted.",
	"PreScore":   "Is asked once before nodes are scored. A plugin that says Skip scores nothing for this pod.",
	"Score": "Gives each node that takes the pod a number. It is normalized to 0 to 100 and multiplied by the weight " +
		"of the " +
		"plugin; the node with the highest total is chosen. With one feasible node nothing is scored.",
	"Reserve": "Notes what the pod takes up on the chosen node, such as volumes and devices.",
	"Permit":  "May have the pod wait before it is bound, for example until its gang is complete.",
	"PreBind": "Does what must be done before the binding, such as binding volumes. It may take long.",
	"Bind":    "Writes the node into the pod.", "PostBind": "Is told that the pod is bound.",
	"NodeName": "A node must have the name in spec.nodeName, if there is one.",
	"NodeUnschedulable": "A cordoned node takes no pod, unless the pod tolerates " +
		"node.kubernetes.io/unschedulable:NoSchedule.",
	"TaintToleration": "A node's taints NoSchedule and NoExecute must be tolerated. Scores nodes by their " +
		"PreferNoSchedule " +
		"taints that are not tolerated.",
	"NodeAffinity": "A node must have the labels of nodeSelector and of required node affinity. Scores by preferred " +
		"affinity.",
	"NodePorts": "The ports of the node that the pod wants must be free.",
	"NodeResourcesFit": "What the pod requests must be free on the node: allocatable less what all pods there request. " +
		"Use " +
		"does not count. Scores by what is left (LeastAllocated) or by another strategy.",
	"NodeResourcesBalancedAllocation": "Scores nodes higher where cpu and memory would be used to the same share.",
	"NodeDeclaredFeatures":            "A node must have declared the features that the pod needs.",
	"VolumeRestrictions":              "Volumes that only one pod or one node may use must not be used elsewhere.",
	"NodeVolumeLimits":                "A node can attach so many volumes of a CSI driver.",
	"VolumeBinding": "The claims of the pod must be bound, or be able to be bound, to volumes that " +
		"the node reaches.",
	"VolumeZone": "A bound volume must be in the zone of the node.",
	"PodTopologySpread": "The difference of matching pods between domains must not exceed maxSkew. " +
		"Scores by evenness.",
	"InterPodAffinity": "Required affinity and anti-affinity to pods must hold, of the pod and of the pods that are " +
		"there " +
		"already. Scores by preferred terms.",
	"DynamicResources": "The claims of the pod for devices must be allocated, or be able to be allocated, on the node.",
	"ImageLocality":    "Scores nodes higher that have the images of the pod.",
	"DefaultPreemption": "Looks for nodes where evicting pods of lower priority would make room, and nominates one of " +
		"them.",
	"SchedulingGates": "A pod with spec.schedulingGates is not tried.",
	"GangScheduling":  "The pods of a gang are bound together or not at all.",
	"activeQ":         "The pods that are ready for a cycle, the next one first.",
	"backoffQ":        "Pods that were rejected and are to be tried again, once their backoff is over.",
	"unschedulablePods": "Pods that were rejected and wait for an event that a plugin's hint says may help, 5 minutes " +
		"at most.",
	"nominatedNodeName": "The node where room is being made for a pod; it is tried first in the pod's next cycle.",
}

// topic is the help about a word of kube-scheduler; false when there is none.
func topic(lang words.Language, word string) (Page, bool) {
	names := topicNames()
	at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, word) })
	if at < 0 {
		return Page{}, false
	}
	return Page{Title: names[at], Lines: []string{names[at], "", lang.Of(topics[names[at]])}}, true
}

func topicNames() []string {
	names := make([]string, 0, len(topics))
	for name := range topics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// unknownTopic is the error for a topic that is neither a verb nor a word of help.
func unknownTopic(word string) error {
	return phrase.Errorf("%q is no command and no word that help explains%s (help lists the commands)", word,
		spelling.HintName(word, append(topicNames(), Names()...)))
}
