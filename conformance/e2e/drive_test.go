//go:build e2e

package e2e_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/conformance/e2e"
)

// driver is the user that drives, and what they call themselves to the server.
const driver = "driver"

// mayDrive gives the role that auth prints to the driver.
func (r *running) mayDrive() {
	r.Helper()
	code, role, told := r.output("auth", "--drive", "--role", "--as", driver)
	if code != 0 {
		r.Fatal(told)
	}
	r.apply(role, nil)
}

// drive runs drive as the driver, and comes back when it has printed a line that contains a text.
func (r *running) drive(until string, args ...string) *follower {
	r.Helper()
	return r.run(until, append([]string{"drive", "--as", driver}, args...)...)
}

func (r *running) await(what string, done func(context.Context) bool) {
	r.Helper()
	err := e2e.Await(r.Context(), func(ctx context.Context) (bool, error) { return done(ctx), nil })
	if err != nil {
		r.Fatalf("%s: %v", what, err)
	}
}

// wanted makes a pod of a schedulerName that requests so many thousandths of a core.
func (r *running) wanted(name, scheduler string, cpu int64, change func(*corev1.Pod)) {
	r.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec: corev1.PodSpec{
			SchedulerName: scheduler, TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{Name: "c", Image: "x", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": *resource.NewMilliQuantity(cpu, resource.DecimalSI)},
			}}},
		},
	}
	if change != nil {
		change(p)
	}
	r.make(r.client.CoreV1().Pods("shop").Create(r.Context(), p, metav1.CreateOptions{}))
}

// pod is a pod as the API server has it; nil when it is not there.
func (r *running) pod(name string) *corev1.Pod {
	p, err := r.client.CoreV1().Pods("shop").Get(r.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return p
}

func (r *running) isBound(name string) func(context.Context) bool {
	return func(context.Context) bool { p := r.pod(name); return p != nil && p.Spec.NodeName != "" }
}

func TestDrivePlacesItsPodsAndEvictsForTheImportant(t *testing.T) {
	r := start(t, 2)
	r.mayDrive()
	r.make(r.client.SchedulingV1().PriorityClasses().Create(t.Context(), &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000,
	}, metav1.CreateOptions{}))
	d := r.drive("driving:")
	if d.says("holding the lease kube-system/schedstep-schedstep") == "" {
		t.Error("the lease is not told of before it drives")
	}
	r.wanted("foreign", "default-scheduler", 100, nil)
	for i := range 4 {
		r.wanted(fmt.Sprintf("low-%d", i), "schedstep", 4000, nil)
	}
	for i := range 4 {
		r.await("low pods are bound", r.isBound(fmt.Sprintf("low-%d", i)))
	}
	r.wanted("late", "schedstep", 4000, nil)
	r.await("late is told why", func(context.Context) bool {
		c := r.pod("late").Status.Conditions
		return len(c) > 0 && strings.HasPrefix(c[0].Message, "0/2 nodes are available: 2 Insufficient cpu.")
	})
	r.wanted("high", "schedstep", 4000, func(p *corev1.Pod) { p.Spec.PriorityClassName = "high" })
	r.await("high is bound", r.isBound("high"))
	left := 0
	for i := range 4 {
		if r.pod(fmt.Sprintf("low-%d", i)) != nil {
			left++
		}
	}
	if p := r.pod("foreign"); left != 3 || p.Spec.NodeName != "" || len(p.Status.Conditions) > 0 {
		t.Errorf("%d of 4 are left, and the pod of another scheduler is %v", left, p.Status)
	}
	for _, want := range []string{"Scheduled", "FailedScheduling", "Preempted"} {
		r.await("there is an event "+want, func(ctx context.Context) bool {
			events, err := r.client.EventsV1().Events("shop").List(ctx, metav1.ListOptions{
				FieldSelector: "reason=" + want + ",reportingController=schedstep",
			})
			return err == nil && len(events.Items) > 0
		})
	}
	r.measures(d)
	d.stopUnrefused(t)
}

// stopUnrefused ends a drive of which the server has refused nothing.
func (d *follower) stopUnrefused(t *testing.T) {
	t.Helper()
	if text := d.stop(t); strings.Contains(text, "refused") {
		t.Errorf("something was refused:\n%s", text)
	}
}

// measures reads what drive serves about itself.
func (r *running) measures(d *follower) {
	r.Helper()
	url := "http://" + strings.Split(strings.TrimPrefix(d.says("serving http://"), "serving http://"), "/")[0]
	for path, want := range map[string]string{
		"/readyz": "ok", "/healthz": "ok",
		"/metrics": `scheduler_schedule_attempts_total{profile="schedstep",result="scheduled"} 5`,
	} {
		answer, err := http.Get(url + path) //nolint:noctx // on loopback
		if r.make(nil, err); answer.StatusCode != http.StatusOK {
			r.Errorf("%s answers %s", path, answer.Status)
		}
		lines := bufio.NewScanner(answer.Body)
		found := false
		for lines.Scan() {
			found = found || lines.Text() == want
		}
		if answer.Body.Close(); !found {
			r.Errorf("%s does not say %s", path, want)
		}
	}
}

// Two schedulers place the pods of one name: the real one and schedstep. Some bindings come too late.
func TestDriveLosesRacesInGoodOrder(t *testing.T) {
	r := start(t, 10)
	r.mayDrive()
	d := r.drive("driving:")
	rival, err := r.plane.StartScheduler(
		t.Context(), "rival", append(configuration(t), "profiles: [{schedulerName: schedstep}]\n"...),
	)
	r.make(nil, err)
	defer rival.Stop()
	for i := range 60 {
		r.wanted(fmt.Sprintf("race-%02d", i), "schedstep", 100, nil)
	}
	for i := range 60 {
		r.await("all are bound", r.isBound(fmt.Sprintf("race-%02d", i)))
	}
	text := d.stop(t)
	t.Logf("%d bindings were refused", strings.Count(text, "already assigned to node"))
	for line := range strings.Lines(text) {
		sum := strings.Contains(line, " writes, ")
		if strings.Contains(line, "refused") && !sum && !strings.Contains(line, "already assigned to node") {
			t.Errorf("refused for another reason: %s", line)
		}
	}
}

func TestADryRunOfDriveWritesNothing(t *testing.T) {
	r := start(t, 1)
	r.mayDrive()
	d := r.drive("driving:", "--dry-run", "server")
	r.wanted("web", "schedstep", 100, nil)
	r.await("the server was asked", func(context.Context) bool { return r.asked("pods/binding", "All") })
	if text := d.stop(t); !strings.Contains(text, "bind shop/web to n00 (dry run)\n") ||
		strings.Contains(text, "refused") {
		t.Errorf("it says\n%s", text)
	}
	if p := r.pod("web"); p.Spec.NodeName != "" {
		t.Errorf("the pod is on %s", p.Spec.NodeName)
	}
}

// asked reports whether the audit log has a request for a dry run on a resource.
func (r *running) asked(resource, dryRun string) bool {
	log, err := os.ReadFile(filepath.Clean(r.plane.AuditLog()))
	r.make(nil, err)
	name, part, _ := strings.Cut(resource, "/")
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "dryRun="+dryRun) && strings.Contains(line, `"resource":"`+name+`"`) &&
			strings.Contains(line, `"subresource":"`+part+`"`) {
			return true
		}
	}
	return false
}
