package cmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// The functions of a script: how many pods of a ReplicaSet, or of a Job, are Ready; an eviction; the first pod of a
// controller on a node; the UID of a pod, nothing when there is none; and waiting until a pod is gone, or another one
// has its name, as that of a StatefulSet. A kubectl that fails ends the script: set -e does not look into what a test
// compares.
const (
	countsReady = `ready() { n=$(kubectl get rs "$1" -n "$2" -o jsonpath='{.status.readyReplicas}') || exit 1; ` +
		`echo "${n:-0}"; }
`
	countsRunning = `running() { n=$(kubectl get job "$1" -n "$2" -o jsonpath='{.status.ready}') || exit 1; ` +
		`echo "${n:-0}"; }
`
	sendsEviction = `evict() { printf '{"apiVersion":"policy/v1","kind":"Eviction","metadata":` +
		`{"name":"%s","namespace":"%s"}}' "$1" "$2" |
  kubectl create --raw "/api/v1/namespaces/$2/pods/$1/eviction" -f -; }
`
	findsPod = `of() { kubectl get pods -n "$2" --field-selector spec.nodeName="$3" --sort-by=.metadata.name \
  -o jsonpath="{range .items[?(@.metadata.ownerReferences[0].name=='$1')]}{.metadata.name}{'\n'}{end}" | head -n 1; }
`
	waitsGone = `uid() { kubectl get pod "$1" -n "$2" -o jsonpath='{.metadata.uid}' --ignore-not-found; }
gone() { while now=$(uid "$1" "$2") || exit 1; [ "$now" = "$3" ]; do sleep 1; done; }
`
)

// printCommands prints a plan as a script of a POSIX shell, which stops at the first step that fails.
func printCommands(out io.Writer, p plan.Plan) error {
	var b strings.Builder
	made, unsure := fresh{}, mayWait(&p)
	other := strays{packs: strings.HasPrefix(p.Goal, "pack"), may: map[string]bool{}}
	for i := 0; i < len(p.Steps); i++ {
		s := &p.Steps[i]
		if len(s.With) > 0 {
			until := i + 1
			for until < len(p.Steps) && slices.Equal(p.Steps[until].With, s.With) {
				until++
			}
			blocked := made.drainAtOnce(&b, p.Steps[i:until], unsure)
			if i = until - 1; blocked == nil {
				continue
			}
			s = blocked
		}
		if s.Refused != nil {
			fmt.Fprintf(&b, "# step %d is blocked by %s: %s\nexit 3\n", s.N, clean(s.Refused.Object),
				clean(s.Refused.Message.String()))
			break
		}
		if s.Pod == "" {
			b.WriteString(other.leave(s) + pauses(s) + clean(s.Kubectl) + "\n")
			continue
		}
		other.note(s)
		before, after := waitFor(s, unsure)
		request := isWhereItWas(s) + before + clean(s.Kubectl) + "\n" + after
		if owner, is := made[s.Pod]; is {
			request = ofOwner(s, owner, before, after)
		}
		b.WriteString(request)
		made.note(s)
	}
	b.WriteString(other.leave(&plan.Step{}))
	head := "#!/bin/sh\n# " + clean(p.Goal) + ": " + string(p.Verdict) + "\nset -e\n"
	for _, f := range []struct{ call, function string }{{"\nevict ", sendsEviction}, {"$(of ", findsPod}} {
		if strings.Contains(b.String(), f.call) {
			head += f.function
		}
	}
	if strings.Contains(b.String(), "$(uid ") {
		head += waitsGone
	}
	if strings.Contains(b.String(), "$(ready ") {
		head += countsReady
	}
	if strings.Contains(b.String(), "$(running ") {
		head += countsRunning
	}
	_, err := io.WriteString(out, head+b.String())
	return err
}

