//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	carriedCases   = flag.Int("carried-cases", 14, "clusters on which printed commands are carried out")
	carriedFrom    = flag.Int("carried-from", 0, "the seed of the first of these clusters")
	carriedChanges = flag.Int("carried-changes", 1, "changes of a page that are carried out: the first ones, and one more that is drawn")
	carriedKeep    = flag.String("carried-keep", "", "a folder for the input of each difference")
)

// page is what is read of the JSON of explain, of a workload or of a pod.
type page struct {
	Replicas int
	Fit      int
	Place    struct{ Node string }
	Changes  []offered
	Message  string
}

// offered is a set of changes that a page offers.
type offered struct {
	Changes   []struct{ Kind, Says, Command, Kubectl string }
	Commands  []string
	Node      string
	Fit       int
	Late      bool
	Elsewhere []elsewhere
}

// wants is how many pods the workload of a page wants after the set: fewer where it is scaled down to those that fit.
func (o *offered) wants(p *page) int {
	if len(o.Changes) == 1 && o.Changes[0].Kind == "ScaleDown" {
		return o.Fit
	}
	return max(p.Replicas, o.Fit)
}

// elsewhere is a pod of others that ends elsewhere.
type elsewhere struct {
	Pod, Before, After string
	Gone, MadeAgain    bool
}

// nodes are those that a set adds, as "NAME like NODE": there is no command for it, and the test does it.
var nodesAdded = regexp.MustCompile(`add-node (\S+) like (\S+?)(;|$)`)

// canBeCarriedOut reports whether commands do all of a set, except for nodes: the template of a Job, for example,
// cannot change.
func (o *offered) canBeCarriedOut() bool {
	template := slices.ContainsFunc(o.Commands, func(line string) bool {
		return strings.HasPrefix(line, "kubectl patch ") || strings.Contains(line, "kubectl replace --force")
	})
	for _, c := range o.Changes {
		if nodesAdded.MatchString(c.Command) {
			continue
		}
		all := strings.Split(c.Kubectl, " && ")
		if !template && slices.ContainsFunc(all, func(line string) bool { return !slices.Contains(o.Commands, line) }) {
			return false
		}
		if strings.HasPrefix(c.Kubectl, "# ") {
			return false
		}
	}
	return len(o.Commands) > 0 || len(o.Changes) > 0
}

func (o *offered) String() string {
	var says []string
	for _, c := range o.Changes {
		says = append(says, c.Says)
	}
	return strings.Join(says, " + ")
}

// carriedTally counts how sets of changes ended.
type carriedTally struct {
	cases, fit, unhelped, sets, commands int
	ended                                map[string]int // how, to how many sets
	kinds                                map[string]int // of changes
}

func (t *carriedTally) add(more *carriedTally) {
	t.cases, t.fit, t.unhelped = t.cases+more.cases, t.fit+more.fit, t.unhelped+more.unhelped
	t.sets, t.commands = t.sets+more.sets, t.commands+more.commands
	for how, n := range more.ended {
		t.ended[how] += n
	}
	for kind, n := range more.kinds {
		t.kinds[kind] += n
	}
}

func (t *carriedTally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d clusters: in %d all pods fit, in %d nothing is offered; %d sets of changes, %d commands:", t.cases,
		t.fit, t.unhelped, t.sets, t.commands)
	for _, how := range slices.Sorted(maps.Keys(t.ended)) {
		fmt.Fprintf(&b, " %s %d,", how, t.ended[how])
	}
	fmt.Fprintf(&b, " by change:")
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		fmt.Fprintf(&b, " %s %d,", kind, t.kinds[kind])
	}
	return strings.TrimSuffix(b.String(), ",")
}

// How a set of changes can end.
const (
	asSaid    = "as said"
	tied      = "as said with another draw"       // of equal nodes: with another seed the page says so
	chance    = "as said, others on another node" // as many of each workload have a node
	ofOne     = "page of one pod: one is there, and more fit"
	ofOneElse = "page of one pod: otherwise"
	refused   = "refused"
	otherwise = "otherwise"
)

