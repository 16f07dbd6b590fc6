package compare

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// Said is what a cluster's scheduler reported about a pod, as an input holds it.
type Said struct {
	Pod  string
	At   time.Time // zero: the input has no moment
	What string    // Host or Message
	Text string    // the node, or why none was found
	By   string    // the scheduler, where an event names it
}

// Records are all that an input holds of the decisions of the scheduler of the cluster it comes from, and what is known
// about the input that explains why a decision here is another.
type Records struct {
	// Emptier is why the nodes of the input look emptier than they are; "" when the input shows no reason.
	Emptier phrase.Text
	// Release is that of the cluster, from its nodes, and Ours that of the scheduler here; "": not known.
	Release, Ours string

	// follows: things happen as they did in the cluster, so each cycle is beside the next statement. Else all statements
	// were made before, and the last one counts.
	follows bool

	said   map[string][]Said // by pod, in the order of the statements
	tells  bool              // some of it is beside a cycle: in a dump, a statement about a pod that waits
	nodes  map[string]bool   // that the input describes
	placed []time.Time       // when pods got the nodes they are on
	came   []time.Time       // when nodes came
	taints []time.Time       // when taints came, as far as they have a time
}

// NewRecords reads the conditions of the pods of a script. recorded reports whether the script is played as it
// happened; else all of it is there from the start.
func NewRecords(script source.Script, recorded bool) *Records {
	r := &Records{follows: recorded, said: map[string][]Said{}, nodes: map[string]bool{}}
	for _, t := range script {
		if t.Event.Action == cluster.Delete {
			continue
		}
		switch o := t.Event.Object.(type) {
		case *corev1.Pod:
			r.pod(t.At, o)
		case *corev1.Node:
			r.nodes[o.Name] = true
			r.came = append(r.came, o.CreationTimestamp.Time)
			for _, taint := range o.Spec.Taints {
				if taint.TimeAdded != nil {
					r.taints = append(r.taints, taint.TimeAdded.Time)
				}
			}
		}
	}
	return r
}

// pod reads the condition of a version of a pod. A script has a pod again each time something else of it changes.
func (r *Records) pod(at time.Time, p *corev1.Pod) {
	s := Said{Pod: cluster.Key(p), At: at, What: Host, Text: p.Spec.NodeName}
	c := scheduledCondition(p)
	if c != nil && !c.LastTransitionTime.IsZero() && !r.follows {
		s.At = c.LastTransitionTime.Time
	}
	if s.Text == "" {
		s.What = Message
		if s.Text = unschedulable(p); s.Text == "" && c != nil && c.Reason == corev1.PodReasonSchedulerError {
			s.Text = c.Message
		}
		if s.Text == "" {
			return
		}
	} else if c != nil {
		r.placed = append(r.placed, c.LastTransitionTime.Time)
	}
	said := r.said[s.Pod]
	if n := len(said); n == 0 || said[n-1].What != s.What || said[n-1].Text != s.Text {
		r.said[s.Pod] = append(said, s)
		r.tells = r.tells || r.follows || s.What == Message
	}
}

// Add takes an event of the cluster. For a pod with a condition, an event adds the name of the scheduler, and its text
// counts only when it is newer.
func (r *Records) Add(s Said) {
	said := r.said[s.Pod]
	i, _ := slices.BinarySearchFunc(said, s.At, func(a Said, at time.Time) int { return a.At.Compare(at) })
	for k := range said {
		if said[k].What == s.What && said[k].Text == s.Text {
			said[k].By = s.By
			return
		}
	}
	if len(said) > 0 && said[len(said)-1].What == Host {
		return // it has a node: why it had none before is history
	}
	r.said[s.Pod] = slices.Insert(said, i, s)
	r.tells = true
}

// Tell reports whether there is anything that a cycle may be compared with.
func (r *Records) Tell() bool { return r.tells }

// of is the statement about a pod, for a cycle at a moment.
func (r *Records) of(pod string, at time.Time) (Said, bool) {
	said := r.said[pod]
	if len(said) == 0 {
		return Said{}, false
	}
	if !r.follows {
		return said[len(said)-1], true
	}
	i := slices.IndexFunc(said, func(s Said) bool { return !s.At.Before(at) })
	if i < 0 {
		return Said{}, false
	}
	return said[i], true
}

// Compare puts the result of a pod's try beside the statement of the cluster's scheduler about the pod; false when
// there is none, or the try is not over.
func (r *Records) Compare(t *trace.Try) (Decision, bool) {
	if r == nil || t == nil || t.Ended == nil || t.Ended.Outcome == trace.SkippedScheduling {
		return Decision{}, false
	}
	said, is := r.of(t.Entity.Key(), t.Time)
	if !is {
		return Decision{}, false
	}
	a := answer{try: t}
	if t.Scores != nil {
		a.enough = len(t.Scores.Index) // the cycle itself looked at no more
	}
	if d, stands := r.stands(a, said); stands {
		return d, true
	}
	d := a.judge(Decision{Pod: said.Pod, At: said.At, What: said.What, Theirs: said.Text})
	if d.Verdict == Different {
		if v, why := r.cause(said, t.Ended); why != "" {
			d.Verdict, d.Why = v, why
		}
	}
	return d, true
}

// bindTime is how long after its decision a bind is seen at most, as a rule.
const bindTime = 10 * time.Second

// stands compares an attempt with what was reported before it: kube-scheduler writes the condition of a pod only where
// it changes, so that a later attempt in vain leaves no trace, and what comes next is of another attempt.
func (r *Records) stands(a answer, next Said) (d Decision, is bool) {
	at := a.try.Time
	if !r.follows || next.What != Host || next.At.Sub(at) <= bindTime {
		return Decision{}, false
	}
	said := r.said[next.Pod]
	i := slices.IndexFunc(said, func(s Said) bool { return !s.At.Before(at) })
	if i < 1 || said[i-1].What != Message {
		return Decision{}, false
	}
	d = a.judge(Decision{Pod: next.Pod, At: said[i-1].At, What: Message, Theirs: said[i-1].Text})
	return d, d.Verdict == Agreed
}
