package prose

// The texts about the scheduler's belief of a node, beside the API server's objects.
const (
	textBelieved    = "What kube-scheduler counts on it, beside what the API server says"
	textGoneNode    = "There is no node %s, and the API server has pods on it. kube-scheduler counts them nowhere."
	textCounted     = "%s: %s of %s counted: %s on it by the API server"
	textSumAssumed  = ", %s assumed"
	textSumGoing    = ", %s of pods that are going"
	textSumReserved = "; %s more kept for nominated pods"
	textNotUsage    = "These are requests. What containers use, as kubectl top shows it, plays no part."
	textHeld        = "%s, cpu %s, memory %s: %s"
	textIsAssumed   = "counted; assumed, and the API server has no node for it yet"
	textAssumedElse = "counted; assumed, and the API server has it on %s"
	textIsGoing     = "counted until it is gone; asked to go at %s"
	textIsGoingNow  = "counted until it is gone; asked to go"
	textIsKept      = "not counted; the node is kept for it, before pods of lower priority"
	textOnlyHere    = ", and the API server has no nomination yet"
	textIsLost      = "counted nowhere; the API server has it on this node, which is not there"
	textIsConfirmed = "counted; the API server has it there"
)
