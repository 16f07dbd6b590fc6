package plan

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Loss is what is lost: nodes, all at once, without a budget.
type Loss struct {
	What  string // as the user names it: "zone=b", "node=n1", "rack=7"
	Stays bool   // their Node objects stay: kubelets are silent, and nothing confirms that pods have stopped
}

// Lost is the result of losing nodes. Its JSON is stable.
type Lost struct {
	Goal      string         `json:"goal"`
	Verdict   Verdict        `json:"verdict"`
	Nodes     []string       `json:"nodes"`
	Pods      int            `json:"pods"` // that were on them, those of DaemonSets not counted
	Moments   []Moment       `json:"moments"`
	Workloads []LostWorkload `json:"workloads,omitempty"`
	Pending   []Wait         `json:"pending,omitempty"` // at the end of some run
	Least     int            `json:"pendingAtLeast"`    // pods without a node at the end, in the run with the fewest
	Most      int            `json:"pendingAtMost"`
	Before    []Wait         `json:"pendingBefore,omitempty"`
	Denied    []Denied       `json:"denied,omitempty"`
	Preempts  []string       `json:"preempted,omitempty"` // in every run
	// MayPreempt are the pods that are preempted in some runs only.
	MayPreempt []string      `json:"preemptedInSomeRuns,omitempty"`
	Broken     []Budget      `json:"brokenBudgets,omitempty"` // budgets below what they want, at some moment
	Assumed    []phrase.Text `json:"assumed,omitempty"`
	Seconds    float64       `json:"seconds"`
	Runs       int           `json:"runs"`

	course *course.Course
}

// Moment is a time after the loss.
type Moment struct {
	Seconds float64 `json:"seconds"`
	Ready   int     `json:"ready"`   // pods on nodes that are there
	Pending int     `json:"pending"` // pods without a node, those of before not counted
	Stuck   int     `json:"stuck"`   // pods on lost nodes that are not gone
}

// LostWorkload is a controller that has lost pods.
type LostWorkload struct {
	Owner    string `json:"owner"`
	Had      int    `json:"had"`            // Ready pods before
	Lost     int    `json:"lost"`           // of them, those on lost nodes
	Now      int    `json:"settled"`        // Ready pods at the end
	Least    int    `json:"settledAtLeast"` // the same, in the run with the fewest
	Most     int    `json:"settledAtMost"`
	Majority bool   `json:"majorityLost,omitempty"`
}

// zoneKeys are what "zone" and "region" stand for.
var zoneKeys = map[string]string{
	"zone": corev1.LabelTopologyZone, "region": corev1.LabelTopologyRegion, "node": corev1.LabelHostname,
}

// nodesOf are the nodes that KEY=VALUE names, sorted.
func (f *Fleet) nodesOf(what string) ([]string, error) {
	key, value, is := strings.Cut(what, "=")
	if !is || value == "" {
		return nil, phrase.Errorf("%q is not KEY=VALUE (zone=b, node=n1, or a label of nodes)", what)
	}
	label := key
	if long, short := zoneKeys[key]; short {
		label = long
	}
	var nodes []string
	for _, n := range f.Player.Scheduler().State().Snapshot().Nodes {
		if n.API != nil && (n.API.Labels[label] == value || key == "node" && n.Name == value) {
			nodes = append(nodes, n.Name)
		}
	}
	if len(nodes) == 0 {
		return nil, phrase.Errorf("no node has %s", what)
	}
	slices.Sort(nodes)
	return nodes, nil
}

// Values are the values that nodes have for a key of Loss.What, sorted, as KEY=VALUE.
func (f *Fleet) Values(key string) []string {
	label := key
	if long, short := zoneKeys[key]; short {
		label = long
	}
	var all []string
	for _, n := range f.Player.Scheduler().State().Snapshot().Nodes {
		value := n.Name
		if key != "node" && n.API != nil {
			value = n.API.Labels[label]
		}
		if of := key + "=" + value; value != "" && !slices.Contains(all, of) {
			all = append(all, of)
		}
	}
	slices.Sort(all)
	return all
}

// Lose runs a loss until the cluster is quiet, and runs it again with other timings and draws. Figures are those of the
// first run; what another run shows otherwise is marked. progress (may be nil) is called with the number of runs.
func (f *Fleet) Lose(ctx context.Context, l Loss, progress func(runs int)) (Lost, error) {
	nodes, err := f.nodesOf(l.What)
	if err != nil {
		return Lost{}, err
	}
	first, tied := f.loseOnce(ctx, l, nodes, 1, 0)
	if ctx.Err() != nil {
		return Lost{}, ctx.Err() // a run that was stopped shows nothing
	}
	count := func() {
		if first.Runs++; progress != nil {
			progress(first.Runs)
		}
	}
	count()
	last := first.Moments[len(first.Moments)-1]
	first.Least, first.Most = last.Pending, last.Pending
	otherRuns(trialsOf(first.Pods), func() bool { return tied },
		func(times int, seed uint64, because Sure) (isNew, goOn bool) {
			other, _ := f.loseOnce(ctx, l, nodes, times, seed)
			if ctx.Err() != nil {
				return false, false
			}
			count()
			return first.weaken(&other, because), true
		})
	return first, ctx.Err()
}

