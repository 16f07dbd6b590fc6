package cmd_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// rolesIn are the rules of every ClusterRole in a stream of YAML: a verb and a resource each.
func rolesIn(t *testing.T, text string) []string {
	t.Helper()
	var rights []string
	for _, document := range strings.Split(text, "\n---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal([]byte(document), &role); err != nil || role.Kind != "ClusterRole" {
			continue
		}
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				for _, resource := range rule.Resources {
					rights = append(rights, verb+" "+resource+"."+rule.APIGroups[0])
				}
			}
		}
	}
	slices.Sort(rights)
	return rights
}

// TestTheManifestGivesWhatAuthAsksFor holds the role of deploy/shadow.yaml to the one that auth prints for a server
// that has every kind.
func TestTheManifestGivesWhatAuthAsksFor(t *testing.T) {
	running(t)
	manifest, err := os.ReadFile("../deploy/shadow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := program(t, "auth", "--role")
	if diff := cmp.Diff(rolesIn(t, got.out), rolesIn(t, string(manifest))); diff != "" {
		t.Errorf("(-auth +manifest):\n%s", diff)
	}
}
