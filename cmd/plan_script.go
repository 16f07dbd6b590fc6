package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/schedstep/schedstep/replay/plan"
)

// The functions of a script: how many pods of a ReplicaSet are Ready; the UID of a pod, nothing when there is none; and
// waiting until a pod is gone, or another one, as that of a StatefulSet, has its name. A kubectl that fails ends the
// script: set -e does not look into what a test compares.
const (
	countsReady = `ready() { n=$(kubectl get rs "$1" -n "$2" -o jsonpath='{.status.readyReplicas}') || exit 1; echo "${n:-0}"; }
`
	waitsGone = `uid() { kubectl get pod "$1" -n "$2" -o jsonpath='{.metadata.uid}' --ignore-not-found; }
gone() { while now=$(uid "$1" "$2") || exit 1; [ "$now" = "$3" ]; do sleep 1; done; }
`
)

// printCommands prints a plan as a script of a POSIX shell, which stops at the first step that fails.
func printCommands(out io.Writer, p plan.Plan) error {
	var b strings.Builder
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Refused != nil {
			fmt.Fprintf(&b, "# step %d is blocked by %s: %s\nexit 3\n", s.N, clean(s.Refused.Object),
				clean(s.Refused.Message.String()))
			break
		}
		if s.Pod == "" {
			b.WriteString(clean(s.Kubectl) + "\n")
			continue
		}
		namespace, name, _ := strings.Cut(s.Pod, "/")
		fmt.Fprintf(&b, "[ \"$(kubectl get pod %s -n %s -o jsonpath='{.spec.nodeName}')\" = %s ] # it is where it was\n",
			clean(name), clean(namespace), clean(s.From))
		before, after := waitFor(s)
		b.WriteString(before + clean(s.Kubectl) + "\n" + after)
	}
	head := "#!/bin/sh\n# " + clean(p.Goal) + ": " + string(p.Verdict) + "\nset -e\n"
	if strings.Contains(b.String(), "$(uid ") {
		head += waitsGone
	}
	if strings.Contains(b.String(), "$(ready ") {
		head += countsReady
	}
	_, err := io.WriteString(out, head+b.String())
	return err
}

// waitFor are the commands before and after an eviction that wait until the pod has stopped and, where the plan has
// another one Ready, until as many pods of its controller are Ready as before.
func waitFor(s *plan.Step) (before, after string) {
	inNamespace, old, _ := strings.Cut(clean(s.Pod), "/")
	before = fmt.Sprintf("uid=$(uid %s %s)\n", old, inNamespace)
	gone := fmt.Sprintf("gone %s %s \"$uid\"\n", old, inNamespace)
	if len(s.Moves) == 0 {
		return before, gone + "# no controller makes it again\n"
	}
	m := &s.Moves[0]
	kind, key, _ := strings.Cut(clean(m.Owner), " ")
	namespace, name, _ := strings.Cut(key, "/")
	_, pod, _ := strings.Cut(clean(m.Pod), "/")
	switch {
	case m.To == "" || m.Late:
		return before, gone + fmt.Sprintf("# %s has no node then\n", clean(m.Pod))
	case m.Away < 0:
		return before, gone + fmt.Sprintf("# %s on %s is not Ready then\n", clean(m.Pod), clean(m.To))
	case kind == "StatefulSet":
		return before, gone + fmt.Sprintf("kubectl wait pod %s -n %s --for=create --timeout=5m\n"+
			"kubectl wait pod %s -n %s --for=condition=Ready --timeout=10m # %s on %s\n", pod, namespace, pod, namespace,
			clean(m.Pod), clean(m.To))
	case kind == "ReplicaSet":
		return before + fmt.Sprintf("before=$(ready %s %s)\n", name, namespace), gone + fmt.Sprintf(
			"until now=$(ready %s %s) || exit 1; [ \"$now\" -ge \"$before\" ]; do sleep 2; done # %s on %s\n", name, namespace,
			clean(m.Pod), clean(m.To),
		)
	}
	return before, gone + fmt.Sprintf("# %s on %s\n", clean(m.Pod), clean(m.To))
}
