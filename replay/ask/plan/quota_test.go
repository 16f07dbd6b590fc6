package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/ask/plan"
)

// teamOf is a quota of so many pods and so much cpu.
func teamOf(pods, cpu int) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: shop}
spec: {hard: {pods: "%d", requests.cpu: "%d"}}
---
`, pods, cpu)
}

// A quota ends what fits before the nodes do. By how much it has to be raised is run, and is found again in a cluster
// whose quota is that one.
func TestCapacityEndsAtAQuota(t *testing.T) {
	withQuota := func(quota string) plan.Capacity {
		found, err := fleet(t, t, node("n1", "a", "8")+workload("Deployment", "web", 2, "1", "")+quota).Capacity(
			t.Context(), "web", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	got := withQuota(teamOf(5, 4))
	if got.Placed != 2 || got.Quota != "team" || !strings.Contains(got.Message, "exceeded quota: team, requested: "+
		"requests.cpu=1, used: requests.cpu=4, limited: requests.cpu=4") {
		t.Errorf("%+v", got)
	}
	if len(got.Lifts) != 1 || got.Lifts[0].More != 4 || len(got.Lifts[0].Kubectl) != 1 {
		t.Fatalf("with the quota raised %+v, want 4 more", got.Lifts)
	}
	for _, part := range []string{`/spec/hard/pods","value":"8"`, `/spec/hard/requests.cpu","value":"8"`} {
		if !strings.Contains(got.Lifts[0].Kubectl[0], part) {
			t.Errorf("%s lacks %s", got.Lifts[0].Kubectl[0], part)
		}
	}
	if all := withQuota(teamOf(8, 8)); all.Placed != got.Placed+got.Lifts[0].More || all.Message == "" {
		t.Errorf("in the cluster with that quota %d fit, want %d", all.Placed, got.Placed+got.Lifts[0].More)
	}
	if less := withQuota(teamOf(7, 8)); less.Placed != 5 || less.Quota != "team" {
		t.Errorf("with a pod less in the quota %d fit, want 5", less.Placed)
	}
	if none := withQuota(teamOf(50, 50)); none.Quota != "" || none.Placed != 6 {
		t.Errorf("with a large quota %+v", none)
	}
}

// More replicas than a quota allows are wanted: it is raised first, in room and in nodes to buy. Pods that name too
// little for a quota are not made, whatever it allows.
func TestWantedReplicasRaiseTheirQuota(t *testing.T) {
	small := node("n1", "a", "8") + teamOf(5, 4)
	web := workload("Deployment", "web", 2, "1", "")
	r := roomFor(t, small+web, plan.RoomFor{Workload: "web", Want: 6})
	if r.Verdict != plan.Done || len(r.Steps) != 2 || len(r.Pods) != 6 || len(r.Quotas) != 2 ||
		!strings.HasPrefix(r.Steps[0].Kubectl, "kubectl patch resourcequota team -n shop ") {
		t.Errorf("%+v", r)
	}
	for _, p := range r.Pods {
		if p.To != "n1" {
			t.Errorf("%s is on %q, want n1", p.Pod, p.To)
		}
	}
	of, offers := plan.BuyOf{Workload: "web", Want: 10}, offersHead+offered("four", "4", "8Gi", "1")
	if b := bought(t, t, small+web, offers, of); b.Verdict != plan.Done || nodesOf(b) != "1 four" || b.Pods != 4 ||
		len(b.Kubectl) != 2 || !strings.Contains(b.Kubectl[0], `/spec/hard/pods","value":"12"`) {
		t.Errorf("%+v", b)
	}
	silent := strings.Replace(web, `requests: {cpu: "1"}`, `requests: {memory: 1Mi}`, 1)
	if b := bought(t, t, small+silent, offers, of); b.Verdict != plan.Pending || plan.Unmade(b.Denied) != 10 ||
		len(b.Quotas) > 0 {
		t.Errorf("%+v", b)
	}
	_, err := fleet(t, t, small+silent).Room(t.Context(), plan.RoomFor{Workload: "web", Want: 6}, nil)
	if err == nil || !strings.Contains(err.Error(), "failed quota: team: must specify requests.cpu for: main") {
		t.Errorf("%v", err)
	}
}
