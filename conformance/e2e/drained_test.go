//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/conformance/e2e"
)

var (
	drainedFleets = flag.Int("drained-fleets", 6, "clusters on which a drain that was planned is carried out")
	roomFleets    = flag.Int("room-fleets", 3, "clusters on which room that was planned is made")
	drainedFrom   = flag.Int("drained-from", 0, "the seed of the first of these clusters")
)

// planned is what is read of the JSON of plan drain.
type planned struct {
	Goal, Verdict string
	Steps         []plannedStep
	Pending       []struct{ Pod string }
	PendingBefore []struct{ Pod string }
	Budgets       []struct {
		Name        string
		LowestSlack int
	}
	Preempted, PreemptedInSomeRuns []string

	Pods    []plannedMove           // of plan room: those that get a node
	Emptied []struct{ Node string } // of plan pack
}

type plannedStep struct {
	N            int
	Kubectl, Pod string
	Moves        []plannedMove
	BlockedIn    string   // tie, timing: it is refused in some runs only
	With         []string // what sends it with others

	BlockedBy, MayBeBlockedBy *struct{ Code, Object, Message string }
}

type plannedMove struct {
	Pod, Owner, From, To, Sure string
	Among                      []string
}

// landings counts where pods came to that a plan moves.
type landings struct {
	fleets, done, pending, blocked, commands int
	foretold, among, otherwise               int // of pods
	certain, tie, timing                     int // of the same, as the plan has them
	stuck, broken, refused                   int
	allowed                                  int // evictions that the plan says a budget refuses
}

// summed is the sum of what was counted on several control planes.
func summed(all []landings) (sum landings) {
	for _, l := range all {
		for k, from := range l.counts() {
			*sum.counts()[k] += *from
		}
	}
	return sum
}

func (l *landings) counts() []*int {
	return []*int{
		&l.fleets, &l.done, &l.pending, &l.blocked, &l.commands, &l.foretold, &l.among, &l.otherwise, &l.certain, &l.tie,
		&l.timing, &l.stuck, &l.broken, &l.refused, &l.allowed,
	}
}

func (l *landings) String() string {
	return fmt.Sprintf("%d clusters: %d plans done, %d with pods that wait, %d blocked; %d commands, %d refused otherwise; "+
		"%d pods moved (certain %d, tie %d, timing %d): %d as foretold, %d on another named node, %d otherwise; "+
		"%d pods wait that were not named, %d budgets broken", l.fleets, l.done, l.pending, l.blocked, l.commands, l.refused,
		l.foretold+l.among+l.otherwise, l.certain, l.tie, l.timing, l.foretold, l.among, l.otherwise, l.stuck, l.broken)
}

// held reports whether no budget was broken, and at most a few scripts, pods that wait and landings were otherwise.
func (l *landings) held() bool {
	all := l.foretold + l.among + l.otherwise
	return l.broken == 0 && l.allowed == 0 && l.otherwise <= few(all) && l.stuck <= few(all) && l.refused <= few(l.fleets)
}

func TestPlanRoomIsCarriedOutAsForetold(t *testing.T) {
	t.Parallel()
	sum := summed(onPlanes(t, *roomFleets, nil, func(w *theatre, i int, sum *landings) {
		for seed := *drainedFrom + 5*i; seed < *drainedFrom+5*i+5; seed++ {
			if w.room(uint64(seed), sum) {
				return
			}
		}
	}))
	t.Log(&sum)
	all := sum.foretold + sum.among + sum.otherwise
	if all < sum.fleets/3 || sum.fleets < *roomFleets*9/10 || !sum.held() {
		t.Errorf("too little, or too much otherwise: %s", &sum)
	}
}

