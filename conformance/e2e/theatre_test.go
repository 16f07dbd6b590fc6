//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/conformance/e2e"
	"github.com/schedstep/schedstep/conformance/e2e/controlplane"
)

var planes = flag.Int("planes", 1, "control planes on which the clusters of one test are played at the same time")

// theatre is a control plane with kube-scheduler, kube-controller-manager and stand-ins for kubelets, on which one
// cluster after the other is played.
type theatre struct {
	*running
	scheduler *controlplane.Scheduler
	kubelets  *e2e.Kubelets
	namespace string // of the cluster that is on now
	plays     int
	path      string // the folder with kubectl
}

// The times of a theatre: how long a pod takes until it is Ready, how long nothing must change until all is taken to be
// quiet, how long a cluster may take to be so, and how long it may take to be as it was foretold.
const (
	readyTime = time.Second
	calmTime  = 1200 * time.Millisecond
	quietTime = 4 * time.Minute
	endTime   = 60 * time.Second
)

// opened starts everything. Flags are those of kube-apiserver.
func opened(t *testing.T, flags ...string) *theatre {
	t.Helper()
	w := &theatre{running: start(t, 0, flags...)}
	manager, err := w.plane.StartControllerManager(t.Context())
	w.make(nil, err)
	t.Cleanup(manager.Stop)
	// A pod that no event helps is tried again after 5 minutes; here it need not wait so long.
	w.scheduler, err = w.plane.StartScheduler(
		t.Context(), "kube-scheduler", configuration(t), "--pod-max-in-unschedulable-pods-duration=20s",
	)
	w.make(nil, err)
	t.Cleanup(w.scheduler.Stop)
	w.kubelets = e2e.NewKubelets(w.client, readyTime)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		w.kubelets.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-gone })
	w.make(nil, os.WriteFile(w.file("scheduler.settings"), configuration(t), 0o600))
	w.path = w.file("path")
	w.make(nil, os.Mkdir(w.path, 0o700))
	w.make(nil, os.Symlink(filepath.Join(programs(t), "kubectl"), filepath.Join(w.path, "kubectl")))
	return w
}

// onPlanes has so many clusters played, on as many control planes at the same time as the flag -planes sets. play is
// called with each number from 0 on once, and with what is summed up on its plane.
func onPlanes[T any](t *testing.T, count int, flags []string, play func(w *theatre, i int, sum *T)) []T {
	t.Helper()
	planes := max(1, min(*planes, count))
	sums := make([]T, planes)
	t.Run("planes", func(t *testing.T) { // it ends when all of them have
		for k := range planes {
			t.Run(strconv.Itoa(k), func(t *testing.T) {
				t.Parallel()
				w := opened(t, flags...)
				for i := k; i < count; i += planes {
					play(w, i, &sums[k])
				}
				w.clear()
			})
		}
	})
	return sums
}

// clear takes the cluster away that is on.
func (w *theatre) clear() {
	w.Helper()
	if w.namespace == "" {
		return
	}
	core := w.client.CoreV1()
	w.kubelets.Hurry(w.namespace)
	w.make(nil, core.Namespaces().Delete(w.Context(), w.namespace, metav1.DeleteOptions{}))
	w.await("pods go", func(ctx context.Context) bool {
		pods, err := core.Pods(w.namespace).List(ctx, metav1.ListOptions{})
		claims, wrong := core.PersistentVolumeClaims(w.namespace).List(ctx, metav1.ListOptions{})
		devices, bad := w.client.ResourceV1().ResourceClaims(w.namespace).List(ctx, metav1.ListOptions{})
		return err == nil && wrong == nil && bad == nil && len(pods.Items)+len(claims.Items)+len(devices.Items) == 0
	})
	all, none := metav1.ListOptions{}, metav1.DeleteOptions{}
	w.make(nil, core.Nodes().DeleteCollection(w.Context(), none, all))
	w.make(nil, w.client.ResourceV1().ResourceSlices().DeleteCollection(w.Context(), none, all))
	w.make(nil, w.client.ResourceV1().DeviceClasses().DeleteCollection(w.Context(), none, all))
	w.make(nil, core.PersistentVolumes().DeleteCollection(w.Context(), none, all))
	w.make(nil, w.client.StorageV1().StorageClasses().DeleteCollection(w.Context(), none, all))
	classes, err := w.client.SchedulingV1().PriorityClasses().List(w.Context(), all)
	w.make(nil, err)
	for _, c := range classes.Items {
		if !strings.HasPrefix(c.Name, "system-") {
			w.make(nil, w.client.SchedulingV1().PriorityClasses().Delete(w.Context(), c.Name, none))
		}
	}
	w.namespace = ""
}

