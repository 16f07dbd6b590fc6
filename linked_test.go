package house_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// unlinked is what the programs that are handed out do not have in them: kube-scheduler's framework and what it is made
// of, and module host, which hosts its plugins. Programs of "schedstep build" have them.
var unlinked = []string{"k8s.io/kube-scheduler/framework", "k8s.io/kubernetes", module + "host", module + "conformance"}

// TestTheShippedProgramsLinkNoFramework lists all packages that are linked. The test cache knows of go.mod, by which
// they change; what packages of ours import is seen by TestImportsFollowTheTable.
func TestTheShippedProgramsLinkNoFramework(t *testing.T) {
	if _, err := os.ReadFile("go.mod"); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-deps", "./cmd/schedstep", "./cmd/kubectl-schedstep").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, module+"internal/builder") {
		t.Error("the builder is not linked: the list is another one")
	}
	for _, p := range packages {
		for _, u := range unlinked {
			if p == strings.TrimSuffix(u, "/") || strings.HasPrefix(p, u+"/") {
				t.Errorf("%s is linked", p)
			}
		}
	}
}
