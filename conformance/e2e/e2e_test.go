//go:build e2e

package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/schedstep/schedstep/conformance/e2e"
	"github.com/schedstep/schedstep/core/cluster"
)

var reportFile = flag.String("report", "", "the file that the report is written to, as Markdown")

// programs is the folder of etcd, kube-apiserver and kube-scheduler.
func programs(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("SCHEDSTEP_E2E")
	if folder == "" {
		t.Fatal("SCHEDSTEP_E2E must name the folder of etcd, kube-apiserver and kube-scheduler; " +
			"make e2e builds them and runs this test")
	}
	return folder
}

func TestARealClusterAndSchedstepAgree(t *testing.T) {
	programs := programs(t)
	waves, err := e2e.Workload("testdata")
	if err != nil {
		t.Fatal(err)
	}
	report, err := e2e.Run(context.Background(), waves, e2e.Options{
		Programs: programs, Folder: evidence(t), Configuration: configuration(t), Log: t.Logf,
	})
	if err != nil {
		t.Fatal(err)
	}
	text := report.Markdown()
	t.Log("\n" + text)
	if *reportFile != "" {
		if err := os.WriteFile(*reportFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if unexplained := len(report.Unexplained()); unexplained > 0 {
		t.Errorf("%d differences, logged above", unexplained)
	}
	if all := report.Total(); all.Hosts.Of < 300 || all.Texts.Of < 300 || all.Victims.Of < 5 {
		t.Errorf("too little was compared: %s hosts, %s texts, %s victims", all.Hosts, all.Texts, all.Victims)
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) { f.mustBeFound(t, report.Segments) })
	}
}

// fault is something planted in schedstep, and what of the comparison must show it.
type fault struct {
	name          string
	configuration string // added to the true one
	tamper        func(cluster.Object)
	shows         string
}

func faults() []fault {
	const plugins = "profiles: [{plugins: {multiPoint: {%s}}}]\n"
	return []fault{
		{
			name:          "a weight is changed",
			configuration: fmt.Sprintf(plugins, "enabled: [{name: NodeResourcesFit, weight: 9}]"), shows: "host",
		},
		{
			name: "a plugin is left out", configuration: fmt.Sprintf(plugins, "disabled: [{name: InterPodAffinity}]"),
			shows: "condition",
		},
		{name: "a taint is overlooked", shows: "event", tamper: func(o cluster.Object) {
			if n, ok := o.(*corev1.Node); ok && n.Name == "edge0" {
				n.Spec.Taints = nil
			}
		}},
		{name: "budgets are ignored", shows: "victim", tamper: func(o cluster.Object) {
			if b, ok := o.(*policyv1.PodDisruptionBudget); ok {
				b.Status.DisruptionsAllowed = 100
			}
		}},
	}
}

// mustBeFound puts schedstep with the fault through all that kube-scheduler did.
func (f fault) mustBeFound(t *testing.T, segments []*e2e.Segment) {
	found := map[string]int{}
	for _, s := range segments {
		differences, err := s.Replay(append(configuration(t), f.configuration...), f.tamper)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			found[d.What]++
		}
	}
	if found[f.shows] == 0 {
		t.Errorf("no %s differs; what differs: %v", f.shows, found)
	}
}

func configuration(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "scheduler.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
