//go:build upstream

package upstream_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	kube "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/schedstep/schedstep/conformance/fakeapi"
	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/real"
	"github.com/schedstep/schedstep/conformance/oracle"
)

func TestMain(m *testing.M) {
	real.Prepare()
	os.Exit(m.Run())
}

// findings plays a history.
func findings(t *testing.T, h hunt.History) []hunt.Finding {
	t.Helper()
	return hunt.Play(t, h, real.New(nil), hunt.Options{}).Findings
}

func history(t *testing.T, page string) hunt.History {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("testdata", page+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := hunt.Read(document)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A pod runs, and is deleted and made anew under its name while the watch of pods is broken off. The scheduler goes on.
func TestUpstream0004(t *testing.T) {
	for _, f := range findings(t, history(t, "0004")) {
		t.Errorf("%s, want it to go on", f)
	}
}

// A preemptor is tried again before the scheduler has heard that its victim is gone, and evicts it once more. That it
// is gone is heard while the second eviction is under way, at one of the moments that are tried.
func TestUpstream0005(t *testing.T) {
	for late := 870; late < 970; late += 2 {
		h := hunt.History{Chapters: [][]hunt.Act{{
			{Node: node("n1", "4Gi")},
			{After: time.Second, Pod: pod("victim", 0)},
			{After: 5 * time.Second, Pod: pod("important", 10)},
			{After: 5030 * time.Millisecond, Mishap: &hunt.Mishap{
				What: hunt.Late, Kind: "Pod", For: time.Duration(late) * time.Millisecond,
			}},
			{After: 5900 * time.Millisecond, Node: node("n1", "8Gi")}, // wakes the preemptor
		}}}
		for _, f := range findings(t, h) {
			if f.Invariant == hunt.Woken {
				t.Fatalf("%s, want it to be placed", f)
			}
		}
	}
}

func node(name, memory string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse(memory),
			corev1.ResourcePods: resource.MustParse("10"),
		},
	}}
}

// pod takes all the CPUs of a node and most of its memory, and goes at once when it is deleted.
func pod(name string, priority int32) *corev1.Pod {
	none := int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName, Priority: &priority, TerminationGracePeriodSeconds: &none,
			Containers: []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("3Gi"),
				},
			}}},
		},
	}
}

// A victim is assumed on its node and bound, and goes, all while the watch of pods is broken off. Its preemptor is
// woken when the pods are listed again.
func TestUpstream0010(t *testing.T) {
	for _, f := range findings(t, history(t, "0010")) {
		t.Errorf("%s, want it to be placed", f)
	}
}

// A pod waits in backoffQ, and an update comes that turns it into another of its name: its watch was broken off
// meanwhile. The queue has the new pod, and no other.
func TestUpstream0007(t *testing.T) {
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
	defer cancel()
	client := (&fakeapi.Writes{}).Client()
	factory := informers.NewSharedInformerFactory(client, 0)
	cluster := fakeapi.NewCluster(factory, oracle.Kinds(), oracle.InformerOf)
	recorder := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer recorder.Shutdown()
	s, err := kube.New(ctx, client, factory, nil, profile.NewRecorderFactory(recorder))
	if err != nil {
		t.Fatal(err)
	}
	former, latter := pod("web-0", 0), pod("web-0", 0)
	former.UID, former.ResourceVersion, latter.UID, latter.ResourceVersion = "1", "1", "2", "2"
	small, large := node("n1", "1Gi"), node("n1", "8Gi")
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	do(cluster.Appear(small))
	do(cluster.Appear(former))
	s.ScheduleOne(ctx)
	do(cluster.Change(small, large))
	q := s.SchedulingQueue.(*queue.PriorityQueue)
	if backoff := q.PodsInBackoffQ(); len(backoff) != 1 {
		t.Fatalf("in backoffQ: %v", backoff)
	}
	do(cluster.Change(former, latter))
	pending, summary := q.PendingPods()
	if len(pending) != 1 || pending[0].UID != latter.UID {
		t.Errorf("%d pods called web-0 wait (%s), want the new one alone", len(pending), summary)
	}
}

// A preemptor that host ports keep away needs two victims. The first has the port and goes while the eviction of the
// second is under way; the second has none.
func TestUpstream0008(t *testing.T) {
	for _, f := range findings(t, history(t, "0008")) {
		t.Errorf("%s, want it to be placed", f)
	}
}

// A pod is refused that was deleted and made anew under its name while it was tried. Nothing is evicted for the new
// one, which a node has room for.
func TestUpstream0011(t *testing.T) {
	for _, f := range findings(t, history(t, "0011")) {
		t.Errorf("%s, want it to stay", f)
	}
}
