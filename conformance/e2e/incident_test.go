//go:build e2e && incident

package e2e_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/schedstep/schedstep/conformance/e2e"
)

var (
	incidentKeep  = flag.String("incident-keep", "", "a folder that TestARestartWaitsForTheJobOfTheNight leaves traces in")
	minuteOfNight = flag.Duration("incident-minute", time.Minute, "how long a minute of its night takes")
	incidentAt    = flag.String("incident-at", "", "when it is three in its night, as RFC 3339; without it as soon as can be")
)

// A night of a shop in three zones: four minutes before three in New York a CronJob fills zone b, one minute after
// three a StatefulSet is restarted, and its replica of that zone has no room until the Job ends at 22 minutes past. It
// takes half an hour: make incident runs it, and docs/history.md walks through its traces.
func TestARestartWaitsForTheJobOfTheNight(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	smallest, err := exec.Command(filepath.Join(programs(t), "schedstep"), "record", "--print-audit-policy").Output()
	if err := errors.Join(err, os.WriteFile(policy, smallest, 0o600)); err != nil {
		t.Fatal(err)
	}
	n := &night{running: start(t, 0, "--audit-policy-file="+policy)}
	n.begins()
	n.served()
	stop := n.staffed()
	n.passes()
	n.dump()
	stop()
	n.plane.Close()
	for _, name := range []string{"audit.log", "kube-scheduler.log"} {
		text, err := os.ReadFile(n.file(name))
		n.make(nil, errors.Join(err, os.WriteFile(filepath.Join(*incidentKeep, name), text, 0o600)))
	}
}

// night is a cluster and its clock.
type night struct {
	*running
	three time.Time
}

// What happens, in minutes from three.
const (
	jobBegins   = -4
	restarts    = 1
	grows       = 8
	shrinks     = 15
	reportTakes = 26
	wakes       = 23
)

const newYork = "America/New_York"

// nodesOfZone is how many nodes there are in each of the zones a, b and c.
var nodesOfZone = [3]int{5, 4, 5}

// begins sets the clock. A CronJob begins at a full minute.
func (n *night) begins() {
	n.Helper()
	before := -jobBegins * *minuteOfNight
	n.three = e2e.FullMinute(30 * time.Second).Add(before)
	if *incidentAt != "" {
		at, err := time.Parse(time.RFC3339, *incidentAt)
		n.make(nil, err)
		n.three = at
	}
	n.make(nil, os.MkdirAll(*incidentKeep, 0o700))
	n.Logf("it is three at %v", n.three)
}

// at waits for a moment, in minutes from three.
func (n *night) at(minute int) {
	n.Helper()
	e2e.PauseUntil(n.Context(), n.three.Add(time.Duration(minute)**minuteOfNight))
	n.Logf("minute %d", minute)
}

// served makes the nodes and the objects of testdata/incident.
func (n *night) served() {
	n.Helper()
	for zone, count := range nodesOfZone {
		for i := range count {
			name := fmt.Sprintf("%c%d", 'a'+zone, i+1)
			room := corev1.ResourceList{
				"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("110"),
			}
			n.make(n.client.CoreV1().Nodes().Create(n.Context(), &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
					corev1.LabelHostname: name, corev1.LabelTopologyZone: name[:1],
				}},
				Status: corev1.NodeStatus{Allocatable: room, Capacity: room, Conditions: []corev1.NodeCondition{{
					Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
					LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
				}}},
			}, metav1.CreateOptions{}))
		}
	}
	n.does("create", "-f", filepath.Join("testdata", "incident", "cluster.yaml"))
	for _, j := range n.jobs() {
		n.make(n.client.BatchV1().CronJobs(j.Namespace).Create(n.Context(), j, metav1.CreateOptions{}))
	}
}

// jobs are the Job of the night, whose pods read an archive of zone b, and one that is small and comes often.
func (n *night) jobs() []*batchv1.CronJob {
	home, err := time.LoadLocation(newYork)
	n.make(nil, err)
	begins := n.three.Add(jobBegins * *minuteOfNight).In(home)
	reports := n.cron("reports", "nightly", fmt.Sprintf("%d %d * * *", begins.Minute(), begins.Hour()),
		fmt.Sprint((reportTakes * *minuteOfNight).Seconds()), "2")
	reports.Spec.JobTemplate.Spec.Parallelism, reports.Spec.JobTemplate.Spec.Completions = new(int32(16)), new(int32(16))
	reports.Spec.JobTemplate.Spec.Template.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: "b"}
	return []*batchv1.CronJob{reports, n.cron("shop", "sitemap", "*/5 * * * *", "20s", "100m")}
}

