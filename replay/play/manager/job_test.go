package manager_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/request"
)

const aJob = shop + `apiVersion: batch/v1
kind: Job
metadata: {name: night, namespace: shop}
spec:
  parallelism: 2
  template:
    metadata: {labels: {app: night}, finalizers: [batch.kubernetes.io/job-tracking]}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 5
      containers: [{name: main, image: night:1, resources: {requests: {cpu: "1"}}}]
---
`

// TestAJobMakesPodsAgainMoreAndMoreSlowly deletes one pod of a Job after the other: the next one comes 10 s after the
// first deletion began, 20 s after the second and 40 s after the third, however soon the pod is gone.
func TestAJobMakesPodsAgainMoreAndMoreSlowly(t *testing.T) {
	w := begin(t, aJob)
	for _, after := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		var victim *corev1.Pod
		there := map[string]bool{}
		w.player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
			victim, there[p.Key] = p.API, true
			return true
		})
		if len(there) != 2 {
			t.Fatalf("%d pods\n%s", len(there), strings.Join(w.facts, "\n"))
		}
		began := w.player.Scheduler().Now()
		w.update(request.Delete(request.Object{Kind: cluster.KindPod, Namespace: "shop", Name: victim.Name}))
		w.player.Scheduler().State().EachPod(func(p *cluster.Pod) bool {
			if p.API.Name == victim.Name {
				t.Errorf("%s has stopped and stays: %v", p.Key, p.API.Finalizers)
			}
			if there[p.Key] {
				return true
			}
			if waited := p.API.CreationTimestamp.Sub(began); waited < after || waited > after+2*time.Second {
				t.Errorf("%s comes after %v, want %v", p.Key, waited, after)
			}
			return true
		})
	}
}
