package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/replay/remedy"
	"github.com/schedstep/schedstep/replay/session"
)

// Replicas says how many pods of a workload have a node: "2 of 3 replicas fit: Deployment shop".
func Replicas(r session.Replicas) string {
	noun := textReplicas
	switch r.Kind {
	case "DaemonSet", "Job", "CronJob":
		noun = textReplicaPods
	}
	if r.There > 0 {
		noun = fmt.Sprintf(textMissing, noun)
	}
	return fmt.Sprintf(textFitOf, r.Placed, len(r.Pods), noun, r.Kind, r.Name)
}

// Smallest is the first of the changes that give a pod a node, in one line.
func Smallest(pod string, found remedy.Answer) string {
	switch {
	case found.Without != "":
		return fmt.Sprintf(textSmallestNone, pod, found.Without)
	case len(found.Remedies) == 0:
		return fmt.Sprintf(textSmallestUnknown, pod)
	}
	r := found.Remedies[0]
	parts := make([]string, len(r.Changes))
	for i, c := range r.Changes {
		parts[i] = remedyPart(c)
	}
	return fmt.Sprintf(textSmallestChange, pod, strings.Join(parts, textAnd))
}
