package host

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
)

// compared is the type that an author of a plugin writes for what it compared.
type compared = struct {
	What                       string
	Want, Have, Used, Capacity any
	By                         []string
}

// telling is a plugin that returns its evidence: what it compared.
type telling struct{}

func (telling) Name() string { return "Telling" }

func (telling) Filter(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	if node.Node().Name == "n1" {
		return fwk.NewStatus(fwk.Unschedulable, "not here")
	}
	return nil
}

func (telling) FilterEvidence(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) []compared {
	return []compared{
		{What: "cpu", Want: quantity.MustParse("2"), Have: quantity.MustParse("500m"), By: []string{"default/a"}},
		{What: "cache", Want: quantity.MustParse("2Gi"), Have: nil, Used: 3, Capacity: "much"},
	}
}

func (telling) Score(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	return int64(len(node.Node().Name)), nil
}

func (telling) ScoreExtensions() fwk.ScoreExtensions { return nil }

func (telling) ScoreEvidence(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node fwk.NodeInfo) []compared {
	return []compared{{What: "letters", Have: len(node.Node().Name)}}
}

// TestEvidenceOfAPluginIsTyped: what a plugin compared stands beside its verdict, with units and what is short.
func TestEvidenceOfAPluginIsTyped(t *testing.T) {
	tell := Plugin("Telling", func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
		return telling{}, nil
	})
	script := oddScript(1)
	n3 := script[0]
	node := n3.Event.Object.DeepCopyObject().(*corev1.Node) //nolint:forcetypeassert // the script begins with nodes
	node.Name, n3.Event.Object = "n3", node
	scheduler := oddScheduler(t, tell)
	scheduler.Keep(trace.Reasoned)
	p := play.NewPlayer(scheduler, play.NewSimulated(), slices.Insert(script, 2, n3).Log())
	var found *trace.Cycle
	for found == nil {
		step, more := p.Step()
		if !more {
			t.Fatal("no cycle")
		}
		if c, is := trace.Fold(step.Facts); is && step.Kind == play.Tried {
			found = c
		}
	}
	document, err := new(trace.Printer).Print(found)
	if err != nil {
		t.Fatal(err)
	}
	n1 := slices.IndexFunc(document.Nodes, func(n trace.NodeDocument) bool { return n.Name == "n1" })
	var evidence []trace.EvidenceDocument
	for _, f := range document.Nodes[n1].Filters {
		if f.Plugin == "Telling" {
			evidence = f.Evidence
		}
	}
	want := []trace.EvidenceDocument{
		{What: "cpu", Want: "2", Have: "500m", By: []string{"default/a"}},
		{What: "cache", Want: "2Gi", Used: "3", Capacity: "much"},
	}
	if len(evidence) != 2 || !sameAnswer(evidence, want) {
		t.Errorf("got %+v", evidence)
	}
	scored := 0
	for _, n := range document.Nodes {
		for _, score := range n.Scores {
			want := []trace.EvidenceDocument{{What: "letters", Have: strconv.Itoa(len(n.Name))}}
			if score.Plugin == "Telling" {
				if scored++; !sameAnswer(score.Evidence, want) {
					t.Errorf("its score of %s rests on %+v", n.Name, score.Evidence)
				}
			}
		}
	}
	if scored < 2 {
		t.Errorf("it scored %d nodes", scored)
	}
	short, is := evidenceOf(telling{}.FilterEvidence(t.Context(), nil, nil, nil))[0].Short()
	if n, _ := short.Number(); !is || n != 1500 {
		t.Errorf("short are %v", short)
	}
}

// following is a plugin that reads custom resources: one by an informer, one by name in Filter, and one whose events it
// waits for.
type following struct {
	client dynamic.Interface
}

func (following) Name() string { return "Following" }

func (following) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: "limits.v1.example.com", ActionType: fwk.Add}},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
	}, nil
}

func (f following) Filter(ctx context.Context, _ fwk.CycleState, _ *corev1.Pod, _ fwk.NodeInfo) *fwk.Status {
	late := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "latecomers"}
	_, _ = f.client.Resource(late).List(ctx, metav1.ListOptions{})
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	_, _ = f.client.Resource(pods).List(ctx, metav1.ListOptions{})
	return nil
}

// TestCustomResourcesThatAPluginReadsAreKnown: those that it names while it is made, and in a note those that it reads
// only later.
func TestCustomResourcesThatAPluginReadsAreKnown(t *testing.T) {
	p := Plugin("Following", func(ctx context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		client, err := dynamic.NewForConfig(h.KubeConfig())
		if err != nil {
			return nil, err
		}
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		factory.ForResource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "quotas"}).Informer()
		factory.Start(ctx.Done())
		return following{client}, nil
	})
	want := []string{"limits.v1.example.com", "quotas.v1.example.com"}
	if got := config.Reads([]config.Plugin{p}); !slices.Equal(got, want) {
		t.Errorf("it reads %q, want %q", got, want)
	}
	s := oddScheduler(t, p)
	player := play.NewPlayer(s, play.NewSimulated(), oddScript(1).Log())
	facts(player)
	notes := strings.Join(player.Scheduler().GuestNotes(), "\n")
	if !strings.Contains(notes, "Following: it reads latecomers.v1.example.com, of which there is none here") ||
		strings.Contains(notes, "pods") || strings.Contains(notes, "quotas") {
		t.Errorf("the notes are %q", notes)
	}
}