// play clears the theatre and brings a cluster on: its ground, and when that is quiet, its subject.
func (w *theatre) play(s *situation) {
	w.Helper()
	w.clear()
	w.plays++
	w.namespace = fmt.Sprintf("play-%d", w.plays)
	w.make(w.client.CoreV1().Namespaces().Create(w.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: w.namespace},
	}, metav1.CreateOptions{}))
	for _, part := range [][]runtime.Object{s.ground, s.subject} {
		if len(part) == 0 {
			continue
		}
		file := w.file("play.yaml")
		w.make(nil, os.WriteFile(file, s.written(w.namespace, part), 0o600))
		w.await("objects are created", func(context.Context) bool { // admission learns of classes by watches
			code, _, told := w.shell("kubectl create -f " + file)
			if code == 0 || onlyThere(told) {
				return true
			}
			w.Logf("create: %s", told)
			return false
		})
		w.quiet()
	}
	if s.isWide {
		w.Logf("%d %s: %s", s.seed, s.cause, w.census(s))
	}
}

// onlyThere reports whether kubectl create failed for nothing but objects that were created before.
func onlyThere(told string) bool {
	lines := strings.Split(strings.TrimSpace(told), "\n")
	return !slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(line, "(AlreadyExists)") })
}

// shell runs a line in a shell, as a person would.
func (w *theatre) shell(line string) (code int, out, told string) {
	w.Helper()
	c := exec.Command("sh", "-c", line)
	c.Env = append(os.Environ(), "KUBECONFIG="+w.plane.Kubeconfig(), "PATH="+w.path+":/usr/bin:/bin")
	return w.ended(c)
}

// kinds are what is looked at to see whether a cluster is quiet, and what a dump holds.
const kinds = "nodes,namespaces,pods,deployments,replicasets,statefulsets,daemonsets,jobs,poddisruptionbudgets," +
	"persistentvolumes,persistentvolumeclaims,storageclasses,priorityclasses,resourcequotas,limitranges," +
	"deviceclasses,resourceslices,resourceclaims,resourceclaimtemplates"

// dump writes everything that there is to a file, as a person would do it.
func (w *theatre) dump(name string) string {
	w.Helper()
	file := w.file(name)
	code, _, told := w.shell("kubectl get " + kinds + " -A -o json > " + file)
	if code != 0 {
		w.Fatal(told)
	}
	return file
}

// pods are those of the cluster that is on, but those that have ended.
func (w *theatre) pods() []corev1.Pod {
	w.Helper()
	list, err := w.client.CoreV1().Pods(w.namespace).List(w.Context(), metav1.ListOptions{})
	w.make(nil, err)
	return slices.DeleteFunc(list.Items, func(p corev1.Pod) bool {
		return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	})
}

// quiet waits until nothing changes any more.
func (w *theatre) quiet() { w.Helper(); w.quietOr(quietTime, func() bool { return true }) }

// quietOr waits until nothing changes any more and something is so, and gives up after a time. It reports whether it
// is.
func (w *theatre) quietOr(patience time.Duration, is func() bool) bool {
	w.Helper()
	as, err := e2e.AwaitCalm(w.Context(), calmTime, patience, w.mark, is)
	w.make(nil, err)
	return as
}

// quietAfter waits for a time, and then until nothing changes any more and something is so. It gives up after
// patience.
func (w *theatre) quietAfter(least, patience time.Duration, is func() bool) bool {
	w.Helper()
	e2e.Pause(w.Context(), least)
	return w.quietOr(patience-least, is)
}

