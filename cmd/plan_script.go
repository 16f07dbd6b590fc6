package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/schedstep/schedstep/replay/plan"
)

// countsReady is the function of a script that prints how many pods of a ReplicaSet are Ready.
const countsReady = `ready() { kubectl get replicaset "$1" -n "$2" -o jsonpath='{.status.readyReplicas}' | grep . || echo 0; }
`

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
		if len(s.Moves) == 0 || s.Pod == "" {
			b.WriteString(clean(s.Kubectl) + "\n")
			continue
		}
		namespace, name, _ := strings.Cut(s.Pod, "/")
		fmt.Fprintf(&b, "[ \"$(kubectl get pod %s -n %s -o jsonpath='{.spec.nodeName}')\" = %s ] # it is where it was\n",
			clean(name), clean(namespace), clean(s.Moves[0].From))
		before, after := waitFor(s)
		b.WriteString(before + clean(s.Kubectl) + "\n" + after)
	}
	head := "#!/bin/sh\n# " + clean(p.Goal) + ": " + string(p.Verdict) + "\nset -e\n"
	if strings.Contains(b.String(), "$(ready ") {
		head += countsReady
	}
	_, err := io.WriteString(out, head+b.String())
	return err
}

// waitFor are the commands before and after an eviction that wait until the pod has stopped and, where the plan has
// another one Ready, until as many pods of its controller are Ready as before.
func waitFor(s *plan.Step) (before, after string) {
	m := &s.Moves[0]
	kind, key, _ := strings.Cut(clean(m.Owner), " ")
	namespace, name, _ := strings.Cut(key, "/")
	inNamespace, old, _ := strings.Cut(clean(s.Pod), "/")
	_, pod, _ := strings.Cut(clean(m.Pod), "/")
	gone := fmt.Sprintf("kubectl wait pod %s -n %s --for=delete --timeout=10m\n", old, inNamespace)
	switch {
	case m.To == "" || m.Late:
		return "", gone + fmt.Sprintf("# %s has no node then\n", clean(m.Pod))
	case m.Away < 0:
		return "", gone + fmt.Sprintf("# %s on %s is not Ready then\n", clean(m.Pod), clean(m.To))
	case kind == "StatefulSet":
		return "", gone + fmt.Sprintf("kubectl wait pod %s -n %s --for=create --timeout=5m\n"+
			"kubectl wait pod %s -n %s --for=condition=Ready --timeout=10m # %s on %s\n", pod, namespace, pod, namespace,
			clean(m.Pod), clean(m.To))
	case kind == "ReplicaSet":
		return fmt.Sprintf("before=$(ready %s %s)\n", name, namespace), gone + fmt.Sprintf(
			"until [ \"$(ready %s %s)\" -ge \"$before\" ]; do sleep 2; done # %s on %s\n", name, namespace, clean(m.Pod),
			clean(m.To),
		)
	}
	return "", gone + fmt.Sprintf("# %s on %s\n", clean(m.Pod), clean(m.To))
}