// strays are the pods that come by chance to a node which is emptied later, where the plan has none. A drain cordons
// all of its nodes first, packing one after the other.
type strays struct {
	packs bool
	may   map[string]bool // nodes that a pod may have come to
	node  string          // that is being emptied
}

func (g *strays) note(s *plan.Step) {
	for i := range s.Moves {
		for _, node := range s.Moves[i].Among {
			g.may[node] = g.may[node] || node != s.Moves[i].To
		}
	}
}

// leave ends the node that was emptied until now: what came there by chance goes too. next begins another one.
func (g *strays) leave(next *plan.Step) (command string) {
	if g.packs && g.node != "" && g.may[g.node] {
		command = "kubectl drain " + g.node + " --ignore-daemonsets # a pod that chance has brought here goes too\n"
	}
	g.node, _ = strings.CutPrefix(clean(next.Kubectl), "kubectl cordon ")
	return command
}

// pauses is waiting before a step.
func pauses(s *plan.Step) string {
	if s.Pause == 0 {
		return ""
	}
	return fmt.Sprintf("sleep %v # as long as kube-scheduler may hold back a pod that did not fit\n", s.Pause)
}

// fresh are the pods that the plan made under names that a cluster does not give them, and the controllers that they
// are of. Those of a StatefulSet have their names.
type fresh map[string]string

func (made fresh) note(s *plan.Step) {
	for i := range s.Moves {
		if kind, _, _ := strings.Cut(s.Moves[i].Owner, " "); kind != "StatefulSet" {
			made[s.Moves[i].Pod] = s.Moves[i].Owner
		}
	}
}

// ofOwner evicts the pod of a controller that is on the node now, in the place of one whose name is made up.
func ofOwner(s *plan.Step, owner, before, after string) string {
	namespace, name, _ := strings.Cut(clean(s.Pod), "/")
	_, key, _ := strings.Cut(clean(owner), " ")
	_, controller, _ := strings.Cut(key, "/")
	withName := strings.NewReplacer("uid "+name+" ", "uid \"$pod\" ", "gone "+name+" ", "gone \"$pod\" ")
	return fmt.Sprintf("pod=$(of %s %s %s); [ -n \"$pod\" ] # called %s in the plan\n", controller, namespace,
		clean(s.From), name) +
		withName.Replace(before) + "evict \"$pod\" " + namespace + "\n" + withName.Replace(after)
}

// isWhereItWas is the check before an eviction.
func isWhereItWas(s *plan.Step) string {
	namespace, name, _ := strings.Cut(s.Pod, "/")
	return fmt.Sprintf("[ \"$(kubectl get pod %s -n %s -o jsonpath='{.spec.nodeName}')\" = %s ] # it is where it was\n",
		clean(name), clean(namespace), clean(s.From))
}

// patienceOfDrains is how long a drain that is going to be refused goes on, as in the plan.
const patienceOfDrains = " --timeout=15m"

// drainAtOnce adds the commands that send evictions together, and waiting until the pods that come in their place are
// Ready. blocked is the first step that is refused; nil: none is.
func (made fresh) drainAtOnce(b *strings.Builder, steps []plan.Step, unsure map[string]bool) (blocked *plan.Step) {
	replicas := map[string]int{} // the number of the variable of each ReplicaSet and Job, from 1 on
	short := map[string]bool{}   // those of which fewer may be Ready
	var ready []string
	for i := range steps {
		s := &steps[i]
		if s.Refused != nil {
			if blocked == nil {
				blocked = s
			}
			continue
		}
		if _, is := made[s.Pod]; !is {
			b.WriteString(isWhereItWas(s))
		}
		if made.note(s); len(s.Moves) == 0 {
			continue
		}
		m := &s.Moves[0]
		kind, key, _ := strings.Cut(clean(m.Owner), " ")
		namespace, name, _ := strings.Cut(key, "/")
		_, pod, _ := strings.Cut(clean(m.Pod), "/")
		owner := clean(m.Owner)
		short[owner] = short[owner] || unsure[m.Pod]
		switch {
		case m.To == "" || m.Late || m.Away < 0:
			replicas[owner] = -1 // some of its pods are not Ready then
		case kind == "StatefulSet":
			ready = append(ready, comesReady(pod, namespace, m, unsure[m.Pod]))
		case counters[kind] != "" && replicas[owner] == 0:
			replicas[owner] = i + 1
			fmt.Fprintf(b, "before%d=$(%s %s %s)\n", i+1, counters[kind], name, namespace)
		}
	}
	b.WriteString(together(steps[0].With, blocked != nil))
	for _, owner := range slices.Sorted(maps.Keys(replicas)) {
		if n := replicas[owner]; n > 0 {
			b.WriteString(asReady(owner, fmt.Sprintf("before%d", n), short[owner]) + "\n")
		}
	}
	if blocked == nil {
		b.WriteString(strings.Join(ready, ""))
	}
	return blocked
}

