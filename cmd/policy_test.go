package cmd_test

import (
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestTheAuditPolicyLogsWritesOfWhatIsReadAndNoSecrets(t *testing.T) {
	got := program(t, "record", "--print-audit-policy")
	var policy struct {
		Kind  string
		Rules []struct {
			Level     string
			Verbs     []string
			Resources []struct {
				Group     string
				Resources []string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(got.out), &policy); err != nil {
		t.Fatal(err)
	}
	var logged []string
	for _, r := range policy.Rules[0].Resources {
		logged = append(logged, r.Resources...)
	}
	for _, want := range []string{"pods", "pods/binding", "pods/eviction", "nodes/status", "resourceclaims/status"} {
		if !slices.Contains(logged, want) {
			t.Errorf("%s is not logged", want)
		}
	}
	for _, private := range []string{"secrets", "configmaps", "pods/exec", "pods/*", "serviceaccounts/token"} {
		if slices.Contains(logged, private) {
			t.Errorf("%s is logged", private)
		}
	}
}
