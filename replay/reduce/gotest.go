package reduce

import (
	"bytes"
	"cmp"
	"go/format"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay"
)

// want is what a Go test does with a pod, and what has to become of it.
type want struct {
	Manifest string
	Together bool // the next pod is created before this one is waited for
	Open     bool // it is not waited for: it was never tried here, or it waits at Permit
	Placed   bool
	Node     string // that it is placed on; "": any
	Says     string // part of the condition of a pod without a node; "": any

	turn int
}

// wantOf is how a pod ended. Where several nodes would have done, the node is left open: kube-scheduler takes any of
// the best.
func wantOf(pod *corev1.Pod, end End, manifest string) want {
	w := want{Manifest: manifest, turn: cmp.Or(end.Turn, math.MaxInt), Together: pod.Spec.SchedulingGroup != nil}
	switch end.Outcome {
	case trace.Scheduled:
		w.Placed = true
		if end.Feasible == 1 {
			w.Node = end.Node
		}
	case trace.NotSchedulable, trace.SchedulerError, trace.Preempting:
		w.Says = end.Message
	default:
		w.Open = true
	}
	return w
}

// GoTest writes a Go test for pkg/scheduler of kubernetes/kubernetes: the whole scheduler over a fake client, which
// gets the objects first, and then one pod after the other in the order in which they were tried here, and what has to
// become of each. It has no time and no updates.
func GoTest(h Heading, script replay.Script, ends map[string]End) ([]byte, error) {
	data := struct {
		Heading
		Objects []string
		Pods    []want
		Set     []gate
	}{Heading: h, Set: gatesOf(h.Gates)}
	for i, t := range script {
		if !isThere(script, i) {
			return nil, phrase.Errorf("event %d of %d is no object that is there from the beginning: a Go test has no time", i+1,
				len(script))
		}
		text, err := document(t.Event)
		if err != nil {
			return nil, err
		}
		pod, is := t.Event.Object.(*corev1.Pod)
		if !is || pod.Spec.NodeName != "" {
			data.Objects = append(data.Objects, text)
			continue
		}
		data.Pods = append(data.Pods, wantOf(pod, ends[cluster.Key(pod)], text))
	}
	slices.SortStableFunc(data.Pods, func(a, b want) int { return cmp.Compare(a.turn, b.turn) })
	for i := range data.Pods { // the last of those in a row ends the row
		if i+1 == len(data.Pods) || !data.Pods[i+1].Together {
			data.Pods[i].Together = false
		}
	}
	var b bytes.Buffer
	if err := goTest.Execute(&b, data); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// isThere reports whether an event is about an object that is there from the beginning.
func isThere(script replay.Script, i int) bool {
	t := script[i]
	return t.Event.Object != nil && t.Event.Action == cluster.Add && t.At.Equal(script[0].At)
}

// gate is a feature gate as a Go test sets it.
type gate struct {
	Name string
	On   bool
}

func gatesOf(text string) []gate {
	var all []gate
	for _, setting := range strings.Split(text, ",") {
		if name, on, is := strings.Cut(setting, "="); is {
			all = append(all, gate{name, on == "true"})
		}
	}
	return all
}

var goTest = template.Must(template.New("test").Funcs(template.FuncMap{
	"quote": func(text string) string {
		if strings.Contains(text, "`") {
			return strconv.Quote(text)
		}
		return "`" + strings.TrimSuffix(text, "\n") + "`"
	}, "line": oneLine,
}).Parse(goTestText))

const goTestText = `// {{line .Shows}}
// For kubernetes/kubernetes{{with .Release}} {{.}}{{end}}: go test ./pkg/scheduler -run TestReduced
package scheduler_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	{{- if .Set}}
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	{{- end}}
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	{{- if .Set}}
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	{{- end}}
	"k8s.io/kubernetes/pkg/scheduler"
	{{- if .Config}}
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	{{- end}}
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

func TestReduced(t *testing.T) {
	{{- range .Set}}
	featuregatetesting.SetFeatureGateDuringTest(
		t, utilfeature.DefaultFeatureGate, featuregate.Feature({{quote .Name}}), {{.On}},
	)
	{{- end}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	read := func(manifest string) runtime.Object {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(manifest), nil, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, manifest)
		}
		if o := object.(metav1.Object); o.GetUID() == "" {
			o.SetUID(types.UID(o.GetNamespace() + "/" + o.GetName()))
		}
		if pod, is := object.(*v1.Pod); is && pod.Spec.SchedulerName == "" {
			pod.Spec.SchedulerName = v1.DefaultSchedulerName
		}
		return object
	}
	var objects []runtime.Object
	for _, manifest := range []string{
		{{- range .Objects}}
		{{quote .}},
		{{- end}}
	} {
		objects = append(objects, read(manifest))
	}
	client := fake.NewSimpleClientset(objects...)
	var lock sync.Mutex
	bound := map[string]string{} // nodes, by namespace/name
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		pods := v1.SchemeGroupVersion.WithResource("pods")
		object, err := client.Tracker().Get(pods, binding.Namespace, binding.Name)
		if err != nil {
			return true, nil, err
		}
		pod := object.(*v1.Pod).DeepCopy()
		pod.Spec.NodeName = binding.Target.Name
		if err := client.Tracker().Update(pods, pod, pod.Namespace); err != nil {
			return true, nil, err
		}
		lock.Lock()
		defer lock.Unlock()
		bound[binding.Namespace+"/"+binding.Name] = binding.Target.Name
		return true, binding, nil
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer broadcaster.Shutdown()
	{{- if .Config}}
	decoded, err := runtime.Decode(configscheme.Codecs.UniversalDecoder(), []byte({{quote (printf "%s" .Config)}}))
	if err != nil {
		t.Fatal(err)
	}
	configuration := decoded.(*schedulerapi.KubeSchedulerConfiguration)
	{{- end}}
	sched, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster)
	{{- if .Config}},
		scheduler.WithProfiles(configuration.Profiles...),
		scheduler.WithPercentageOfNodesToScore(configuration.PercentageOfNodesToScore),
		scheduler.WithPodInitialBackoffSeconds(configuration.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(configuration.PodMaxBackoffSeconds),
	{{end}})
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	go sched.Run(ctx)

	type step struct {
		manifest string
		together bool   // the next pod is created before this one is waited for
		open     bool   // it is not waited for
		placed   bool
		node     string // on which it has to be placed; "": any
		says     string // part of the condition of a pod that is not placed
	}
	// check waits until a pod is bound or, where it is not to be placed, refused.
	check := func(pod *v1.Pod, c step) {
		node, says := "", ""
		err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 30*time.Second, true,
			func(ctx context.Context) (bool, error) {
				lock.Lock()
				node = bound[pod.Namespace+"/"+pod.Name]
				lock.Unlock()
				if node != "" {
					return true, nil
				}
				now, err := client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
				if err != nil {
					return false, err
				}
				refused := false
				for _, condition := range now.Status.Conditions {
					if condition.Type == v1.PodScheduled && condition.Status == v1.ConditionFalse {
						says, refused = condition.Message, true
					}
				}
				return refused && !c.placed, nil
			})
		switch {
		case c.placed != (node != ""):
			t.Errorf("pod %s: placed is %t, want %t (%s)", pod.Name, node != "", c.placed, says)
		case err != nil:
			t.Errorf("pod %s is neither bound nor refused: %v", pod.Name, err)
		case c.node != "" && node != c.node:
			t.Errorf("pod %s is on %s, want %s", pod.Name, node, c.node)
		case !c.placed && !strings.Contains(says, c.says):
			t.Errorf("pod %s: %q, want %q in it", pod.Name, says, c.says)
		}
	}
	var waiting []func()
	for _, c := range []step{
		{{- range .Pods}}
		{
			manifest: {{quote .Manifest}},
			{{- if .Together}}
			together: true,
			{{- end}}
			{{- if .Open}}
			open: true,
			{{- end}}
			{{- if .Placed}}
			placed: true,
			{{- end}}
			{{- with .Node}}
			node: {{quote .}},
			{{- end}}
			{{- with .Says}}
			says: {{quote .}},
			{{- end}}
		},
		{{- end}}
	} {
		pod := read(c.manifest).(*v1.Pod)
		if _, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if !c.open {
			waiting = append(waiting, func() { check(pod, c) })
		}
		if c.together {
			continue
		}
		for _, wait := range waiting {
			wait()
		}
		waiting = nil
	}
}
`
