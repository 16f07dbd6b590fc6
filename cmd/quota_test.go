package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// quotaFile is a Deployment that wants five pods and has three, in a namespace whose quota allows three; used is what
// the quota has used.
func quotaFile(t *testing.T, used string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/plans/quota.yaml")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "quota.yaml")
	changed := strings.Replace(string(text), `used: {requests.cpu: "3"`, `used: {requests.cpu: "`+used+`"`, 1)
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const patchOfQuota = `kubectl patch resourcequota small -n shop --type=json -p ` +
	`'[{"op":"replace","path":"/spec/hard/requests.cpu","value":`

// TestAWorkloadThatLacksPodsForAQuotaIsExplained: no pod waits, and two are not made.
func TestAWorkloadThatLacksPodsForAQuotaIsExplained(t *testing.T) {
	for used, raised := range map[string]string{"3": "5", "4": "6"} { // one CPU is used by what the input does not show
		got := program(t, "explain", "deploy/shop/web", quotaFile(t, used))
		want := []string{
			"3 of 5 replicas fit", "For 5 of 5: raise the quota.", "does not let be made: 2",
			"exceeded quota: small, requested: requests.cpu=1, used: requests.cpu=" + used + ", limited: requests.cpu=3",
			"raise the quota: 5 of 5 fit", patchOfQuota + `"` + raised + `"}]'`,
		}
		for _, text := range want {
			if got.code != 3 || !strings.Contains(got.out, text) {
				t.Errorf("used %s: exit code %d, without %q:\n%s%s", used, got.code, text, got.out, got.err)
			}
		}
	}
	var page struct {
		Denied []struct {
			Missing, Fit int
			Command      string
		}
	}
	got := program(t, "explain", "deploy/shop/web", quotaFile(t, "3"), "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Denied) != 1 || page.Denied[0].Missing != 2 || page.Denied[0].Fit != 5 || page.Denied[0].Command == "" {
		t.Errorf("denied: %+v", page.Denied)
	}
}

// drained is what is read of a plan.
type drained struct {
	Verdict string
	Steps   []struct {
		Moves []struct {
			To   string
			Away float64
		}
	}
	Denied []struct {
		Missing, Before int
		Message         string
	}
	Unlocks []struct{ Kubectl []string }
}

// TestADrainWaitsForTheQuota: a pod counts until it is gone, so that its replacement is made after it and not beside
// it.
func TestADrainWaitsForTheQuota(t *testing.T) {
	var p drained
	got := program(t, "plan", "drain", "n1", quotaFile(t, "3"), "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &p); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v: %s", got.code, err, got.err)
	}
	for _, s := range p.Steps[1:] {
		if len(s.Moves) != 1 || s.Moves[0].To != "n2" || s.Moves[0].Away < 30 {
			t.Errorf("a pod is away for less than its grace period: %+v", s.Moves)
		}
	}
	if p.Verdict != "done" || len(p.Denied) != 1 || p.Denied[0].Missing != 2 || p.Denied[0].Before != 2 {
		t.Errorf("%s, denied %+v", p.Verdict, p.Denied)
	}
}

// TestADrainBeyondTheQuotaIsUnlockedByARaise: more is used than the quota allows, so that one pod less comes back.
func TestADrainBeyondTheQuotaIsUnlockedByARaise(t *testing.T) {
	var p drained
	got := program(t, "plan", "drain", "n1", quotaFile(t, "4"), "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &p); err != nil || got.code != 3 {
		t.Fatalf("exit code %d, %v: %s", got.code, err, got.err)
	}
	if p.Verdict != "pending" || len(p.Denied) != 1 || p.Denied[0].Missing != 3 || p.Denied[0].Before != 2 {
		t.Errorf("%s, denied %+v", p.Verdict, p.Denied)
	}
	if len(p.Unlocks) != 1 || p.Unlocks[0].Kubectl[0] != patchOfQuota+`"4"}]'` {
		t.Errorf("unlocks %+v", p.Unlocks)
	}
	text := program(t, "plan", "drain", "n1", quotaFile(t, "4")).out
	if !strings.Contains(text, "made again: 1") || !strings.Contains(text, "ReplicaSet shop/web-1 without pods: 1: pods") {
		t.Errorf("the plan:\n%s", text)
	}
	if lost := program(t, "plan", "lose", "node=n1", quotaFile(t, "4")); lost.code != 3 ||
		!strings.Contains(lost.out, "ReplicaSet shop/web-1 without pods: 1: pods") {
		t.Errorf("exit code %d, the loss:\n%s", lost.code, lost.out)
	}
}

// TestAWorkloadWhosePodsAreNotMadeForNoReasonThatIsShown: no quota, no pod waits, and two are missing.
func TestAWorkloadWhosePodsAreNotMadeForNoReasonThatIsShown(t *testing.T) {
	text, err := os.ReadFile(quotaFile(t, "3"))
	if err != nil {
		t.Fatal(err)
	}
	got := program(t, "explain", "deploy/shop/web", inFile(t, strings.Replace(
		string(text), "kind: ResourceQuota", "kind: ConfigMap", 1,
	)))
	if got.code != 3 || !strings.Contains(got.out, "No pod waits; why the others are not made") {
		t.Errorf("exit code %d:\n%s%s", got.code, got.out, got.err)
	}
}
