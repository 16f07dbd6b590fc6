//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/conformance/e2e"
	"github.com/schedstep/schedstep/conformance/e2e/controlplane"
)

// running is a control plane with nodes, and schedstep beside it as users run it: as a program.
type running struct {
	*testing.T
	plane   *controlplane.ControlPlane
	client  kubernetes.Interface
	program string
	chance  *rand.Rand
	folder  string // for what programs write
	nodes   int    // that it started with

	followers int // how many were started
}

// start runs an API server, with flags of its own, and makes nodes.
func start(t *testing.T, nodes int, flags ...string) *running {
	t.Helper()
	folder := evidence(t)
	plane, err := controlplane.Start(t.Context(), programs(t), folder, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Close)
	client, err := kubernetes.NewForConfig(plane.Config())
	if err != nil {
		t.Fatal(err)
	}
	r := &running{
		T: t, plane: plane, client: client, program: filepath.Join(programs(t), "schedstep"),
		chance: rand.New(rand.NewPCG(1, 2)), folder: folder, nodes: nodes,
	}
	r.make(client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
	}, metav1.CreateOptions{}))
	for i := range nodes {
		r.node(i)
	}
	return r
}

// make fails the test when something could not be made.
func (r *running) make(_ any, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *running) node(i int) {
	room := corev1.ResourceList{
		"cpu": resource.MustParse("8"), "memory": resource.MustParse("16Gi"), "pods": resource.MustParse("40"),
	}
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%02d", i), Labels: map[string]string{
			"kubernetes.io/hostname": fmt.Sprintf("n%02d", i), "topology.kubernetes.io/zone": fmt.Sprintf("z%d", i%3),
		}},
		Status: corev1.NodeStatus{Allocatable: room, Capacity: room, Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
			LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
		}}},
	}
	r.make(r.client.CoreV1().Nodes().Create(r.Context(), n, metav1.CreateOptions{}))
}

// pods makes pods with different requirements, some of which no node meets.
func (r *running) pods(prefix string, n int) {
	r.Helper()
	for i := range n {
		p := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%03d", prefix, i), Namespace: "shop", Labels: map[string]string{"app": prefix},
			},
			Spec: corev1.PodSpec{TerminationGracePeriodSeconds: new(int64), Containers: []corev1.Container{{
				Name: "c", Image: "x", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					"cpu": *resource.NewMilliQuantity(100+100*r.chance.Int64N(20), resource.DecimalSI),
				}},
			}}},
		}
		same := metav1.LabelSelector{MatchLabels: p.Labels}
		switch r.chance.IntN(5) {
		case 0:
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector: &same,
			}}
		case 1:
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
					Weight:          10,
					PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: "kubernetes.io/hostname", LabelSelector: &same},
				}},
			}}
		case 2:
			p.Spec.NodeSelector = map[string]string{"disk": "none"}
		}
		r.make(r.client.CoreV1().Pods("shop").Create(r.Context(), p, metav1.CreateOptions{}))
	}
}

// settled waits until kube-scheduler has reported something of every pod.
func (r *running) settled() {
	r.Helper()
	r.make(nil, e2e.Await(r.Context(), func(ctx context.Context) (bool, error) {
		list, err := r.client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{})
		return err == nil && !slices.ContainsFunc(list.Items, func(p corev1.Pod) bool {
			return len(p.Status.Conditions) == 0
		}), err
	}))
}

// command is schedstep with arguments, on the cluster.
func (r *running) command(args ...string) *exec.Cmd {
	c := exec.Command(r.program, args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+r.plane.Kubeconfig())
	return c
}

// replaysTheSame plays a recording from the file, and from a copy that was read and written again.
func (r *running) replaysTheSame(file string) {
	r.Helper()
	_, first, _ := r.output("run", file, "-q", "-o", "jsonl")
	copied := file + ".schedstep"
	if code, _, told := r.output("convert", file, "-o", copied); code != 0 {
		r.Fatal(told)
	}
	_, second, _ := r.output("run", copied, "-q", "-o", "jsonl")
	if first != second || strings.Count(first, "\n") < 200 {
		r.Errorf("%d lines, and the copy leads elsewhere", strings.Count(first, "\n"))
	}
}

