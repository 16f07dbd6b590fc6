package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
)

func TestDriveRefusesTheNameOfTheClustersOwnScheduler(t *testing.T) {
	s := running(t)
	for _, args := range []string{
		"drive --scheduler-name default-scheduler", "drive --dry-run yes", "drive -o yaml", "drive web",
	} {
		if got := program(t, strings.Fields(args)...); got.code != 2 {
			t.Errorf("%s: exit code %d: %s", args, got.code, got.err)
		}
	}
	if n := len(s.Requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestDriveSaysWhichRightIsMissingForTheLease(t *testing.T) {
	s := running(t)
	s.Refuse("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/schedstep-schedstep", 403)
	got := program(t, "drive")
	if got.code != 1 || !strings.Contains(got.err, "lease kube-system/schedstep-schedstep: you may not do this") {
		t.Errorf("%d %s", got.code, got.err)
	}
}

func TestAuthAsksForTheRightsOfDrive(t *testing.T) {
	s := running(t)
	if got := program(t, "auth", "--drive"); got.code != 0 || !strings.Contains(got.out, "create pods/binding") ||
		!strings.Contains(got.out, "update leases.coordination.k8s.io schedstep-schedstep") {
		t.Errorf("%d %s%s", got.code, got.out, got.err)
	}
	for _, r := range s.Requests() {
		if !strings.HasPrefix(r, "GET ") && !strings.Contains(r, "/selfsubject") {
			t.Errorf("the server was sent %s", r)
		}
	}
}

// Only drive makes what writes: the one call of Cluster.Drive is in drive.go.
func TestNobodyElseMakesADriver(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, is := n.(*ast.SelectorExpr); is && (call.Sel.Name == "Drive" || call.Sel.Name == "Driver") {
				calls[f.Name()]++
			}
			return true
		})
	}
	if len(calls) != 1 || calls["drive.go"] == 0 {
		t.Errorf("drivers are made in %v", calls)
	}
}

func TestWithoutDriveNothingButReadsIsSent(t *testing.T) {
	for _, args := range []string{
		"run -q", "explain small -q", "shadow --for 1ms -q", "record -o x --for 1ms -q", "auth",
	} {
		s := running(t)
		t.Chdir(t.TempDir())
		program(t, strings.Fields(args)...)
		for _, r := range s.Requests() {
			reads := strings.HasPrefix(r, "GET ") || strings.HasPrefix(r, "WATCH ")
			if !reads && !strings.Contains(r, "/selfsubject") {
				t.Errorf("%s sends %s", args, r)
			}
		}
		if len(s.Requests()) < 10 || s.Get(cluster.KindPod, "shop/small") == nil {
			t.Errorf("%s asks for nothing", args)
		}
	}
}