// room has room made on a drawn cluster. It reports false where all pods have a node without it.
func (w *theatre) room(seed uint64, sum *landings) bool {
	w.Helper()
	s, _ := drawnFleet(seed, "room")
	most := int64(0)
	for _, n := range s.nodes {
		most = max(most, n.Status.Allocatable.Cpu().MilliValue())
	}
	cpu := most - one(s.chance, int64(500), 1000, 1500)
	if s.isWide { // none of its nodes is as good as empty after a few evictions
		cpu = one(s.chance, int64(1900), 2300, 2700)
	}
	web := s.template(subject, cpu, 64)
	s.subject = append(s.subject, deployment(subject, int32(1+s.chance.IntN(2)), web))
	w.play(s)
	if _, fit, nodes := fitOf(w.pods()); fit == len(nodes) {
		return false
	}
	w.planned(s, []string{"room", "deployment/" + subject}, sum)
	w.Logf("%d room: %s", s.seed, sum)
	return true
}

func TestPlanDrainIsCarriedOutAsForetold(t *testing.T) {
	t.Parallel()
	sum := summed(onPlanes(t, *drainedFleets, nil, func(w *theatre, i int, sum *landings) {
		s, nodes := drawnFleet(uint64(*drainedFrom+i), "drain")
		goal := append([]string{"drain"}, nodes...)
		if i%4 == 3 {
			goal = append(goal, "--by", "drain")
		}
		w.play(s)
		w.planned(s, goal, sum)
		w.Logf("%d drain %s: %s", s.seed, strings.Join(nodes, " "), sum)
	}))
	t.Log(&sum)
	all := sum.foretold + sum.among + sum.otherwise
	least := all - few(all) - 1
	if all < 100 { // which node of those that are named is chance
		least = all * 4 / 5
	}
	if all < *drainedFleets || sum.foretold < least || !sum.held() {
		t.Errorf("too little, or too much otherwise: %s", &sum)
	}
}

// planned makes a plan, has the real kubectl carry it out, and compares.
func (w *theatre) planned(s *situation, goal []string, sum *landings) (p planned) {
	w.Helper()
	sum.fleets++
	before := w.pods()
	dump := w.dump(fmt.Sprintf("dump-%d.json", s.seed))
	args := append([]string{"plan"}, goal...)
	args = append(args, dump, "-q", "--fail-on", "never", "--config", w.file("scheduler.settings"), "-o")
	code, text, told := w.output(append(args, "json")...)
	if err := json.Unmarshal([]byte(text), &p); err != nil || code != 0 {
		w.Errorf("%s: plan: %d %v %s", s, code, err, told)
		return p
	}
	_, script, _ := w.output(append(args, "commands")...)
	file := w.file(fmt.Sprintf("drain-%d.sh", s.seed))
	w.make(nil, os.WriteFile(file, []byte(w.playable(s, script)), 0o600))
	ctx, cancel := context.WithCancel(w.Context())
	slack := w.slacks(ctx)
	code, out, told := w.shell("timeout 900 sh " + file)
	want := 0
	switch p.Verdict {
	case "done":
		sum.done++
	case "pending":
		sum.pending++
	default:
		sum.blocked++
	}
	if slices.ContainsFunc(p.Steps, func(step plannedStep) bool { return step.BlockedBy != nil }) {
		want = 3
	}
	mayEnd := slices.ContainsFunc(p.Steps, func(step plannedStep) bool { return step.MayBeBlockedBy != nil })
	for _, command := range []string{"\nkubectl ", "\necho ", "\nevict "} {
		sum.commands += strings.Count(script, command)
	}
	var wrong []string
	if code != want && !mayEnd {
		sum.refused++
		wrong = append(wrong, fmt.Sprintf("the script ends with %d, not %d: %s%s", code, want, out, told))
	}
	w.quiet()
	cancel()
	wrong = append(wrong, w.refusedToo(&p, sum)...)
	wrong = append(wrong, broken(&p, <-slack, sum)...)
	wrong = append(wrong, landed(&p, before, w.pods(), sum)...)
	if len(wrong) > 0 {
		w.keepFleet(s, dump, text, script, wrong)
		w.Logf("%s: %s:\n%s", s, strings.Join(goal, " "), strings.Join(wrong, "\n"))
	}
	return p
}