// nothingWasWritten reads in the audit log what schedstep has sent. A review of one's own rights is no write.
func (r *running) nothingWasWritten() {
	r.Helper()
	log, err := os.ReadFile(r.plane.AuditLog())
	r.make(nil, err)
	requests := 0
	for line := range bytes.Lines(log) {
		var e audited
		if json.Unmarshal(line, &e) != nil || e.UserAgent != "schedstep" {
			continue
		}
		requests++
		asks := e.Verb == "create" && strings.HasPrefix(e.ObjectRef.Resource, "selfsubject")
		if !asks && !slices.Contains([]string{"get", "list", "watch"}, e.Verb) {
			r.Errorf("schedstep sent %s", line)
		}
	}
	if requests < 20 {
		r.Errorf("only %d requests of schedstep are in the audit log", requests)
	}
}

// audited is what is read of a line of the audit log.
type audited struct {
	Stage          string
	Verb           string
	User           struct{ Username string }
	UserAgent      string
	RequestURI     string
	ObjectRef      struct{ APIGroup, Resource, Subresource, Name string }
	ResponseStatus struct{ Code int }
}

// lists counts how often schedstep has listed all pods, not the changes after some revision.
func (r *running) lists() int {
	r.Helper()
	log, err := os.ReadFile(r.plane.AuditLog())
	r.make(nil, err)
	asked := map[string]bool{}
	for line := range bytes.Lines(log) {
		var e audited
		if json.Unmarshal(line, &e) == nil && e.UserAgent == "schedstep" && e.ObjectRef.Resource == "pods" &&
			(e.Verb == "list" || strings.Contains(e.RequestURI, "sendInitialEvents=true")) {
			asked[e.RequestURI] = true // each has a timeout of its own
		}
	}
	return len(asked)
}

func TestARoleThatAuthPrintsIsEnough(t *testing.T) {
	r := start(t, 2)
	r.pods("web", 3)
	code, out, told := r.output("run", "-A", "--as", "reader")
	if code != 1 || !strings.Contains(told, "you may not list ") {
		t.Errorf("without rights: %d %s%s", code, out, told)
	}
	code, role, told := r.output("auth", "--role", "--as", "reader")
	if code != 0 {
		t.Fatal(told)
	}
	r.apply(role, nil)
	if code, out, told := r.output("auth", "--as", "reader"); code != 0 {
		t.Errorf("with the role: %d %s%s", code, out, told)
	}
	if code, out, told := r.output("run", "-n", "shop", "--as", "reader", "--fail-on", "never"); code != 0 ||
		strings.Contains(told, "not read") || strings.Count(out, "\n") < 4 {
		t.Errorf("with the role: %d %s%s", code, out, told)
	}
	_, role, _ = r.output("auth", "--role", "--as", "blind")
	r.apply(strings.ReplaceAll(role, "schedstep-read", "schedstep-blind"), func(c *rbacv1.ClusterRole) {
		for i := range c.Rules {
			c.Rules[i].Resources = slices.DeleteFunc(c.Rules[i].Resources, func(name string) bool {
				return name == "persistentvolumes"
			})
		}
	})
	code, _, told = r.output("run", "-n", "shop", "--as", "blind", "--fail-on", "never")
	if code != 0 || !strings.Contains(told, "not read: PersistentVolume (you may not list them in all namespaces)") {
		t.Errorf("without volumes: %d %s", code, told)
	}
	r.nothingWasWritten()
}

// follow comes back when the log is open.
func (r *running) follow(args ...string) *follower {
	r.Helper()
	return r.run("following ", args...)
}

