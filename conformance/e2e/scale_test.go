//go:build e2e

package e2e_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/schedstep/schedstep/conformance/e2e"
	"github.com/schedstep/schedstep/replay/play/input"
)

var (
	scaleNodes  = flag.Int("scale-nodes", 10, "how many nodes TestALargeClusterIsFollowed makes")
	scalePods   = flag.Int("scale-pods", 100, "how many pods with a node it makes")
	scaleEvents = flag.Int("scale-events", 40, "how many pods come while schedstep follows the cluster")
	scaleRate   = flag.Int("scale-rate", 200, "how many of them in a second")
)

// sentAt is the label with the moment when a pod was sent, in microseconds since 1970.
const sentAt = "example.com/sent"

// What it measures is logged; what it claims is that everything is there and that everything that comes arrives.
func TestALargeClusterIsFollowed(t *testing.T) {
	r := start(t, *scaleNodes)
	r.spread("old", *scalePods, 0)
	for range 2 {
		r.attachOnce()
	}
	file := r.file("scale.jsonl")
	shadow, record := r.follow("shadow", "-o", "json"), r.follow("record", "-o", file, "--no-redact")
	arrived := r.watchBare("new", *scaleEvents)
	r.spread("new", *scaleEvents, *scaleRate)
	r.make(nil, e2e.Await(t.Context(), func(context.Context) (bool, error) {
		written := podsOf(t, file, func(e entry) bool { return strings.HasPrefix(e.O.Metadata.Name, "new") })
		return len(written) == *scaleEvents, nil
	}))
	record.stop(t)
	shadow.stop(t)
	r.lag(file, <-arrived)
}

// watchBare watches pods with nothing else to do, and returns when each came: how long the API server itself takes.
func (r *running) watchBare(app string, n int) <-chan map[string]time.Time {
	r.Helper()
	events, err := r.client.CoreV1().Pods("shop").Watch(r.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	r.make(nil, err)
	arrived := make(chan map[string]time.Time, 1)
	go func() {
		defer events.Stop()
		came := map[string]time.Time{}
		for e := range events.ResultChan() {
			if pod, is := e.Object.(*corev1.Pod); is && e.Type == watch.Added {
				came[pod.Name] = e2e.Moment()
			}
			if len(came) == n {
				break
			}
		}
		arrived <- came
	}()
	return arrived
}

// attachOnce opens the cluster as a person does, and logs how long it takes to see it.
func (r *running) attachOnce() {
	r.Helper()
	c := r.command("attach", "--plain")
	in, err := c.StdinPipe()
	r.make(nil, err)
	out, err := c.StdoutPipe()
	r.make(nil, err)
	told, err := c.StderrPipe()
	r.make(nil, err)
	clock := e2e.NewStopwatch()
	r.make(nil, c.Start())
	lists := make(chan float64, 1)
	go func() {
		for lines := bufio.NewScanner(told); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "following ") {
				lists <- clock.Seconds()
			}
		}
	}()
	first, err := bufio.NewReader(out).ReadString('\n')
	frame := clock.Seconds()
	r.make(nil, err)
	r.make(in.Write([]byte("quit\n")))
	_ = c.Wait() // its code depends on whether every pod has a node
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	r.Logf("lists %.1f s, first frame %.1f s (%q), %d MB, %.1f s of CPU", <-lists, frame,
		strings.TrimSpace(first), usage.Maxrss>>10, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
}

// spread makes pods that have nodes: at a rate in a second; 0: as fast as the server takes them.
func (r *running) spread(prefix string, n, rate int) {
	r.Helper()
	var work sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		work.Go(func() {
			for i := range numbers {
				_, err := r.client.CoreV1().Pods("shop").Create(r.Context(), &corev1.Pod{
					ObjectMeta: metav1.ObjectMeta{
						Name: fmt.Sprintf("%s-%05d", prefix, i), Namespace: "shop",
						Labels: map[string]string{"app": prefix, sentAt: strconv.FormatInt(e2e.Moment().UnixMicro(), 10)},
					},
					Spec: corev1.PodSpec{NodeName: fmt.Sprintf("n%02d", i%*scaleNodes), Containers: []corev1.Container{{
						Name: "c", Image: "x", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
							"cpu": resource.MustParse("100m"), "memory": resource.MustParse("64Mi"),
						}},
					}}},
				}, metav1.CreateOptions{})
				if err != nil {
					r.Error(err)
				}
			}
		})
	}
	e2e.AtRate(n, rate, func(i int) { numbers <- i })
	close(numbers)
	work.Wait()
}

// lag logs how long pods were on their way from the program that made them to the recording, to the bare watch, and how
// much later than there they were recorded.
func (r *running) lag(file string, bare map[string]time.Time) {
	r.Helper()
	in, err := input.Read(r.Context(), []string{file}, input.Options{})
	r.make(nil, err)
	var recorded, watched, later []time.Duration
	for _, entry := range in.Script {
		pod, is := entry.Event.Object.(*corev1.Pod)
		if !is || pod.Labels["app"] != "new" {
			continue
		}
		micros, err := strconv.ParseInt(pod.Labels[sentAt], 10, 64)
		r.make(nil, err)
		sent := time.UnixMicro(micros)
		recorded = append(recorded, entry.At.Sub(sent))
		watched = append(watched, bare[pod.Name].Sub(sent))
		later = append(later, entry.At.Sub(bare[pod.Name]))
	}
	if len(recorded) < *scaleEvents {
		r.Fatalf("%d of %d pods arrived", len(recorded), *scaleEvents)
	}
	size, err := os.Stat(file)
	r.make(nil, err)
	r.Logf("%d pods on their way to the recording: %s; %d kB recorded", len(recorded), spans(recorded), size.Size()>>10)
	r.Logf("on their way to a bare watch: %s; recorded later than there: %s", spans(watched), spans(later))
}

// spans prints the half, the 99th of a hundred and the longest of some times.
func spans(all []time.Duration) string {
	slices.Sort(all)
	return fmt.Sprintf("half %v, 99 %% %v, at most %v", all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
}
