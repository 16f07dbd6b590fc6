package manager_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/request"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// world is a cluster of a manifest in which controllers act.
type world struct {
	t      *testing.T
	player *play.Player
	of     *manager.Manager
	facts  []string
	least  map[string]int // the fewest Ready pods with a label app, by its value
	most   map[string]int // the most pods that are not being deleted
}

const shop = `apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "16", memory: 8Gi, pods: "50"}, capacity: {cpu: "16", memory: 8Gi, pods: "50"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "16", memory: 8Gi, pods: "50"}, capacity: {cpu: "16", memory: 8Gi, pods: "50"}}
---
`

func workload(kind, name string, replicas int, more string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: %s
metadata: {name: %[2]s, namespace: shop}
spec:
  replicas: %d
  selector: {matchLabels: {app: %[2]s}}
%[4]s  template:
    metadata: {labels: {app: %[2]s}}
    spec: {terminationGracePeriodSeconds: 5, containers: [{name: main, image: web:1, resources: {requests: {cpu: "1"}}}]}
---
`, kind, name, replicas, more)
}

func begin(t *testing.T, manifest string) *world {
	t.Helper()
	return beginUnder(t, manifest, config.Default())
}

func beginUnder(t *testing.T, manifest string, c *config.Config) *world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := input.Read(t.Context(), []string{path}, input.Options{Templates: templates.Options{Controllers: true}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, player: in.Play(c, 0, trace.Reported)}
	w.least, w.most = map[string]int{}, map[string]int{}
	for {
		if _, ok := w.player.Step(); !ok {
			break
		}
	}
	w.player.CutLog()
	w.of = manager.New(manager.DefaultTiming(), in.Workloads, w.player.Scheduler().State())
	w.player.Manage(w.of)
	w.settle()
	w.facts, w.least, w.most = nil, map[string]int{}, map[string]int{}
	return w
}

func (w *world) settle() {
	for n := 0; ; n++ {
		step, ok := w.player.Step()
		if !ok {
			return
		}
		if n > 100_000 {
			w.t.Fatal("the cluster does not come to rest")
		}
		for _, f := range step.Facts {
			if a, is := f.(trace.Acted); is {
				w.facts = append(w.facts, a.String())
			}
		}
		w.count()
	}
}

// count keeps how few pods were Ready, and how many there were.
func (w *world) count() {
	ready, there := map[string]int{}, map[string]int{}
	w.player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
		app := p.API.Labels["app"]
		if p.API.DeletionTimestamp == nil {
			there[app]++
			if request.IsReady(p.API) {
				ready[app]++
			}
		}
		return true
	})
	for app, n := range there {
		w.most[app] = max(w.most[app], n)
	}
	for _, app := range []string{"web", "db", "agent"} {
		if least, known := w.least[app]; !known || ready[app] < least {
			w.least[app] = ready[app]
		}
	}
}

func (w *world) images(app string) string {
	n := map[string]int{}
	w.player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
		if p.API.Labels["app"] == app && request.IsReady(p.API) {
			n[p.API.Spec.Containers[0].Image]++
		}
		return true
	})
	return fmt.Sprint(n)
}

// update carries out a request as an API server does.
func (w *world) update(q request.Request) {
	w.t.Helper()
	events, err := q.Do(manager.ObjectsOf(w.player), w.player.Scheduler().Now())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range events {
		w.player.Deliver(e)
	}
	w.settle()
}

const image = "/spec/template/spec/containers/0/image"

func (w *world) rollOut(kind cluster.Kind, name string) {
	w.update(request.Patch(request.Object{Kind: kind, Namespace: "shop", Name: name}, request.Operation{
		Op: "replace", Path: image, Value: "web:2",
	}))
}

func TestARolloutKeepsToItsStrategy(t *testing.T) {
	for _, test := range []struct {
		name, kind, more string
		least, most      int
	}{
		{"by default a quarter more and a quarter less", "Deployment", "", 3, 5},
		{"with surge alone", "Deployment", "  strategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 0}}\n", 4, 6},
		{"without surge", "Deployment", "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 2}}\n", 2, 4},
		{"all at once", "Deployment", "  strategy: {type: Recreate}\n", 0, 4},
		{"in order", "StatefulSet", "", 3, 4},
		{"two at once", "StatefulSet", "  podManagementPolicy: Parallel\n" +
			"  updateStrategy: {rollingUpdate: {maxUnavailable: 2}}\n", 2, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := begin(t, shop+workload(test.kind, "web", 4, test.more))
			w.rollOut(cluster.Kind(test.kind), "web")
			if got := w.images("web"); got != "map[web:2:4]" {
				t.Errorf("%s\n%s", got, strings.Join(w.facts, "\n"))
			}
			if w.least["web"] != test.least || w.most["web"] != test.most {
				t.Errorf("from %d Ready to %d pods, want %d and %d\n%s", w.least["web"], w.most["web"], test.least, test.most,
					strings.Join(w.facts, "\n"))
			}
		})
	}
}

func TestAPartitionKeepsTheLowerOrdinals(t *testing.T) {
	w := begin(t, shop+workload("StatefulSet", "db", 4, "  updateStrategy: {rollingUpdate: {partition: 3}}\n"))
	w.rollOut(cluster.KindStatefulSet, "db")
	if got := w.images("db"); got != "map[web:1:3 web:2:1]" {
		t.Errorf("%s\n%s", got, strings.Join(w.facts, "\n"))
	}
	w.update(request.Delete(request.Object{Kind: cluster.KindPod, Namespace: "shop", Name: "db-0"}))
	if got := w.images("db"); got != "map[web:1:3 web:2:1]" {
		t.Errorf("db-0 is made as it was: %s\n%s", got, strings.Join(w.facts, "\n"))
	}
}

func TestAReplacementComesWhenTheDeletionBeginsAndOfAStatefulSetWhenItEnds(t *testing.T) {
	for _, test := range []struct {
		kind, name string
		most       int
	}{{"Deployment", "web", 3}, {"StatefulSet", "db", 3}} {
		w := begin(t, shop+workload(test.kind, test.name, 3, ""))
		var one *corev1.Pod
		w.player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
			one = p.API
			return true
		})
		before := w.player.Scheduler().Now()
		w.update(request.Delete(request.Object{Kind: cluster.KindPod, Namespace: "shop", Name: one.Name}))
		took := w.player.Scheduler().Now().Sub(before)
		inOrder := test.kind == "StatefulSet"
		if inOrder != (took >= 15*time.Second) {
			t.Errorf("%s: whole after %s", test.kind, took)
		}
		if n := w.player.Scheduler().State().PodCount(); n != 3 {
			t.Errorf("%s: %d pods", test.kind, n)
		}
	}
}

func TestADaemonSetFollowsTheNodes(t *testing.T) {
	w := begin(t, shop+strings.Replace(workload("DaemonSet", "agent", 1, ""), "  replicas: 1\n", "", 1))
	node, _ := w.player.Scheduler().State().Node("n1")
	more := node.API.DeepCopy()
	more.Name, more.UID = "n3", "u3"
	w.player.Deliver(cluster.Event{Action: cluster.Add, Object: more})
	w.settle()
	if got := w.images("agent"); got != "map[web:1:3]" {
		t.Errorf("%s\n%s", got, strings.Join(w.facts, "\n"))
	}
	w.rollOut("DaemonSet", "agent")
	if got := w.images("agent"); got != "map[web:2:3]" || w.least["agent"] < 2 {
		t.Errorf("%s, %d Ready at least\n%s", got, w.least["agent"], strings.Join(w.facts, "\n"))
	}
}

func TestABudgetCountsReadyPodsOfTheScaleOfTheirOwners(t *testing.T) {
	budget := "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: shop}\n" +
		"spec: {%s, selector: {matchLabels: {app: web}}}\n"
	for _, test := range []struct {
		spec    string
		allowed int32
	}{
		{"minAvailable: 1", 3},
		{"minAvailable: 5", 0},
		{`minAvailable: "60%"`, 1},
		{"maxUnavailable: 1", 1},
		{`maxUnavailable: "30%"`, 2},
		{"maxUnavailable: 0", 0},
	} {
		w := begin(t, shop+workload("Deployment", "web", 4, "")+fmt.Sprintf(budget, test.spec))
		b, _ := w.player.Scheduler().State().Objects().DisruptionBudgets.Find("shop/web")
		if b.Status.DisruptionsAllowed != test.allowed {
			t.Errorf("%s: %+v, want %d allowed", test.spec, b.Status, test.allowed)
		}
	}
}

// TestPodsThatAreRefusedAreMadeMoreAndMoreSlowly has a scheduler that counts no resources, and a node that is full.
func TestPodsThatAreRefusedAreMadeMoreAndMoreSlowly(t *testing.T) {
	c, err := config.Load([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}
`), "config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := beginUnder(t, shop, c)
	w.player.Deliver(cluster.Event{Action: cluster.Add, Object: &appsv1.ReplicaSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{Name: "large", Namespace: "shop", UID: "large"},
		Spec: appsv1.ReplicaSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "large"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "large"}},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "main", Image: "web", Resources: corev1.ResourceRequirements{
						Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64")},
					},
				}}},
			},
		},
	}})
	begun, steps, made := w.player.Scheduler().Now(), 0, 0
	for w.player.Scheduler().Now().Before(begun.Add(24 * time.Hour)) {
		step, ok := w.player.Step()
		if steps++; !ok || steps > 2_000 {
			t.Fatalf("after %d steps it is %s", steps, step.At.Sub(begun))
		}
		if _, is := step.Event.Object.(*corev1.Pod); is && step.Event.Action == cluster.Add {
			made++
		}
	}
	if made < 20 || made > 100 {
		t.Errorf("%d pods were made in a day", made)
	}
	w.comesAtOnce("large")
}