// apply makes the role and the binding that auth printed, the role as change leaves it.
func (r *running) apply(text string, change func(*rbacv1.ClusterRole)) {
	r.Helper()
	first, second, _ := strings.Cut(text, "---\n")
	var role rbacv1.ClusterRole
	var binding rbacv1.ClusterRoleBinding
	r.make(nil, errors.Join(yaml.Unmarshal([]byte(first), &role), yaml.Unmarshal([]byte(second), &binding)))
	if change != nil {
		change(&role)
	}
	rbac := r.client.RbacV1()
	r.make(rbac.ClusterRoles().Create(r.Context(), &role, metav1.CreateOptions{}))
	r.make(rbac.ClusterRoleBindings().Create(r.Context(), &binding, metav1.CreateOptions{}))
	for _, subject := range binding.Subjects {
		r.mayList(subject.Name)
	}
}

// mayList waits until the API server knows the role that lets a user list nodes: it learns of roles by watches.
func (r *running) mayList(user string) {
	r.Helper()
	r.await(user+" may list nodes", func(ctx context.Context) bool {
		asked, err := r.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "nodes"},
			},
		}, metav1.CreateOptions{})
		return err == nil && asked.Status.Allowed
	})
}

func TestAnAPIServerThatIsKilledAndComesBackLosesAndDoublesNothing(t *testing.T) {
	r := start(t, 2)
	r.pods("before", 3)
	file := r.file("killed.jsonl")
	record := r.follow("record", "-o", file)
	r.pods("running", 3)
	r.restart()
	r.pods("after", 3)
	comes := func(e entry) bool { return e.A == "Add" }
	r.make(nil, e2e.Await(t.Context(), func(context.Context) (bool, error) {
		return len(podsOf(t, file, comes)) == 9, nil
	}))
	record.stop(t)
	added := podsOf(t, file, comes)
	for pod, n := range added {
		if n != 1 {
			t.Errorf("%s was added %d times", pod, n)
		}
	}
	if len(added) != 9 {
		t.Errorf("%d pods: %v", len(added), added)
	}
}

// restart kills the API server and starts it again.
func (r *running) restart() {
	r.Helper()
	r.plane.StopAPIServer()
	r.make(nil, r.plane.StartAPIServer(context.WithoutCancel(r.Context())))
}

// The recorder sleeps while the server restarts and forgets what happened meanwhile.
func TestAWatchFromAForgottenRevisionIsListedAgain(t *testing.T) {
	r := start(t, 2)
	r.pods("before", 3)
	file := r.file("compacted.jsonl")
	record := r.follow("record", "-o", file)
	before := r.lists()
	r.make(nil, record.Process.Signal(syscall.SIGSTOP))
	r.restart() // what happens from here on is not on its way to the recorder
	r.pods("during", 3)
	r.make(nil, r.client.CoreV1().Pods("shop").Delete(t.Context(), "before-000", metav1.DeleteOptions{}))
	list, err := r.client.CoreV1().Pods("shop").List(t.Context(), metav1.ListOptions{})
	r.make(nil, err)
	r.make(nil, r.plane.Compact(t.Context(), list.ResourceVersion))
	r.restart()
	r.make(nil, record.Process.Signal(syscall.SIGCONT))
	r.pods("after", 3)
	added := func(e entry) bool { return e.A == "Add" }
	deleted := func(e entry) bool { return e.A == "Delete" }
	r.make(nil, e2e.Await(t.Context(), func(context.Context) (bool, error) {
		return len(podsOf(t, file, added)) == 9 && len(podsOf(t, file, deleted)) == 1, nil
	}))
	record.stop(t)
	if again := r.lists(); again <= before {
		t.Errorf("the pods were listed %d times before the revision was forgotten, and %d times in all", before, again)
	}
	for pod, n := range podsOf(t, file, added) {
		if n != 1 {
			t.Errorf("%s was added %d times", pod, n)
		}
	}
	if gone := podsOf(t, file, deleted); gone["before-000"] != 1 {
		t.Errorf("deleted: %v", gone)
	}
}

// entry is what is read of a line of a recording.
type entry struct {
	A, K string
	O    struct {
		Metadata struct{ Name string }
		Status   struct{ Conditions []any }
	}
}

// podsOf counts, by name, the lines of a recording that are about a pod and mean something.
func podsOf(t *testing.T, file string, means func(entry) bool) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pods := map[string]int{}
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.K == "Pod" && means(e) {
			pods[e.O.Metadata.Name]++
		}
	}
	return pods
}