// loseOnce is one run. tied reports whether equal nodes were chosen among, or controllers acted at the same moment.
func (f *Fleet) loseOnce(
	ctx context.Context, l Loss, nodes []string, times int, seed uint64,
) (lost Lost, tied bool) {
	r := f.begin(ctx, times, seed)
	out := Lost{Goal: "lose " + l.What, Verdict: Done, Nodes: nodes, Assumed: r.manager.Assumed(), Before: r.without()}
	on := sets.New(nodes...)
	had := r.tally(on)
	for _, w := range had {
		out.Pods += w.Lost
	}
	at := r.now()
	r.slack = map[string]int{}
	if l.Stays {
		r.course.Do(course.Act{Silence: nodes})
		manager.Silence(r.p, nodes...)
	} else {
		r.remove(nodes)
	}
	for _, after := range []time.Duration{0, 55 * time.Second, 5 * time.Minute} {
		r.wait(at.Add(after))
		out.Moments = append(out.Moments, r.moment(at, on, out.Before))
	}
	r.settle()
	if end := r.moment(at, on, out.Before); end != out.Moments[len(out.Moments)-1] {
		out.Moments = append(out.Moments, end)
	}
	out.course = r.taken()
	out.Pending = minus(r.without(), out.Before)
	out.Denied = r.denied()
	out.Preempts, out.Seconds = r.gone, r.now().Sub(at).Seconds()
	out.compare(had, r.tally(on))
	for _, b := range r.budgets() {
		if b.Slack < 0 {
			out.Broken = append(out.Broken, b)
		}
	}
	if len(out.Pending)+Unmade(out.Denied) > 0 || out.Moments[len(out.Moments)-1].Stuck > 0 {
		out.Verdict = Pending
	}
	return out, r.tied || r.raced
}

// remove deletes nodes. Their kubelets end nothing any more.
func (r *run) remove(nodes []string) {
	r.course.Do(course.Act{Silence: nodes, Delete: nodes})
	manager.Silence(r.p, nodes...)
	for _, n := range nodes {
		if node, is := r.state().Node(n); is {
			r.see(r.p.Deliver(cluster.Event{Action: cluster.Delete, Object: node.API}))
		}
	}
}

// tally are the controllers of pods: how many of their pods are Ready on nodes that are there, and how many are on lost
// ones.
func (r *run) tally(lost sets.Set[string]) map[string]LostWorkload {
	all := map[string]LostWorkload{}
	r.state().EachPod(func(p *cluster.Pod) bool {
		c := metav1.GetControllerOf(p.API)
		if c != nil && (c.Kind == "DaemonSet" || c.Kind == "Node") || p.NodeName == "" {
			return true
		}
		name := ownerName(p.API)
		w := all[name]
		w.Owner = name
		gone := lost.Has(p.NodeName)
		if gone {
			w.Lost++
		}
		if request.IsReady(p.API) && p.API.DeletionTimestamp == nil {
			w.Had++
			if !gone {
				w.Now++
			}
		}
		all[name] = w
		return true
	})
	return all
}

// compare fills in the controllers that have lost pods, the worst first.
func (l *Lost) compare(had, has map[string]LostWorkload) {
	for name, w := range had {
		if w.Lost == 0 {
			continue
		}
		w.Majority = strings.HasPrefix(name, string(cluster.KindStatefulSet)+" ") && 2*w.Now <= w.Had
		w.Now = has[name].Now
		w.Least, w.Most = w.Now, w.Now
		l.Workloads = append(l.Workloads, w)
	}
	slices.SortFunc(l.Workloads, func(a, b LostWorkload) int {
		return cmp.Or(cmp.Compare(b.Had-b.Now, a.Had-a.Now), cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Owner, b.Owner))
	})
}

// moment is the cluster now.
func (r *run) moment(since time.Time, lost sets.Set[string], before []Wait) Moment {
	m := Moment{Seconds: r.now().Sub(since).Seconds(), Pending: len(minus(r.without(), before))}
	r.state().EachPod(func(p *cluster.Pod) bool {
		switch {
		case p.NodeName == "":
		case lost.Has(p.NodeName):
			if c := metav1.GetControllerOf(p.API); c == nil || c.Kind != "DaemonSet" && c.Kind != "Node" {
				m.Stuck++
			}
		case request.IsReady(p.API):
			m.Ready++
		}
		return true
	})
	return m
}