func TestPrintedCommandsEndWhereThePageSaid(t *testing.T) {
	t.Parallel()
	sum := carriedTally{ended: map[string]int{}, kinds: map[string]int{}}
	for _, one := range onPlanes(t, *carriedCases, nil, func(w *theatre, i int, sum *carriedTally) {
		if sum.ended == nil {
			sum.ended, sum.kinds = map[string]int{}, map[string]int{}
		}
		s := drawn(uint64(*carriedFrom + i))
		w.carryOut(s, sum)
		w.Logf("%d %s %s: %s", s.seed, s.cause, s.word, sum)
	}) {
		sum.add(&one)
	}
	t.Log(&sum)
	if sum.sets < *carriedCases/2 || sum.commands < *carriedCases/3 {
		t.Errorf("too little was carried out: %s", &sum)
	}
	if other := sum.ended[otherwise] + sum.ended[ofOneElse]; sum.ended[refused] > 0 || other > few(sum.sets) {
		t.Errorf("%d refused, %d otherwise, which the log has", sum.ended[refused], other)
	}
}

// few is how many of so many may end otherwise, one in twenty and at least one: the order in which the controllers of a
// loaded machine act is chance, and a difference is looked at in the log.
func few(all int) int { return max(1, all/20) }

// carryOut brings the cluster of a situation on, and carries out some of what its page offers, each from the beginning.
func (w *theatre) carryOut(s *situation, sum *carriedTally) {
	w.Helper()
	sum.cases++
	var chosen []int
	for turn := 0; turn == 0 || turn < len(chosen); turn++ {
		w.play(s)
		if s.isPod() && w.nodeOf(subject) != "" { // there is no cycle to print
			sum.fit++
			return
		}
		dump := w.dump(fmt.Sprintf("dump-%d-%d.json", s.seed, turn))
		var p page
		s.asked = w.asked(s)
		text := w.explained(s.asked, dump, &p)
		if turn == 0 {
			chosen = choose(s, &p)
			switch {
			case s.fits(&p):
				sum.fit++
			case len(chosen) == 0:
				sum.unhelped++
			}
		}
		if turn >= len(chosen) || chosen[turn] >= len(p.Changes) || !p.Changes[chosen[turn]].canBeCarriedOut() {
			continue
		}
		set := &p.Changes[chosen[turn]]
		how, told := w.carried(s, &p, set, dump, sum)
		sum.ended[how]++
		w.Logf("  %d %s %s: %s: %s", s.seed, s.cause, s.asked, set, how)
		if told != "" {
			w.keep(s, set, dump, text, told)
		}
		if how == refused || how == otherwise || how == ofOneElse {
			w.Logf("%d %s %s: %s\n%s\n%s: %s", s.seed, s.cause, s.word, set, strings.Join(set.Commands, "\n"), how, told)
		}
	}
}

// asked is the argument of explain: the subject or, with every third seed, one of its pods that waits.
func (w *theatre) asked(s *situation) string {
	w.Helper()
	if s.seed%3 != 2 || s.isPod() {
		return s.word
	}
	for _, p := range w.pods() {
		if p.Labels["app"] == subject && p.Spec.NodeName == "" {
			return "pod/" + p.Name
		}
	}
	return s.word
}

// isOfOne reports whether the page is about one pod of the subject. Its change is tried on that pod alone, and made in
// the template, so that all pods of the subject are made anew.
func (s *situation) isOfOne() bool { return s.asked != s.word }

// choose are the sets of a page that are carried out: the first ones, and one of the others.
func choose(s *situation, p *page) []int {
	var able []int
	for i := range p.Changes {
		if p.Changes[i].canBeCarriedOut() {
			able = append(able, i)
		}
	}
	if len(able) == 0 {
		return nil
	}
	if *carriedChanges == 1 { // the first, or any
		if s.chance.IntN(2) == 0 {
			return able[:1]
		}
		return []int{one(s.chance, able...)}
	}
	if len(able) <= *carriedChanges {
		return able
	}
	return append(able[:*carriedChanges:*carriedChanges], one(s.chance, able[*carriedChanges:]...))
}

// fits reports whether all pods of the subject have a node.
func (s *situation) fits(p *page) bool {
	if s.isPod() || s.isOfOne() {
		return p.Place.Node != ""
	}
	return p.Fit == p.Replicas
}

func (s *situation) isPod() bool { return strings.HasPrefix(s.word, "pod/") }

