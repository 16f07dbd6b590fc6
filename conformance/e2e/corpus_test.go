//go:build e2e

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

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/schedstep/schedstep/conformance/e2e"
	"github.com/schedstep/schedstep/conformance/e2e/controlplane"
)

var (
	corpusNodes = flag.Int("corpus-nodes", 40, "how many nodes TestThePastIsRebuiltFromItsTraces makes")
	corpusPods  = flag.Int("corpus-pods", 150, "how many pods it makes, besides those of Deployments")
	corpusKeep  = flag.String("corpus-keep", "", "a folder that its traces are left in")
	corpusEarly = flag.Bool("corpus-compact-early", false, "compact etcd to the end of the load, for a longer database")
	corpusRead  = flag.String("corpus-read", "", "a folder of such traces, which are judged again without a cluster")
)

// A cluster's life leaves its traces: a watch, the audit log, etcd's files, kube-scheduler's log. Each is read alone,
// and held beside the watch: how many versions it has, whether they lead to the same hash, and what the real scheduler
// decided beside what is decided here.
func TestThePastIsRebuiltFromItsTraces(t *testing.T) {
	if *corpusRead != "" {
		c := &corpus{traces: *corpusRead, running: &running{
			T: t, folder: evidence(t), program: filepath.Join(programs(t), "schedstep"),
		}}
		c.derive()
		c.judge()
		return
	}
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	smallest, err := exec.Command(filepath.Join(programs(t), "schedstep"), "record", "--print-audit-policy").Output()
	if err := errors.Join(err, os.WriteFile(policy, smallest, 0o600)); err != nil {
		t.Fatal(err)
	}
	c := &corpus{running: start(t, *corpusNodes, append(serving(), "--audit-policy-file="+policy)...)}
	c.live(*corpusPods)
	c.collect()
	c.judge()
}

// corpus is a cluster that leaves traces.
type corpus struct {
	*running
	traces string   // the folder of its traces
	faults []string // what is wrong, in the order in which it was found
}

// live is the cluster's life: the load of shadow, Deployments that roll out while kube-scheduler is dead, a compaction,
// nodes that are drained and one that is lost.
func (c *corpus) live(pods int) {
	c.Helper()
	file := c.file("watch.jsonl")
	record := c.follow("record", "-o", file, "--no-redact")
	c.ground()
	stop := c.staffed()
	defer stop()
	scheduler := c.decides("kube-scheduler-1")
	c.load(pods)
	loaded := c.revision()
	c.deployments(pods / 10)
	c.settled()
	scheduler.Stop()
	c.rollOut()
	if !*corpusEarly {
		loaded = c.revision()
	}
	c.make(nil, c.plane.Compact(c.Context(), loaded))
	scheduler = c.decides("kube-scheduler-2")
	defer scheduler.Stop()
	c.settled()
	c.leave("n01", "n02")
	c.make(nil, c.client.CoreV1().Nodes().Delete(c.Context(), "n03", metav1.DeleteOptions{}))
	c.pods("late", pods/10)
	c.settled()
	c.await("the pods of n03 are gone", func(ctx context.Context) bool {
		left, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=n03"})
		return err == nil && len(left.Items) == 0
	})
	c.settled()
	c.allRecorded(file)
	record.stop(c.T)
}

// revision is the last one of etcd.
func (c *corpus) revision() string {
	c.Helper()
	list, err := c.client.CoreV1().Pods("shop").List(c.Context(), metav1.ListOptions{Limit: 1})
	c.make(nil, err)
	return list.ResourceVersion
}

// corpusPause is how long kubelets pause between two looks: there are thousands of pods.
const corpusPause = time.Second

// staffed starts kube-controller-manager and kubelets.
func (c *corpus) staffed() (stop func()) {
	c.Helper()
	manager, err := c.plane.StartControllerManager(c.Context())
	c.make(nil, err)
	config := c.plane.KubeletConfig()
	config.ContentType, config.AcceptContentTypes = "application/vnd.kubernetes.protobuf", config.ContentType
	client, err := kubernetes.NewForConfig(config)
	c.make(nil, err)
	ctx, cancel := context.WithCancel(c.Context())
	kubelets, done := e2e.NewKubelets(client, time.Second), make(chan struct{})
	kubelets.Slow(corpusPause)
	go func() {
		defer close(done)
		kubelets.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
		manager.Stop()
	}
}

func (c *corpus) decides(name string) *controlplane.Scheduler {
	c.Helper()
	settings := []string{"--v=4"}
	if *shadowGates != "" {
		settings = append(settings, *shadowGates)
	}
	s, err := c.plane.StartScheduler(c.Context(), name, configuration(c.T), settings...)
	c.make(nil, err)
	return s
}

// corpusDeployments is how many Deployments there are.
const corpusDeployments = 5

// deployments makes Deployments with some replicas each, and waits until their pods are there.
func (c *corpus) deployments(replicas int) {
	c.Helper()
	for i := range corpusDeployments {
		labels := map[string]string{"app": fmt.Sprintf("shop-%d", i)}
		c.make(c.client.AppsV1().Deployments("shop").Create(c.Context(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: labels["app"]},
			Spec: appsv1.DeploymentSpec{
				Replicas: new(int32(replicas)), Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec: corev1.PodSpec{
						TerminationGracePeriodSeconds: new(int64(1)),
						Containers: []corev1.Container{{Name: "c", Image: "x", Resources: corev1.ResourceRequirements{
							Requests: corev1.ResourceList{"cpu": resource.MustParse("50m")},
						}}},
					},
				},
			},
		}, metav1.CreateOptions{}))
	}
	c.await("the pods of the Deployments are there", func(ctx context.Context) bool {
		list, err := c.client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{LabelSelector: "pod-template-hash"})
		return err == nil && len(list.Items) >= corpusDeployments*replicas
	})
}

// rollOut gives the Deployments another template.
func (c *corpus) rollOut() {
	c.Helper()
	for i := range corpusDeployments {
		template := []byte(`{"spec":{"template":{"metadata":{"annotations":{"round":"2"}}}}}`)
		c.make(c.client.AppsV1().Deployments("shop").Patch(c.Context(), fmt.Sprintf("shop-%d", i),
			types.StrategicMergePatchType, template, metav1.PatchOptions{}))
	}
}

// leave drains nodes by kubectl, as far as budgets let it.
func (c *corpus) leave(nodes ...string) {
	c.Helper()
	line := exec.Command(filepath.Join(programs(c.T), "kubectl"), append([]string{
		"--kubeconfig", c.plane.Kubeconfig(), "drain", "--force", "--timeout=20s",
	}, nodes...)...)
	if _, out, told := c.ended(line); !strings.Contains(out, "evicting pod") && !strings.Contains(told, "evicting pod") {
		c.Errorf("drain: %s%s", out, told)
	}
}