// refusedToo requests an eviction that a budget refuses by the plan.
func (w *theatre) refusedToo(p *planned, sum *landings) []string {
	w.Helper()
	for _, step := range p.Steps {
		b := step.BlockedBy
		if b == nil || step.BlockedIn != "" || step.Pod == "" || b.Code != "budget" && b.Code != "two-budgets" {
			continue
		}
		namespace, name, _ := strings.Cut(step.Pod, "/")
		err := w.client.PolicyV1().Evictions(namespace).Evict(w.Context(), &policyv1.Eviction{
			ObjectMeta:    metav1.ObjectMeta{Name: name, Namespace: namespace},
			DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}},
		})
		said := ""
		if status := apierrors.APIStatus(nil); errors.As(err, &status) {
			said = status.Status().Message
			if d := status.Status().Details; d != nil {
				for _, c := range d.Causes {
					said += " " + c.Message
				}
			}
		}
		if !strings.Contains(said, step.BlockedBy.Message) {
			sum.allowed++
			return []string{fmt.Sprintf("step %d, said to be blocked (%s): %v", step.N, step.BlockedBy.Message, said)}
		}
		return nil
	}
	return nil
}

// slackTime is between two looks at the budgets.
const slackTime = 50 * time.Millisecond

// slacks sends, when the context ends, the lowest healthy minus desired of each budget that was seen.
func (w *theatre) slacks(ctx context.Context) <-chan map[string]int {
	all := make(chan map[string]int, 1)
	go func() {
		lowest := map[string]int{}
		e2e.Every(ctx, slackTime, func() {
			list, err := w.client.PolicyV1().PodDisruptionBudgets(w.namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return
			}
			for _, b := range list.Items {
				slack := int(b.Status.CurrentHealthy - b.Status.DesiredHealthy)
				if low, seen := lowest[b.Name]; !seen || slack < low {
					lowest[b.Name] = slack
				}
			}
		})
		all <- lowest
	}()
	return all
}

// broken are budgets that went below what they require, and below the plan's lowest slack.
func broken(p *planned, slack map[string]int, sum *landings) []string {
	said := map[string]int{}
	for _, b := range p.Budgets {
		_, name, _ := strings.Cut(b.Name, "/")
		said[name] = b.LowestSlack
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(slack)) {
		if low, is := said[name]; is && slack[name] < 0 && slack[name] < low {
			sum.broken++
			wrong = append(wrong, fmt.Sprintf("budget %s: lowest slack %d, said was %d", name, slack[name], low))
		}
	}
	return wrong
}

// landed compares where the pods came to that the plan moves, and which pods have no node.
func landed(p *planned, before, now []corev1.Pod, sum *landings) []string {
	was := map[string]bool{} // there before, on a node
	for i := range before {
		was[string(before[i].UID)] = before[i].Spec.NodeName != ""
	}
	came := map[string][]string{} // nodes of new pods, by workload
	waits := map[string]int{}
	for i := range now {
		app := now[i].Labels["app"]
		if _, there := was[string(now[i].UID)]; !was[string(now[i].UID)] && (!there || now[i].Spec.NodeName != "") {
			came[app] = append(came[app], now[i].Spec.NodeName)
		}
		if now[i].Spec.NodeName == "" {
			waits[app]++
		}
	}
	moves := slices.DeleteFunc(slices.Clone(p.Pods), func(m plannedMove) bool { return m.To == "" })
	for i, step := range p.Steps {
		if step.BlockedBy != nil && len(step.With) == 0 {
			break // the script ends here
		}
		for _, m := range step.Moves {
			if !slices.ContainsFunc(p.Steps[i+1:], func(later plannedStep) bool { return later.Pod == m.Pod }) {
				moves = append(moves, m) // else it is evicted once more
			}
		}
	}
	moves = slices.DeleteFunc(moves, func(m plannedMove) bool {
		// the plan has it move once more, certainly or in some runs
		return slices.Contains(p.Preempted, m.Pod) || slices.Contains(p.PreemptedInSomeRuns, m.Pod)
	})
	named := map[string]int{}
	for _, pod := range p.Pending {
		named[appOf(pod.Pod)]++
		for i := range moves {
			if moves[i].Pod == pod.Pod && moves[i].Sure != "certain" {
				moves[i].Among = append(moves[i].Among, "") // it may be without a node
			}
		}
	}
	wrong := compareMoves(moves, came, sum)
	for _, pod := range p.PendingBefore {
		named[appOf(pod.Pod)]++
	}
	for _, app := range slices.Sorted(maps.Keys(waits)) {
		if more := waits[app] - named[app]; more > 0 {
			sum.stuck += more
			wrong = append(wrong, fmt.Sprintf("%d pods of %s have no node, %d were named", waits[app], app, named[app]))
		}
	}
	return wrong
}

