//go:build e2e

package e2e_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	packFleets     = flag.Int("pack-fleets", 1, "clusters that are packed as it was planned")
	capacityFleets = flag.Int("capacity-fleets", 2, "clusters on which a workload is scaled up as far as it was planned")
	upgradeFleets  = flag.Int("upgrade-fleets", 1, "clusters of which some nodes are replaced as it was planned")
	loseFleets     = flag.Int("lose-fleets", 1, "clusters that lose nodes")
)

func TestPlanPackIsCarriedOutAsForetold(t *testing.T) {
	t.Parallel()
	sum := summed(onPlanes(t, *packFleets, nil, func(w *theatre, i int, sum *landings) {
		s, _ := drawnFleet(uint64(*drainedFrom+i), "pack")
		w.play(s)
		goal := []string{"pack"}
		if s.isWide {
			goal = append(goal, "-l", "pool in (p0,p1)")
		}
		p := w.planned(s, goal, sum)
		for _, e := range p.Emptied {
			if left := w.movable(e.Node); p.Verdict == "done" && left != "" {
				sum.stuck++
				w.Logf("%d pack: %s is not empty: %s", s.seed, e.Node, left)
			}
		}
		w.Logf("%d pack: %d nodes: %s", s.seed, len(p.Emptied), sum)
	}))
	t.Log(&sum)
	if sum.fleets < *packFleets || sum.commands == 0 || !sum.held() {
		t.Errorf("too little, or too much otherwise: %s", &sum)
	}
}

func TestPlanUpgradeIsCarriedOutAsForetold(t *testing.T) {
	t.Parallel()
	sum := summed(onPlanes(t, *upgradeFleets, nil, func(w *theatre, i int, sum *landings) {
		s, nodes := drawnFleet(uint64(*drainedFrom+i), "upgrade")
		w.play(s)
		goal := append([]string{"upgrade", "--node-after", "1s"}, nodes...)
		if i%3 == 2 {
			goal = append(goal, "--max-surge", "0", "--max-unavailable", "1")
		}
		w.planned(s, goal, sum)
		w.Logf("%d upgrade %s: %s", s.seed, strings.Join(nodes, " "), sum)
	}))
	t.Log(&sum)
	if sum.fleets < *upgradeFleets || sum.commands == 0 || !sum.held() {
		t.Errorf("too little, or too much otherwise: %s", &sum)
	}
}

// joins is the function of a script that makes a node and waits until it takes pods.
const joins = `joins() { kubectl create -f "$1" && until [ -z "$(kubectl get node "$2" -o jsonpath='{.spec.taints}' |
  grep not-ready)" ]; do sleep 0.2; done; }
`

// newNode is the remark of a script in the place of a command that no kubectl has.
var newNode = regexp.MustCompile(`(?m)^# new node (\S+) in the place of (\S+)$`)

// playable is a script in which the nodes join that a person would make, and drains that cannot end give up soon.
func (w *theatre) playable(s *situation, script string) string {
	w.Helper()
	script = strings.ReplaceAll(script, " --timeout=15m", " --timeout=20s")
	script = newNode.ReplaceAllStringFunc(script, func(line string) string {
		found := newNode.FindStringSubmatch(line)
		at := slices.IndexFunc(s.nodes, func(n *corev1.Node) bool { return n.Name == found[2] })
		n := s.nodes[at].DeepCopy()
		n.Name, n.Labels[corev1.LabelHostname] = found[1], found[1]
		file := w.file(found[1] + ".json")
		w.make(nil, os.WriteFile(file, s.written(w.namespace, append(s.published(found[2], found[1]), n)), 0o600))
		return "joins " + file + " " + found[1]
	})
	return strings.Replace(script, "set -e\n", "set -e\n"+joins, 1)
}

// movable is a pod on a node that a drain evicts; "" where there is none.
func (w *theatre) movable(node string) string {
	w.Helper()
	for _, p := range w.pods() {
		if c := metav1.GetControllerOf(&p); p.Spec.NodeName == node && (c == nil || c.Kind != "DaemonSet") {
			return p.Name
		}
	}
	return ""
}

// capacities counts how many replicas more came to a node.
type capacities struct{ clusters, none, as, nodes, otherwise, replicas int }

func (c *capacities) String() string {
	return fmt.Sprintf("%d clusters, %d without room for one more: %d replicas fitted as said and one more did not, in %d "+
		"clusters also each node has as many as said; %d otherwise", c.clusters, c.none, c.replicas, c.nodes, c.otherwise)
}