func (n *night) cron(namespace, name, schedule, takes, cpu string) *batchv1.CronJob {
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: batchv1.CronJobSpec{
			Schedule: schedule, TimeZone: new(newYork), JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
					Spec: corev1.PodSpec{
						RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(5)),
						Containers: []corev1.Container{{
							Name: name, Image: "registry.example/" + name + ":3", Args: []string{takes},
							Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
								"cpu": resource.MustParse(cpu), "memory": resource.MustParse("1Gi"),
							}},
						}},
					},
				},
			}},
		},
	}
}

// staffed starts kube-controller-manager, kube-scheduler and kubelets, whose containers sleep.
func (n *night) staffed() (stop func()) {
	n.Helper()
	manager, err := n.plane.StartControllerManager(n.Context())
	n.make(nil, err)
	scheduler, err := n.plane.StartScheduler(n.Context(), "kube-scheduler", []byte(
		"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"), "--v=4")
	n.make(nil, err)
	sleep, err := exec.LookPath("sleep")
	n.make(nil, err)
	images := map[string]string{}
	for _, of := range []string{"web:41", "checkout:17", "orders-db:9", "nightly:3", "sitemap:3"} {
		images["registry.example/"+of] = sleep
	}
	client, err := kubernetes.NewForConfig(n.plane.KubeletConfig())
	n.make(nil, err)
	ctx, cancel := context.WithCancel(n.Context())
	processes := e2e.NewProcesses(client, n.file("containers"), images)
	kubelets, done := e2e.NewKubelets(client, 0), make(chan struct{})
	kubelets.Have(processes)
	kubelets.Slow(corpusPause)
	go func() {
		defer close(done)
		kubelets.Run(ctx)
	}()
	return func() {
		n.make(nil, kubelets.Wrong())
		cancel()
		<-done
		processes.Kill(func(*corev1.Pod) bool { return true })
		scheduler.Stop()
		manager.Stop()
	}
}

// passes is the night. What waits, and when it no longer waits, is held.
func (n *night) passes() {
	n.Helper()
	n.await("the shop runs", n.runs("shop", 12+8+3))
	n.at(jobBegins)
	n.await("zone b is full of reports", n.waits("reports", "nightly-"))
	n.at(restarts)
	n.does("rollout", "restart", "-n", "shop", "statefulset/orders-db")
	n.await("orders-db-0 waits", n.waits("shop", "orders-db-0"))
	n.at(grows)
	n.does("scale", "-n", "shop", "deployment/web", "--replicas=15")
	n.at(shrinks)
	n.does("scale", "-n", "shop", "deployment/web", "--replicas=12")
	n.at(jobBegins + reportTakes)
	n.await("orders-db-0 has a node", n.isBound("orders-db-0"))
	n.at(wakes)
}

// waits reports whether kube-scheduler has found no node for a pod whose name begins so.
func (n *night) waits(namespace, prefix string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		pods, err := n.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		n.make(nil, err)
		for i := range pods.Items {
			p := &pods.Items[i]
			for _, c := range p.Status.Conditions {
				if strings.HasPrefix(p.Name, prefix) && c.Reason == corev1.PodReasonUnschedulable {
					return true
				}
			}
		}
		return false
	}
}

// runs reports whether so many pods of a namespace run, or more.
func (n *night) runs(namespace string, count int) func(context.Context) bool {
	return func(ctx context.Context) bool {
		pods, err := n.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
		n.make(nil, err)
		return len(pods.Items) >= count
	}
}

// does is what a person does with kubectl.
func (n *night) does(args ...string) {
	n.Helper()
	line := exec.Command(filepath.Join(programs(n.T), "kubectl"),
		append([]string{"--kubeconfig", n.plane.Kubeconfig()}, args...)...)
	if code, out, told := n.ended(line); code != 0 {
		n.Fatalf("kubectl %s: %s%s", strings.Join(args, " "), out, told)
	}
}

// dump writes what there is after the night.
func (n *night) dump() {
	n.Helper()
	line := exec.Command(filepath.Join(programs(n.T), "kubectl"), "--kubeconfig", n.plane.Kubeconfig(), "get", kinds, "-A",
		"-o", "yaml")
	code, out, told := n.ended(line)
	if code != 0 {
		n.Fatal(told)
	}
	n.make(nil, os.WriteFile(filepath.Join(*incidentKeep, "dump.yaml"), []byte(out), 0o600))
}
