package cmd_test

import (
	"fmt"
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
					rights = append(rights, fmt.Sprintf("%s %s.%s %s", verb, resource, rule.APIGroups[0], rule.ResourceNames))
				}
			}
		}
	}
	slices.Sort(rights)
	return rights
}

// TestTheManifestsGiveWhatAuthAsksFor holds the roles of deploy to those that auth prints for a server that has every
// kind.
func TestTheManifestsGiveWhatAuthAsksFor(t *testing.T) {
	running(t)
	for file, args := range map[string]string{"shadow": "auth --role", "drive": "auth --role --drive"} {
		manifest, err := os.ReadFile("../deploy/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		got := program(t, strings.Fields(args)...)
		if diff := cmp.Diff(rolesIn(t, got.out), rolesIn(t, string(manifest))); diff != "" {
			t.Errorf("%s (-auth +manifest):\n%s", file, diff)
		}
	}
}