func TestPlanCapacityIsCarriedOutAsForetold(t *testing.T) {
	t.Parallel()
	var sum capacities
	for _, one := range onPlanes(t, *capacityFleets, nil, func(w *theatre, i int, sum *capacities) {
		s, _ := drawnFleet(uint64(*drainedFrom+i), "capacity")
		s.scalable()
		w.play(s)
		w.capacity(s, sum)
		w.Logf("%d capacity: %s", s.seed, sum)
	}) {
		sum = capacities{
			sum.clusters + one.clusters, sum.none + one.none, sum.as + one.as, sum.nodes + one.nodes,
			sum.otherwise + one.otherwise, sum.replicas + one.replicas,
		}
	}
	t.Log(&sum)
	if sum.as == 0 || sum.otherwise > 0 {
		t.Errorf("too little, or otherwise: %s", &sum)
	}
}

// fits is what is read of the JSON of plan capacity.
type fits struct {
	Placed, PlacedAtLeast, PlacedAtMost int
	Preempted                           []string
	On                                  []struct {
		Node string
		Pods int
	}
}

// capacity makes as many replicas as fit by the plan, and then one more.
func (w *theatre) capacity(s *situation, sum *capacities) {
	w.Helper()
	sum.clusters++
	_, has, before := fitOf(w.pods())
	dump := w.dump(fmt.Sprintf("dump-%d.json", s.seed))
	code, text, told := w.output("plan", "capacity", s.word, dump, "-q", "--fail-on", "never", "--config",
		w.file("scheduler.settings"), "-o", "json")
	var p fits
	if err := json.Unmarshal([]byte(text), &p); err != nil || code != 0 {
		w.Errorf("%s: plan: %d %v %s", s, code, err, told)
		return
	}
	if p.Placed == 0 || has == 0 {
		sum.none++
	}
	if has == 0 {
		return // it is the pod that waits, and no other one
	}
	var wrong []string
	want := len(before)
	for _, on := range p.On {
		for range on.Pods {
			before = append(before, on.Node)
		}
	}
	fit, nodes, others := w.scaled(s, want+p.PlacedAtLeast)
	if fit != has+p.PlacedAtLeast {
		wrong = append(wrong, fmt.Sprintf("%d replicas fit, said was %d", fit-has, p.PlacedAtLeast))
	}
	slices.Sort(before)
	slices.Sort(nodes)
	asSaid := slices.Equal(before, nodes)
	fit, _, after := w.scaled(s, want+p.PlacedAtMost+1)
	switch {
	case len(p.Preempted) > 0:
	case fit > has+p.PlacedAtMost || fit < has+p.PlacedAtLeast:
		wrong = append(wrong, fmt.Sprintf("%d replicas fit of %d more, said was %d to %d", fit-has, p.PlacedAtMost+1,
			p.PlacedAtLeast, p.PlacedAtMost))
	case after != others:
		wrong = append(wrong, fmt.Sprintf("others were %d and are %d", others, after))
	}
	if len(wrong) > 0 {
		sum.otherwise++
		w.Logf("%s: %s", s, strings.Join(wrong, "\n"))
		w.keepFleet(s, dump, text, "", wrong)
		return
	}
	sum.as++
	sum.replicas += p.PlacedAtLeast
	if asSaid {
		sum.nodes++
	}
}

// scaled has the subject scaled, and returns how many pods of it have a node, on which, and how many pods others have.
func (w *theatre) scaled(s *situation, to int) (fit int, nodes []string, others int) {
	w.Helper()
	code, _, told := w.shell(fmt.Sprintf("kubectl scale %s -n %s --replicas=%d", s.word, w.namespace, to))
	if code != 0 {
		w.Error(told)
	}
	w.quiet()
	pods := w.pods()
	_, fit, nodes = fitOf(pods)
	return fit, nodes, len(pods) - len(nodes)
}

// lost is what is read of the JSON of plan lose.
type lost struct {
	Nodes     []string
	Pending   []struct{ Pod, Sure string }
	Workloads []struct {
		Owner                                             string
		Had, Lost, Settled, SettledAtLeast, SettledAtMost int
	}
	PendingAtLeast, PendingAtMost int
	BrokenBudgets                 []struct {
		Name        string
		LowestSlack int
	}
}

// losses counts how workloads ended that had lost pods.
type losses struct {
	clusters, nodes, workloads, as, among, otherwise, waits, notNamed, stuck int
}

func (l *losses) String() string {
	return fmt.Sprintf("%d clusters lost %d nodes: of %d workloads that lost pods %d have as many Ready pods in the end as said, "+
		"%d as in another run, %d otherwise; %d pods wait, %d of them not named; %d clusters with pods on lost nodes otherwise",
		l.clusters, l.nodes, l.workloads, l.as, l.among, l.otherwise, l.waits, l.notNamed, l.stuck)
}

// tolerated are flags of kube-apiserver with which pods leave a silent node after some seconds.
var tolerated = []string{"--default-unreachable-toleration-seconds=5", "--default-not-ready-toleration-seconds=5"}

