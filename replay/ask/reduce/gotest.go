package reduce

import (
	"bytes"
	"cmp"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"text/template"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// want is a step of a Go test: it creates a pod, and checks what became of it, or it changes another object.
type want struct {
	Do       string // create, update or delete
	Manifest string
	Together bool // the next pod is created before this one is waited for
	Open     bool // it is not waited for: it was never tried here, it waits at Permit, or it is no pod to place
	Placed   bool
	Node     string // that it is placed on; "": any
	Says     string // part of the condition of a pod without a node; "": any
	Gone     bool   // it is deleted in the end

	turn int // 0: it was never tried, so that it was there before any other was
	id   source.ObjectID
}

// wantOf is how a pod ended. Where several nodes were as good, the node is left open: kube-scheduler takes any of
// the best.
func wantOf(pod *corev1.Pod, end End, manifest string) want {
	w := want{
		Do: "create", Manifest: manifest, turn: end.Turn, Together: pod.Spec.SchedulingGroup != nil,
	}
	switch end.Outcome {
	case trace.Scheduled:
		w.Placed = true
		if end.Sure {
			w.Node = end.Node
		}
	case trace.NotSchedulable, trace.SchedulerError, trace.Preempting:
		w.Says = end.Message
	default:
		w.Open = true
	}
	return w
}

var deeds = map[cluster.Action]string{cluster.Add: "create", cluster.Update: "update", cluster.Delete: "delete"}

// GoTest writes a Go test for pkg/scheduler of kubernetes/kubernetes: the whole scheduler over a fake client. The
// client gets the objects that are there from the beginning, then the pods that were never tried here, then one pod
// after the other in the order in which they were tried, then what comes later. The next one comes once those before
// were tried; at the end each pod must have the same result as here. How much time passes is left out.
func GoTest(h Heading, script source.Script, ends map[string]End) ([]byte, error) {
	data := struct {
		Heading
		Objects []string
		Steps   []want
		Set     []gate
		Settles bool // pods that stay without a node could have been tried again
	}{Heading: h, Set: gatesOf(h.Gates)}
	var later []want
	gone := map[source.ObjectID]bool{}
	for i, t := range script {
		if t.Event.Object == nil {
			return nil, phrase.Errorf("event %d is about what the world holds back, which a Go test is not written with", i+1)
		}
		o, err := members(t.Event)
		if err != nil {
			return nil, err
		}
		gone[source.IDOf(t.Event.Object)] = t.Event.Action == cluster.Delete
		w, toPlace := stepOf(t.Event, ends, inLines(o))
		switch {
		case !isThere(script, i):
			w.Together = false
			later = append(later, w)
		case toPlace:
			data.Steps = append(data.Steps, w)
		default:
			data.Objects = append(data.Objects, w.Manifest)
		}
	}
	slices.SortStableFunc(data.Steps, func(a, b want) int { return cmp.Compare(a.turn, b.turn) })
	for i := range data.Steps { // the last of those in a row ends the row
		if i+1 == len(data.Steps) || !data.Steps[i+1].Together {
			data.Steps[i].Together = false
		}
	}
	data.Steps = append(data.Steps, later...)
	for i := range data.Steps {
		w := &data.Steps[i]
		w.Gone = w.Do == "create" && gone[w.id]
		data.Settles = data.Settles || !w.Open && !w.Placed && i+1 < len(data.Steps)
	}
	var b bytes.Buffer
	if err := goTest.Execute(&b, data); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// stepOf is what a Go test does for an event, and whether that is to create a pod that wants a node.
func stepOf(e cluster.Event, ends map[string]End, manifest string) (w want, toPlace bool) {
	pod, is := e.Object.(*corev1.Pod)
	if is && e.Action == cluster.Add && pod.Spec.NodeName == "" {
		w = wantOf(pod, ends[cluster.Key(pod)], manifest)
		w.id = source.IDOf(pod)
		return w, true
	}
	return want{Do: deeds[e.Action], Manifest: manifest, Open: true}, false
}

// isThere reports whether an event is about an object that is there from the beginning.
func isThere(script source.Script, i int) bool {
	t := script[i]
	return t.Event.Object != nil && t.Event.Action == cluster.Add && t.At.Equal(script[0].At)
}

// areThere reports whether all events are about objects that are there from the beginning.
func areThere(script source.Script) bool {
	for i := range script {
		if !isThere(script, i) {
			return false
		}
	}
	return true
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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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
	version := 0
	read := func(manifest string) runtime.Object {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(manifest), nil, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, manifest)
		}
		if o := object.(metav1.Object); o.GetUID() == "" {
			o.SetUID(types.UID(o.GetNamespace() + "/" + o.GetName()))
		}
		version++
		object.(metav1.Object).SetResourceVersion(strconv.Itoa(version))
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
	{{- with .Percentage}}
	percentage := int32({{.}})
	{{- end}}
	sched, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster)
	{{- if or .Config .Percentage}},
		{{- if .Config}}
		scheduler.WithProfiles(configuration.Profiles...),
		scheduler.WithPodInitialBackoffSeconds(configuration.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(configuration.PodMaxBackoffSeconds),
		{{- end}}
		{{- if .Percentage}}
		scheduler.WithPercentageOfNodesToScore(&percentage),
		{{- else}}
		scheduler.WithPercentageOfNodesToScore(configuration.PercentageOfNodesToScore),
		{{- end}}
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
		do       string // create, update or delete
		manifest string
		together bool   // the next pod is created before this one is waited for
		open     bool   // it is not waited for
		gone     bool   // it is deleted in the end
		placed   bool
		node     string // on which it has to be placed; "": any
		says     string // part of the condition of a pod that is not placed
	}
	// tried waits until a pod is bound or, where that is enough, refused.
	tried := func(pod *v1.Pod, refusedIsEnough bool) (node, says string, err error) {
		err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 15*time.Second, true,
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
				return refused && refusedIsEnough, nil
			})
		return node, says, err
	}
	// check finds out what became of a pod.
	check := func(pod *v1.Pod, c step) {
		node, says, err := tried(pod, !c.placed)
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
	// change creates, updates or deletes an object.
	change := func(object runtime.Object, do string) error {
		resource, _ := meta.UnsafeGuessKindToResource(object.GetObjectKind().GroupVersionKind())
		o := object.(metav1.Object)
		switch do {
		case "create":
			return client.Tracker().Create(resource, object, o.GetNamespace())
		case "delete":
			return client.Tracker().Delete(resource, o.GetNamespace(), o.GetName())
		}
		if pod, is := object.(*v1.Pod); is && pod.Spec.NodeName == "" {
			lock.Lock()
			pod.Spec.NodeName = bound[pod.Namespace+"/"+pod.Name]
			lock.Unlock()
		}
		return client.Tracker().Update(resource, object, o.GetNamespace())
	}
	var untried []*v1.Pod
	var checks []func()
	for _, c := range []step{
		{{- range .Steps}}
		{
			do: "{{.Do}}",
			manifest: {{quote .Manifest}},
			{{- if .Together}}
			together: true,
			{{- end}}
			{{- if .Open}}
			open: true,
			{{- end}}
			{{- if .Gone}}
			gone: true,
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
		object := read(c.manifest)
		if err := change(object, c.do); err != nil {
			t.Fatal(err)
		}
		if pod, is := object.(*v1.Pod); is && !c.open {
			untried = append(untried, pod)
			if !c.gone {
				checks = append(checks, func() { check(pod, c) })
			}
		}
		if c.together {
			continue
		}
		for _, pod := range untried {
			if _, _, err := tried(pod, true); err != nil {
				t.Errorf("pod %s is neither bound nor refused: %v", pod.Name, err)
			}
		}
		untried = nil
	}
	{{- if .Settles}}
	time.Sleep(3 * time.Second) // a pod that was refused may be tried again after its backoff
	{{- end}}
	for _, check := range checks {
		check()
	}
}
`