// compareMoves gives each move a pod of its workload that came: as many as can be one on a node that was named, and of
// these first the one where it was foretold.
func compareMoves(moves []plannedMove, came map[string][]string, sum *landings) (wrong []string) {
	taken := map[string][]int{} // by whom each pod that came is taken, from 1 on
	for app := range came {
		taken[app] = make([]int, len(came[app]))
	}
	var give func(i int, nodes []string, seen map[int]bool) bool
	give = func(i int, nodes []string, seen map[int]bool) bool {
		app := appOf(moves[i].Pod)
		for k, node := range came[app] {
			if seen[k] || !slices.Contains(nodes, node) {
				continue
			}
			seen[k] = true
			if holder := taken[app][k]; holder == 0 || give(holder-1, moves[holder-1].named(), seen) {
				taken[app][k] = i + 1
				return true
			}
		}
		return false
	}
	has := make([]bool, len(moves))
	for i := range moves {
		has[i] = give(i, []string{moves[i].To}, map[int]bool{})
	}
	for i, m := range moves {
		if !has[i] && !give(i, m.named(), map[int]bool{}) {
			wrong = append(wrong, fmt.Sprintf("%s came to one of %q, said was %q (%s, among %q)", m.Pod, came[appOf(m.Pod)],
				m.To, m.Sure, m.Among))
		}
	}
	for i := range moves {
		switch moves[i].Sure {
		case "certain":
			sum.certain++
		case "tie":
			sum.tie++
		default:
			sum.timing++
		}
		switch app := appOf(moves[i].Pod); {
		case !slices.Contains(taken[app], i+1):
			sum.otherwise++
		case came[app][slices.Index(taken[app], i+1)] == moves[i].To:
			sum.foretold++
		default:
			sum.among++
		}
	}
	return wrong
}

// named are the nodes that a pod may come to.
func (m *plannedMove) named() []string { return append([]string{m.To}, m.Among...) }

// appOf is the workload that a pod is of, by its name.
func appOf(pod string) string {
	_, name, _ := strings.Cut(pod, "/")
	app, _, _ := strings.Cut(name, "-")
	return app
}

// keepFleet writes down what a difference can be repeated with.
func (w *theatre) keepFleet(s *situation, dump, plan, script string, wrong []string) {
	w.Helper()
	if *carriedKeep == "" {
		return
	}
	folder := filepath.Join(*carriedKeep, fmt.Sprintf("%s-%d", s.cause, s.seed))
	w.make(nil, os.MkdirAll(folder, 0o755))
	text, err := os.ReadFile(dump)
	w.make(nil, err)
	after, err := os.ReadFile(w.dump("after.json"))
	w.make(nil, err)
	for name, content := range map[string]string{
		"before.json": string(text), "after.json": string(after), "plan.json": plan, "plan.sh": script,
		"told.txt": strings.Join(wrong, "\n") + "\n",
	} {
		w.make(nil, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
}
