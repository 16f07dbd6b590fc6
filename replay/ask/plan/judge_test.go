package plan_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// under is a configuration with something in its only profile.
func under(t *testing.T, profile string) *config.Config {
	t.Helper()
	c, err := config.Load([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
`+profile), "config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	anyLabels = "  plugins: {multiPoint: {disabled: [{name: NodeAffinity}]}}\n"
	anyTaints = "  plugins: {multiPoint: {disabled: [{name: TaintToleration}]}}\n"
	anyDongle = "  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/dongle]}}]\n"
)

func TestABoundForbidsNothingThatTheProfileAllows(t *testing.T) {
	two := node("n1", "a", "2") + node("n2", "a", "1") + placed("ReplicaSet", "web", "web-1", "n1", "1", 0)
	for _, test := range []struct{ name, profile, nodes, pod string }{
		{"labels of nodes", anyLabels, two, strings.Replace(lone("big", "2", 0), "spec:\n", "spec:\n  nodeSelector: {no: t}\n", 1)},
		{
			"taints of nodes", anyTaints,
			strings.ReplaceAll(two, "status: {alloc", "spec: {taints: [{key: k, effect: NoSchedule}]}\nstatus: {alloc"),
			lone("big", "2", 0),
		},
		{
			"an extended resource", anyDongle, two,
			strings.Replace(lone("big", "2", 0), `cpu: "2"`, `cpu: "2", example.com/dongle: 1}, limits: {example.com/dongle: 1`, 1),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := fleetUnder(t, t, test.nodes+test.pod, under(t, test.profile))
			r, err := f.Room(t.Context(), plan.RoomFor{Workload: "big"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := evicted(r.Steps); r.Verdict != plan.Done || strings.Join(got, " ") != "web-1" || r.Pods[0].To != "n1" {
				t.Errorf("room: %s %v %+v", r.Verdict, got, r.Pods)
			}
			offers, err := f.Offers([]byte(offersHead + strings.Replace(offered("small", "2", "8Gi", "1"), "status: {alloc",
				"spec: {taints: [{key: k, effect: NoSchedule}]}, status: {alloc", strings.Count(test.profile, "Taint"))))
			if err != nil {
				t.Fatal(err)
			}
			b, err := f.Buy(t.Context(), plan.BuyOf{Offers: offers}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if b.Verdict != plan.Done || nodesOf(b) != "1 small" {
				t.Errorf("nodes: %s, %s", b.Verdict, nodesOf(b))
			}
		})
	}
}

func TestAPodThatItsKubeletRefusesHasNoNode(t *testing.T) {
	big := strings.Replace(lone("big", "2", 0), `cpu: "2"`,
		`cpu: "2", example.com/dongle: 2}, limits: {example.com/dongle: 2`, 1)
	f := fleetUnder(t, t, node("n1", "a", "1")+big, under(t, anyDongle))
	offers, err := f.Offers([]byte(offersHead + strings.Replace(offered("small", "2", "8Gi", "1"), `pods: "20"`,
		`pods: "20", example.com/dongle: 1`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Buy(t.Context(), plan.BuyOf{Offers: offers}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Verdict != plan.Pending || len(b.Pending) != 1 {
		t.Errorf("%+v", b)
	}
}

func TestAPodThatHasWaitedIsTriedAtOnceWhateverTheBackoffIs(t *testing.T) {
	of, err := config.Options{}.For("1.30") // which cuts no backoff short
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadWith([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
podInitialBackoffSeconds: 200
podMaxBackoffSeconds: 300
`), "config.yaml", of)
	if err != nil {
		t.Fatal(err)
	}
	f := fleetUnder(t, t, node("n1", "a", "3")+placed("ReplicaSet", "web", "web-1", "n1", "2", 0)+lone("big", "3", 0)+
		node("n2", "a", "2"), c)
	r, err := f.Room(t.Context(), plan.RoomFor{Workload: "big"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if big := r.Pods[0]; big.To != "n1" || big.Away < 0 || big.Away > 60 {
		t.Errorf("%s %+v", r.Verdict, r.Pods)
	}
}
