package plan_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// inNamespace moves objects to another namespace.
func inNamespace(name, manifest string) string {
	return strings.NewReplacer("namespace: shop", "namespace: "+name, "uid-", "uid-"+name+"-").Replace(manifest)
}

func TestAWordMeansOneThing(t *testing.T) {
	manifest := node("n1", "a", "8") + placed("ReplicaSet", "web", "web-1", "n1", "1", 0) +
		inNamespace("aaa", placed("ReplicaSet", "web", "web-9", "n1", "1", 0)) +
		placed("StatefulSet", "db", "db-0", "n1", "1", 0) + placed("ReplicaSet", "db", "db-x", "n1", "1", 0) +
		workload("Deployment", "api", 2, "1", "") + lone("alone", "1", 0)
	f := fleet(t, t, manifest)
	for word, want := range map[string]string{
		"rs/shop/web": "shop/web-1", "replicaset/aaa/web": "aaa/web-9", "shop/web": "shop/web-1",
		"sts/db": "shop/db-0", "statefulsets.apps/db": "shop/db-0", "rs/db": "shop/db-x", "db-0": "shop/db-0",
		"po/alone": "shop/alone", "alone": "shop/alone", "deploy/api": "shop/api-", "api": "shop/api-",
		"web":    `"web" may be replicaset/aaa/web or replicaset/shop/web`,
		"rs/web": `"rs/web" may be replicaset/aaa/web or replicaset/shop/web`,
		"db":     `"db" may be statefulset/shop/db or replicaset/shop/db`,
		"none":   `no pod here is of a workload "none"`, "a/b/c/d": `no pod here is of a workload "b/c/d"`,
	} {
		c, err := f.Capacity(t.Context(), word, 1, nil)
		if got := c.Pod; err != nil && err.Error() != want || err == nil && !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s %v, want %s", word, got, err, want)
		}
	}
}

func TestAPodBehindAGateIsNoPodThatRoomIsMadeFor(t *testing.T) {
	gated := strings.Replace(lone("big", "1", 0), "spec:\n", "spec:\n  schedulingGates: [{name: x}]\n", 1)
	f := fleet(t, t, node("n1", "a", "2")+gated)
	_, err := f.Room(t.Context(), plan.RoomFor{Workload: "big"}, nil)
	if want := "shop/big waits for its scheduling gates, not for a node"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestOnlyTheReplicasThatAreWantedCount(t *testing.T) {
	manifest := node("n1", "a", "2") + node("n2", "a", "1") + workload("Deployment", "api", 1, "1", "") +
		placed("ReplicaSet", "web", "web-1", "n1", "1", 0)
	f := fleet(t, t, strings.Replace(manifest, "  name: web-1\n",
		"  name: web-1\n  deletionTimestamp: \"2026-01-01T00:01:00Z\"\n  deletionGracePeriodSeconds: 60\n", 1))
	r, err := f.Room(t.Context(), plan.RoomFor{Workload: "api", Want: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Pods) != 1 || !strings.HasPrefix(r.Pods[0].Pod, "shop/api-") || r.Verdict != plan.Done {
		t.Errorf("%s %+v", r.Verdict, r.Pods)
	}
}