func TestPlanLoseIsCarriedOutAsForetold(t *testing.T) {
	t.Parallel()
	var sum losses
	for _, one := range onPlanes(t, *loseFleets, tolerated, func(w *theatre, i int, sum *losses) {
		s, nodes := drawnFleet(uint64(*drainedFrom+i), "lose")
		w.play(s)
		w.lose(s, nodes[0], s.seed%2 == 1, sum)
		w.Logf("%d lose %s: %s", s.seed, nodes[0], sum)
	}) {
		sum = losses{
			sum.clusters + one.clusters, sum.nodes + one.nodes, sum.workloads + one.workloads, sum.as + one.as,
			sum.among + one.among, sum.otherwise + one.otherwise, sum.waits + one.waits, sum.notNamed + one.notNamed,
			sum.stuck + one.stuck,
		}
	}
	t.Log(&sum)
	if sum.workloads == 0 || sum.otherwise > few(sum.workloads) || sum.notNamed > few(sum.workloads) || sum.stuck > 0 {
		t.Errorf("too little, or too much otherwise: %s", &sum)
	}
}

// lossTime is longer than the controllers of nodes take to delete the pods of one that is lost.
const lossTime = 70 * time.Second

// lose loses a node or, with every other seed, its zone, with its Node objects or without.
func (w *theatre) lose(s *situation, node string, stays bool, sum *losses) {
	w.Helper()
	sum.clusters++
	what, how := "node="+node, "gone"
	if s.seed/2%2 == 1 && len(s.nodes) > 3 {
		for _, n := range s.nodes {
			if n.Name == node {
				what = "zone=" + n.Labels[corev1.LabelTopologyZone]
			}
		}
	}
	if stays {
		how = "stay"
	}
	dump := w.dump(fmt.Sprintf("dump-%d.json", s.seed))
	code, text, told := w.output("plan", "lose", what, dump, "-q", "--nodes", how, "--fail-on", "never", "--config",
		w.file("scheduler.settings"), "-o", "json")
	var all []lost
	if err := json.Unmarshal([]byte(text), &all); err != nil || code != 0 || len(all) != 1 {
		w.Errorf("%s: plan: %d %v %s", s, code, err, told)
		return
	}
	p := &all[0]
	sum.nodes += len(p.Nodes)
	before := w.pods()
	w.kubelets.Silence(p.Nodes...)
	if !stays {
		for _, n := range p.Nodes {
			w.make(nil, w.client.CoreV1().Nodes().Delete(w.Context(), n, metav1.DeleteOptions{}))
		}
	}
	var wrong []string
	is := func() bool { wrong = w.lostAsSaid(p, before, stays, &losses{}); return len(wrong) == 0 }
	w.quietAfter(lossTime, lossTime+time.Duration(15*len(p.Nodes))*time.Second, is)
	wrong = w.lostAsSaid(p, before, stays, sum)
	w.kubelets.Revive()
	if len(wrong) > 0 {
		w.Logf("%s: lose %s --nodes %s: %s", s, what, how, strings.Join(wrong, "\n"))
		w.keepFleet(s, dump, text, "# "+what+" "+how+"\n", wrong)
	}
}

// lostAsSaid compares what is left after a loss with the plan.
func (w *theatre) lostAsSaid(p *lost, before []corev1.Pod, stays bool, sum *losses) (wrong []string) {
	w.Helper()
	now := w.pods()
	ready, waits, stuck := map[string]int{}, map[string]int{}, 0
	for i := range now {
		pod := &now[i]
		onLost := slices.Contains(p.Nodes, pod.Spec.NodeName)
		switch c := metav1.GetControllerOf(pod); {
		case c != nil && c.Kind == "DaemonSet":
		case onLost:
			stuck++
		case pod.Spec.NodeName == "":
			waits[pod.Labels["app"]]++
		case busyPod(pod) == "":
			ready[pod.Labels["app"]]++
		}
	}
	for _, l := range p.Workloads {
		kind, key, _ := strings.Cut(l.Owner, " ")
		app := appOf(key)
		sum.workloads++
		switch n := ready[app]; {
		case n == l.Settled:
			sum.as++
		case n >= l.SettledAtLeast && n <= l.SettledAtMost:
			sum.among++
		default:
			sum.otherwise++
			wrong = append(wrong, fmt.Sprintf("%s %s: %d Ready, said was %d (%d to %d)", kind, app, n, l.Settled,
				l.SettledAtLeast, l.SettledAtMost))
		}
	}
	named := map[string]int{}
	for i := range before {
		if before[i].Spec.NodeName == "" {
			named[before[i].Labels["app"]]++
		}
	}
	for _, pod := range p.Pending {
		named[appOf(pod.Pod)]++
	}
	for app, n := range waits {
		sum.waits += n
		if more := n - named[app]; more > 0 {
			sum.notNamed += more
			wrong = append(wrong, fmt.Sprintf("%d pods of %s have no node, %d were named", n, app, named[app]))
		}
	}
	if !stays && stuck > 0 {
		sum.stuck++
		wrong = append(wrong, fmt.Sprintf("%d pods are on lost nodes", stuck))
	}
	return wrong
}