// mark is a text that changes with the cluster, and what there is still to do; "": nothing.
func (w *theatre) mark() (mark, busy string) {
	w.Helper()
	w.make(nil, w.kubelets.Wrong())
	m, err := w.scheduler.Metrics(w.Context())
	w.make(nil, err)
	for _, queue := range []string{"active", "backoff"} {
		if n := m[`scheduler_pending_pods{queue="`+queue+`"}`]; n > 0 {
			return "", fmt.Sprintf("%v pods in queue %s", n, queue)
		}
	}
	var text strings.Builder
	pods := w.pods()
	for i := range pods {
		p := &pods[i]
		if b := busyPod(p); b != "" && !w.kubelets.IsSilent(p.Spec.NodeName) {
			busy = p.Name + " " + b
		}
		fmt.Fprintln(&text, p.UID, p.ResourceVersion)
	}
	return w.markOfWorkloads(&text, busy)
}

// busyPod is what is still to be done for a pod.
func busyPod(p *corev1.Pod) string {
	condition := func(t corev1.PodConditionType) corev1.ConditionStatus {
		for _, c := range p.Status.Conditions {
			if c.Type == t {
				return c.Status
			}
		}
		return ""
	}
	switch {
	case p.DeletionTimestamp != nil:
		return "is going"
	case p.Spec.NodeName == "" && condition(corev1.PodScheduled) == "":
		return "is not decided"
	case p.Spec.NodeName != "" && condition(corev1.PodReady) != corev1.ConditionTrue:
		return "is not Ready"
	}
	return ""
}

// markOfWorkloads adds what makes pods.
func (w *theatre) markOfWorkloads(text *strings.Builder, busy string) (string, string) {
	w.Helper()
	late := func(name string, generation, observed int64) {
		if observed < generation {
			busy = name + " is not looked at"
		}
	}
	apps, all := w.client.AppsV1(), metav1.ListOptions{}
	deployments, err := apps.Deployments(w.namespace).List(w.Context(), all)
	w.make(nil, err)
	for _, o := range deployments.Items {
		late(o.Name, o.Generation, o.Status.ObservedGeneration)
		fmt.Fprintln(text, o.UID, o.ResourceVersion)
	}
	replicas, err := apps.ReplicaSets(w.namespace).List(w.Context(), all)
	w.make(nil, err)
	for _, o := range replicas.Items {
		late(o.Name, o.Generation, o.Status.ObservedGeneration)
		fmt.Fprintln(text, o.UID, o.ResourceVersion)
	}
	sets, err := apps.StatefulSets(w.namespace).List(w.Context(), all)
	w.make(nil, err)
	for _, o := range sets.Items {
		late(o.Name, o.Generation, o.Status.ObservedGeneration)
		fmt.Fprintln(text, o.UID, o.ResourceVersion)
	}
	daemons, err := apps.DaemonSets(w.namespace).List(w.Context(), all)
	w.make(nil, err)
	for _, o := range daemons.Items {
		late(o.Name, o.Generation, o.Status.ObservedGeneration)
		fmt.Fprintln(text, o.UID, o.ResourceVersion)
	}
	jobs, err := w.client.BatchV1().Jobs(w.namespace).List(w.Context(), all)
	w.make(nil, err)
	for i := range jobs.Items {
		o := &jobs.Items[i]
		over := slices.ContainsFunc(o.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Status == corev1.ConditionTrue
		})
		if want := *o.Spec.Parallelism; !over && o.Status.Active < want {
			busy = o.Name + " lacks pods" // a pod that fails is made again after 10 seconds and more
		}
		fmt.Fprintln(text, o.UID, o.ResourceVersion)
	}
	budgets, err := w.client.PolicyV1().PodDisruptionBudgets(w.namespace).List(w.Context(), all)
	w.make(nil, err)
	for _, o := range budgets.Items {
		late(o.Name, o.Generation, o.Status.ObservedGeneration)
		fmt.Fprintln(text, o.UID, o.ResourceVersion)
	}
	return text.String(), busy
}

// explained is the page about a word, in JSON, over a dump.
func (w *theatre) explained(word, dump string, into any, flags ...string) (out string) {
	w.Helper()
	args := append([]string{"explain", word, dump, "-n", w.namespace, "-o", "json", "-q"}, flags...)
	code, out, told := w.output(append(args, "--config", w.file("scheduler.settings"))...)
	if code != 0 && code != 3 {
		w.Errorf("schedstep %s: %d %s", strings.Join(args, " "), code, told)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		w.Errorf("schedstep %s: %v\n%s%s", strings.Join(args, " "), err, out, told)
	}
	return out
}
