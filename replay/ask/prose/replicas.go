package prose

import (
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/session"
)

// Replicas is how many pods of a workload have a node: "2 of 3 replicas fit: Deployment shop".
func Replicas(lang words.Language, r session.Replicas) string {
	noun := replicaNoun(lang, r.Kind)
	if r.There > 0 {
		noun = lang.Say(textMissing, noun)
	}
	return lang.Say(textFitOf, r.Placed, len(r.Pods), noun, r.Kind, r.Name)
}

// replicaNoun is what the pods of a workload are called.
func replicaNoun(lang words.Language, kind string) string {
	switch kind {
	case "DaemonSet", "Job", "CronJob":
		return lang.Of(textReplicaPods)
	}
	return lang.Of(textReplicas)
}

// Smallest is the first of the changes that give a pod a node, in one line.
func Smallest(lang words.Language, pod string, found remedy.Answer) string {
	switch {
	case found.Without != "":
		return lang.Say(textSmallestNone, pod, found.Without)
	case len(found.Remedies) == 0:
		return lang.Say(textSmallestUnknown, pod)
	}
	r := found.Remedies[0]
	parts := make([]string, len(r.Changes))
	for i, c := range r.Changes {
		parts[i] = Changing(lang, c)
	}
	return lang.Say(textSmallestChange, pod, strings.Join(parts, lang.Of(textAnd)))
}