// carried carries a set of changes out and waits until the cluster is quiet and as the page predicts, or until it is
// clear that it does not get there.
func (w *theatre) carried(s *situation, p *page, set *offered, dump string, sum *carriedTally) (how, told string) {
	w.Helper()
	sum.sets++
	for _, c := range set.Changes {
		sum.kinds[c.Kind]++
	}
	before := w.pods()
	likeChanged := slices.ContainsFunc(set.Commands, func(line string) bool {
		return strings.HasPrefix(line, "kubectl taint ") || strings.HasPrefix(line, "kubectl label nodes ") ||
			strings.HasPrefix(line, "kubectl uncordon ")
	})
	if !likeChanged {
		w.addAll(s, set)
	}
	for _, line := range set.Commands {
		sum.commands++
		if code, _, said := w.shell(line); code != 0 {
			return refused, line + "\n" + said
		}
	}
	if likeChanged {
		w.addAll(s, set)
	}
	if w.quietOr(endTime, func() bool { how, told = w.ends(s, p, set, before); return told == "" }) {
		return how, told
	}
	switch {
	case how == ofOneElse:
		return how, told
	case s.isPod() && w.tiedNodes(s, set.Node):
		return tied, ""
	case w.mayTie(s, p, set, before, dump):
		return tied, ""
	case how == chance:
		return how, told
	}
	return otherwise, told
}

// addAll makes the nodes that a set adds. They join at the same moment: kube-scheduler sees none of them before all are
// there.
func (w *theatre) addAll(s *situation, set *offered) {
	w.Helper()
	var names []string
	w.scheduler.Pause()
	defer w.scheduler.Resume()
	for _, c := range set.Changes {
		for _, added := range nodesAdded.FindAllStringSubmatch(c.Command, -1) {
			w.add(s, added[1], added[2])
			names = append(names, added[1])
		}
	}
	w.await("nodes take pods", func(ctx context.Context) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !w.isOpen(ctx, name) })
	})
}

// isOpen reports whether the node lifecycle controller has looked at a new node.
func (w *theatre) isOpen(ctx context.Context, name string) bool {
	n, err := w.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	return err == nil && !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeNotReady
	})
}

// add makes a node like another: what a person does where no command does it.
func (w *theatre) add(s *situation, name, like string) {
	w.Helper()
	n, err := w.client.CoreV1().Nodes().Get(w.Context(), like, metav1.GetOptions{})
	w.make(nil, err)
	n.ObjectMeta = metav1.ObjectMeta{Name: name, Labels: maps.Clone(n.Labels)}
	n.Labels[corev1.LabelHostname] = name
	n.Spec.Unschedulable = false
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeUnschedulable
	})
	n.Status.Conditions = slices.Clone(s.nodes[0].Status.Conditions)
	w.make(w.client.CoreV1().Nodes().Create(w.Context(), n, metav1.CreateOptions{}))
}

// ends compares the cluster with the prediction of the page; told is "" where they agree.
func (w *theatre) ends(s *situation, p *page, set *offered, before []corev1.Pod) (how, told string) {
	w.Helper()
	now := w.pods()
	count, fit, nodes := fitOf(now)
	node := strings.Join(nodes, " ") // of a pod on its own
	switch {
	case s.isOfOne():
		if _, had, _ := fitOf(before); slices.Contains(nodes, set.Node) && fit > had {
			return ofOne, ""
		}
		return ofOneElse, fmt.Sprintf("its pods are on %q, said was that one comes to %q", nodes, set.Node)
	case s.isPod() && node != set.Node:
		return otherwise, fmt.Sprintf("the pod is on node %q, said was %q", node, set.Node)
	case !s.isPod() && (fit != set.Fit || count != set.wants(p)):
		return otherwise, fmt.Sprintf("%d of %d pods fit, said was %d of %d", fit, count, set.Fit, set.wants(p))
	}
	said, is := foretold(before, set), placesOf(now)
	if slices.Equal(said, is) {
		return asSaid, ""
	}
	if slices.Equal(counted(said), counted(is)) {
		how = chance
	} else {
		how = otherwise
	}
	return how, fmt.Sprintf("others are elsewhere: %v, said was %v", is, said)
}

// fitOf is how many pods of the subject there are, how many have a node, and the node of each ("": none).
func fitOf(pods []corev1.Pod) (count, fit int, nodes []string) {
	for i := range pods {
		if pods[i].Labels["app"] != subject && pods[i].Name != subject {
			continue
		}
		nodes = append(nodes, pods[i].Spec.NodeName)
		if pods[i].Spec.NodeName != "" {
			fit++
		}
	}
	return len(nodes), fit, nodes
}

