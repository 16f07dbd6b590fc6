package host

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// making is a PodGroupPostFilter under way, which makes room for a group: the plugin takes pods from the snapshot, has
// the group tried without them, and puts pods back.
type making struct {
	before *view    // the snapshot before its mutations; nil: there are none
	gone   []string // keys of the pods that were removed, in order
	added  []string // keys of the pods that were added and not removed before
	ask    framework.GroupPostFilterAsk
	trial  framework.Trial                  // the last one; nil: none yet, or the call is repeated
	tried  map[string]framework.TrialMember // of the last trial, by UID
}

var errFixed = errors.New("the snapshot of a hosted plugin can be changed in PodGroupPostFilter alone")

// StartMutations puts copies of all nodes in the place of the snapshot's.
func (l *lister) StartMutations() error {
	m := l.of.making
	switch {
	case m == nil:
		return errFixed
	case m.before != nil:
		return errors.New("cannot stack mutations")
	}
	before := l.view
	nodes := make([]fwk.NodeInfo, len(before.nodes))
	for k, n := range before.nodes {
		nodes[k] = n.Snapshot()
	}
	m.before, m.gone, m.added = &before, nil, nil
	l.show(nodes)
	return nil
}

// EndMutations puts the snapshot back.
func (l *lister) EndMutations() error {
	m := l.of.making
	if m == nil || m.before == nil {
		return errors.New("no mutation session started")
	}
	l.view, m.before = *m.before, nil
	return nil
}

// AddPod puts a pod on a node of the snapshot.
func (l *lister) AddPod(pod fwk.PodInfo, node string) error {
	m := l.of.making
	if m == nil || m.before == nil {
		return errors.New("AddPod() called outside of mutation session")
	}
	info, known := l.byName[node]
	if !known {
		return fmt.Errorf("node %q not found in the snapshot", node)
	}
	info.AddPodInfo(pod)
	key := cluster.Key(pod.GetPod())
	if k := slices.Index(m.gone, key); k >= 0 {
		m.gone = slices.Delete(m.gone, k, k+1)
		l.follow(key, framework.Trial.PutBack)
	} else {
		m.added = append(m.added, key)
	}
	return nil
}

// RemovePod takes a pod from a node of the snapshot.
func (l *lister) RemovePod(logger klog.Logger, pod *corev1.Pod, node string) error {
	m := l.of.making
	if m == nil || m.before == nil {
		return errors.New("RemovePod() called outside of mutation session")
	}
	info, known := l.byName[node]
	if !known {
		return fmt.Errorf("node %q not found in the snapshot", node)
	}
	if err := info.RemovePod(logger, pod); err != nil {
		return err
	}
	key := cluster.Key(pod)
	if k := slices.Index(m.added, key); k >= 0 {
		m.added = slices.Delete(m.added, k, k+1)
	} else {
		m.gone = append(m.gone, key)
		l.follow(key, framework.Trial.TakeOff)
	}
	return nil
}

// follow has the last trial take part in a mutation: plugins that are not hosted look at its State.
func (l *lister) follow(key string, move func(framework.Trial, *cluster.Pod)) {
	heard(l.of, "moved", func() bool {
		trial := l.of.making.trial
		if trial == nil {
			return false
		}
		for _, p := range l.of.podsOf([]string{key}) {
			move(trial, p)
		}
		return true
	})
}

// podsOf are pods of the State. It is called while a query of the scheduler is under way.
func (i *instance) podsOf(keys []string) []*cluster.Pod { return podsIn(i.groups.around.State(), keys) }

// tried is the result of a trial.
type tried struct {
	Verdict trace.Verdict
	Members []placedMember
}

type placedMember struct {
	Pod  *corev1.Pod
	UID  string
	Node string
}

// try has the group tried without the pods that were removed from the snapshot.
func (i *instance) try() (*fwk.PodGroupAssignments, *fwk.Status) {
	m := i.making
	if m == nil || len(m.added) > 0 {
		what := "PodGroupSchedulingFunc with pods added"
		i.notes.add(i.guestName(), "", "it called "+what+" of its Handle, which a hosted plugin does not have")
		return nil, fwk.NewStatus(fwk.Error, "schedstep does not answer "+what)
	}
	got := inside(i, func() tried {
		m.trial = m.ask.Trial(i.podsOf(m.gone))
		m.tried = map[string]framework.TrialMember{}
		answer := tried{Verdict: m.trial.Verdict()}
		for _, member := range m.trial.Members() {
			uid := member.Pod.UID()
			m.tried[uid] = member
			i.state(uid, 0).Write(oursKey, &ours{member.Checks})
			answer.Members = append(answer.Members, placedMember{identified(member.Pod.API), uid, member.Node})
		}
		return answer
	})
	assigned := &fwk.PodGroupAssignments{}
	for _, member := range got.Members {
		assigned.ProposedAssignments = append(assigned.ProposedAssignments,
			assignment{podInfo(member.Pod), member.Node, i.state(member.UID, 0)})
	}
	return assigned, statusOf(got.Verdict)
}

// reserving calls a member's Reserve plugins, on the copy of the last trial.
func (i *instance) reserving(pod *corev1.Pod) *fwk.Status {
	return statusOf(inside(i, func() trace.Verdict {
		if member, is := i.making.tried[cluster.UID(pod)]; is {
			return member.Reserve()
		}
		return trace.Verdict{}
	}))
}

// unreserving undoes reserving.
func (i *instance) unreserving(pod *corev1.Pod) {
	inside(i, func() bool {
		member, is := i.making.tried[cluster.UID(pod)]
		if is {
			member.Unreserve()
		}
		return is
	})
}