// together are commands that are given at the same time. Those that cannot end give up after a time.
func together(commands []string, cannotEnd bool) string {
	var b, waits strings.Builder
	for i, c := range commands {
		c = clean(c)
		if cannotEnd {
			c += patienceOfDrains
		}
		if len(commands) > 1 {
			fmt.Fprintf(&b, "%s & drain%d=$!\n", c, i+1)
			c = fmt.Sprintf("wait $drain%d", i+1)
		}
		if waits.WriteString(c); cannotEnd {
			waits.WriteString(" || true")
		}
		waits.WriteString("\n")
	}
	return b.String() + waits.String()
}

// mayWait are the pods that have no node in the end, in some runs or in all. A script must not wait for them without
// end.
func mayWait(p *plan.Plan) map[string]bool {
	all := map[string]bool{}
	for _, w := range p.Pending {
		all[w.Pod] = true
	}
	return all
}

// comesReady waits until the pod of a StatefulSet is there and Ready, or, where it is unsure, for a minute.
func comesReady(pod, namespace string, m *plan.Move, unsure bool) string {
	limit := "10m"
	if unsure {
		limit = "1m || true"
	}
	return fmt.Sprintf("kubectl wait pod %s -n %s --for=create --timeout=5m\n"+
		"kubectl wait pod %s -n %s --for=condition=Ready --timeout=%s # %s on %s\n", pod, namespace, pod, namespace, limit,
		clean(m.Pod), clean(m.To))
}

// counters are the functions that count the Ready pods of a controller, by its kind.
var counters = map[string]string{"ReplicaSet": "ready", "Job": "running"}

// asReady waits until as many pods of a controller are Ready as a variable has, or, where it is unsure, for a minute.
func asReady(owner, before string, unsure bool) string {
	kind, key, _ := strings.Cut(owner, " ")
	namespace, name, _ := strings.Cut(key, "/")
	begin, limit := "", ""
	if unsure {
		begin, limit = "tries=0; ", ` || [ $((tries = tries + 1)) -gt 30 ]`
	}
	return fmt.Sprintf(`%suntil now=$(%s %s %s) || exit 1; [ "$now" -ge "$%s" ]%s; do sleep 2; done`, begin,
		counters[kind], name, namespace, before, limit)
}

// waitFor are the commands before and after an eviction that wait until the pod has stopped and, where the plan has
// another one Ready, until as many pods of its controller are Ready as before.
func waitFor(s *plan.Step, unsure map[string]bool) (before, after string) {
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
		return before, gone + comesReady(pod, namespace, m, unsure[m.Pod])
	case counters[kind] != "":
		return before + fmt.Sprintf("before=$(%s %s %s)\n", counters[kind], name, namespace), gone +
			fmt.Sprintf("%s # %s on %s\n", asReady(clean(m.Owner), "before", unsure[m.Pod]), clean(m.Pod), clean(m.To))
	}
	return before, gone + fmt.Sprintf("# %s on %s\n", clean(m.Pod), clean(m.To))
}
