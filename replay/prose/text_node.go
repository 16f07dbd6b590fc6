package prose

// What is told of a node.
const (
	textNodeNamed   = "Node %s."
	textNodeInZone  = "Node %s in zone %s."
	textCordoned    = "It is cordoned: it takes only pods that tolerate that."
	textTaints      = "Its taints: %s."
	textRoom        = "%s: %s of %s used, %s free"
	textNoPods      = "No pod is on it"
	textOnePodThere = "%d pod is on it"
	textPodsThere   = "%d pods are on it, those with the highest priority first"
	textResident    = "%s, priority %d, cpu %s, memory %s"
	textAssumed     = ", assumed: kube-scheduler counts it before the API server confirms it"
	textMorePod     = "and %d more"
	textMorePods    = "and %d more"
	textKeptFor     = "Nominated on it"
	textWaiting     = "Why it rejects pending pods"
	textItFits      = "it fits"
)