// placesOf are the workloads of others and their nodes, one for each pod.
func placesOf(pods []corev1.Pod) []string {
	var all []string
	for i := range pods {
		if app := pods[i].Labels["app"]; app != subject && pods[i].Name != subject {
			all = append(all, app+"@"+pods[i].Spec.NodeName)
		}
	}
	slices.Sort(all)
	return all
}

// counted are places without the names of nodes.
func counted(places []string) []string {
	all := slices.Clone(places)
	for i, p := range all {
		app, node, _ := strings.Cut(p, "@")
		all[i] = app + map[bool]string{true: "@"}[node == ""]
	}
	slices.Sort(all)
	return all
}

// foretold are the places where other pods end by the page.
func foretold(before []corev1.Pod, set *offered) []string {
	all := placesOf(before)
	app := map[string]string{}
	for i := range before {
		app[before[i].Namespace+"/"+before[i].Name] = before[i].Labels["app"]
	}
	for _, e := range set.Elsewhere {
		of, was := app[e.Pod]
		if !was {
			_, name, _ := strings.Cut(e.Pod, "/")
			of, _, _ = strings.Cut(name, "-")
		}
		if at := slices.Index(all, of+"@"+e.Before); at >= 0 && was {
			all = slices.Delete(all, at, at+1)
		}
		if !e.Gone && of != subject {
			all = append(all, of+"@"+e.After)
		}
	}
	slices.Sort(all)
	return all
}

// nodeOf is the node of a pod; "" where it has none.
func (w *theatre) nodeOf(name string) string {
	w.Helper()
	for _, p := range w.pods() {
		if p.Name == name {
			return p.Spec.NodeName
		}
	}
	return ""
}

// seeds are with how many seeds a page is printed again, to see whether a node was one of several equal ones.
const seeds = 8

// tiedNodes reports whether the pod, as it is now, could have come to a node as well as to its own: both had the
// highest score. The order in which a kube-scheduler that runs looks at nodes decides then, and no seed changes it.
func (w *theatre) tiedNodes(s *situation, node string) bool {
	w.Helper()
	text, err := os.ReadFile(w.dump("tied.json"))
	w.make(nil, err)
	var list struct {
		APIVersion, Kind string
		Items            []map[string]any
	}
	w.make(nil, json.Unmarshal(text, &list))
	for _, o := range list.Items {
		meta, _ := o["metadata"].(map[string]any)
		if spec, is := o["spec"].(map[string]any); is && o["kind"] == "Pod" && meta["name"] == subject {
			delete(spec, "nodeName")
			o["status"] = map[string]any{"phase": "Pending"}
		}
	}
	text, err = json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": list.Items})
	w.make(nil, err)
	file := w.file("tied.json")
	w.make(nil, os.WriteFile(file, text, 0o600))
	var cycle struct{ Tied []string }
	w.explained(s.word, file, &cycle)
	return slices.Contains(cycle.Tied, node) && slices.Contains(cycle.Tied, w.nodeOf(subject))
}

// mayTie reports whether the page predicts, with another seed, what the cluster came to.
func (w *theatre) mayTie(s *situation, p *page, set *offered, before []corev1.Pod, dump string) bool {
	w.Helper()
	for seed := range seeds {
		var again page
		w.explained(s.asked, dump, &again, "--seed", fmt.Sprint(seed+1))
		for i := range again.Changes {
			if again.Changes[i].String() != set.String() {
				continue
			}
			if _, told := w.ends(s, p, &again.Changes[i], before); told == "" {
				return true
			}
		}
	}
	return false
}

// keep writes down what a difference can be repeated with.
func (w *theatre) keep(s *situation, set *offered, dump, page, told string) {
	w.Helper()
	if *carriedKeep == "" {
		return
	}
	folder := filepath.Join(*carriedKeep, fmt.Sprintf("%d-%s-%d", s.seed, s.cause, w.plays))
	w.make(nil, os.MkdirAll(folder, 0o755))
	text, err := os.ReadFile(dump)
	w.make(nil, err)
	after, err := os.ReadFile(w.dump("after.json"))
	w.make(nil, err)
	commands, err := json.MarshalIndent(set, "", "  ")
	w.make(nil, err)
	for name, content := range map[string]string{
		"before.json": string(text), "after.json": string(after), "page.json": page, "set.json": string(commands),
		"told.txt": fmt.Sprintf("schedstep explain %s before.json -n %s\n%s\n%s\n", s.asked, w.namespace,
			strings.Join(set.Commands, "\n"), told),
	} {
		w.make(nil, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
}
