//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/replay/source/live"
)

// Two drive under one name while pods arrive, as many as the nodes have room for. The one with the lease is killed.
func TestADriverThatIsKilledLeavesOnlyBoundPodsAndAnotherTakesOver(t *testing.T) {
	const before, meanwhile, after = 60, 60, 40 // 160: forty on each of the four nodes, and not one more
	r := start(t, 4)
	r.mayDrive()
	first := r.drive("driving:")
	second := r.drive("waiting for the lease kube-system/schedstep-schedstep")
	r.many(0, before)
	r.await("some are bound", func(ctx context.Context) bool { return r.bound(ctx, "many") >= before/3 })
	held := r.lease()
	r.make(nil, first.Process.Kill())
	r.many(before, before+meanwhile)
	<-first.gone
	r.onlyBound()
	taken := r.lease()
	r.await("the other one has the lease", func(context.Context) bool {
		if taken = r.lease(); *taken.HolderIdentity == *held.HolderIdentity {
			held = taken
		}
		return taken != held
	})
	if waited := taken.AcquireTime.Sub(held.RenewTime.Time); waited < live.LeaseTime-time.Millisecond {
		t.Errorf("the other one has the lease %v after it was last renewed", waited)
	}
	r.await("the other one drives", func(context.Context) bool { return second.says("driving:") != "" })
	r.many(before+meanwhile, before+meanwhile+after)
	r.await("all are bound", func(ctx context.Context) bool {
		return r.bound(ctx, "many") == before+meanwhile+after
	})
	second.stopUnrefused(t)
	r.boundOnce(before + meanwhile + after)
	third := r.drive("driving:") // the lease was given back: the next driver need not wait for its end
	third.stop(t)
	if third.says("waiting for the lease") != "" && second.says("no answer in time") == "" {
		t.Error("the lease was not given back")
	}
}

// lease is the spec of the drivers' lease.
func (r *running) lease() *coordinationv1.LeaseSpec {
	r.Helper()
	name := live.LeaseName("schedstep")
	l, err := r.client.CoordinationV1().Leases(live.LeaseNamespace).Get(r.Context(), name, metav1.GetOptions{})
	r.make(nil, err)
	return &l.Spec
}

// many makes the small pods with the numbers from one to another for schedstep.
func (r *running) many(from, to int) {
	r.Helper()
	for i := from; i < to; i++ {
		r.wanted(fmt.Sprintf("many-%03d", i), "schedstep", 10, nil)
	}
}

// onlyBound holds that pods without a node bear no trace of a scheduler.
func (r *running) onlyBound() {
	r.Helper()
	pods, err := r.client.CoreV1().Pods("shop").List(r.Context(), metav1.ListOptions{})
	r.make(nil, err)
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Spec.NodeName == "" && (p.Status.NominatedNodeName != "" || len(p.Status.Conditions) > 0) {
			r.Errorf("of %s there is left %v", p.Name, p.Status)
		}
	}
}

// boundOnce holds that the server got one request to bind each of so many pods, and no second one.
func (r *running) boundOnce(pods int) {
	r.Helper()
	log, err := os.ReadFile(r.plane.AuditLog())
	r.make(nil, err)
	asked := map[string]int{}
	for line := range strings.Lines(string(log)) {
		var e audited
		if json.Unmarshal([]byte(line), &e) == nil && e.Stage == "ResponseComplete" && e.ObjectRef.Subresource == "binding" {
			asked[e.ObjectRef.Name]++
		}
	}
	for name, n := range asked {
		if n != 1 {
			r.Errorf("the server was asked %d times to bind %s", n, name)
		}
	}
	if len(asked) != pods {
		r.Errorf("%d of %d pods were bound", len(asked), pods)
	}
}