// comesAtOnce has a ReplicaSet want pods that are small, and holds it to making one within a minute.
func (w *world) comesAtOnce(name string) {
	w.t.Helper()
	for {
		step, ok := w.player.Step()
		if p, is := step.Event.Object.(*corev1.Pod); !ok || is && p.Status.Phase == corev1.PodFailed {
			break // the next one is far
		}
	}
	q := request.Patch(request.Object{Kind: cluster.KindReplicaSet, Namespace: "shop", Name: name}, request.Operation{
		Op: "replace", Path: "/spec/template/spec/containers/0/resources/requests/cpu", Value: "1m",
	})
	now := w.player.Scheduler().Now()
	events, err := q.Do(manager.ObjectsOf(w.player), now)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range events {
		w.player.Deliver(e)
	}
	for range 1_000 {
		step, ok := w.player.Step()
		if !ok || step.At.After(now.Add(time.Minute)) {
			break
		}
		if p, is := step.Event.Object.(*corev1.Pod); is && step.Event.Action == cluster.Add && p.Labels["app"] == name {
			return
		}
	}
	w.t.Error("a changed template is not looked at within a minute")
}

func TestNothingHappensWhereNothingIsDone(t *testing.T) {
	w := begin(t, shop+workload("Deployment", "web", 3, "")+workload("StatefulSet", "db", 2, ""))
	w.player.Scheduler().State().Objects().ReplicaSets.Each(func(set *appsv1.ReplicaSet) bool {
		w.player.Deliver(cluster.Event{Action: cluster.Update, Object: set})
		return true
	})
	w.settle()
	if len(w.facts) > 0 {
		t.Errorf("%s", strings.Join(w.facts, "\n"))
	}
}

func TestAPodThatIsBeingDeletedInTheInputGoes(t *testing.T) {
	w := begin(t, shop+`apiVersion: v1
kind: Pod
metadata:
  name: old
  namespace: shop
  uid: old
  deletionTimestamp: "2026-01-01T00:01:00Z"
  deletionGracePeriodSeconds: 60
spec: {nodeName: n1, containers: [{name: main, image: web:1}]}
status: {phase: Running}
`)
	if _, there := w.player.Scheduler().State().Pod("shop/old"); there {
		t.Error("its kubelet has not stopped it")
	}
}
