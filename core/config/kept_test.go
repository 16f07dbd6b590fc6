package config_test

import (
	"testing"

	"github.com/schedstep/schedstep/core/config"
)

func TestOfAConfigurationOnlyWhatDecidesIsKept(t *testing.T) {
	for name, c := range map[string]struct{ given, want string }{
		"an extender": {
			`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration # a comment
clientConnection: {kubeconfig: /root/kubeconfig}
extenders:
- urlPrefix: http://user:password@10.0.0.1:1/path?token=t
  filterVerb: filter?token=t
  weight: 3
  ignorable: true
  httpTimeout: 5s
  enableHTTPS: true
  tlsConfig: {keyData: UExBTlRFRC1rZXk=, caFile: /root/ca.pem}
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]
`,
			`{"apiVersion":"kubescheduler.config.k8s.io/v1","extenders":[{"filterVerb":"filter","ignorable":true,` +
				`"managedResources":[{"name":"example.com/gpu","ignoredByScheduler":true}],"urlPrefix":"extender-1","weight":3}],` +
				`"kind":"KubeSchedulerConfiguration"}`,
		},
		"args": {
			`{"apiVersion":"x","profiles":[{"schedulerName":"a","secret":"s","pluginConfig":[` +
				`{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated","secret":"s"},"secret":"s"}},` +
				`{"name":"Mine","args":{"what":"ever"}}],"plugins":{"score":{"enabled":[{"name":"Mine","weight":2}]}}}]}`,
			`{"apiVersion":"x","profiles":[{"pluginConfig":[{"args":{"scoringStrategy":{"type":"MostAllocated"}},` +
				`"name":"NodeResourcesFit"},{"args":{"what":"ever"},"name":"Mine"}],` +
				`"plugins":{"score":{"enabled":[{"name":"Mine","weight":2}]}},"schedulerName":"a"}]}`,
		},
		"a Policy": {
			`{"kind":"Policy","predicates":[],"extenders":[{"urlPrefix":"/p","BindVerb":"b","httpTimeout":1,` +
				`"tlsConfig":{"Insecure":true}}]}`,
			`{"extenders":[{"bindVerb":"bind","urlPrefix":"extender-1"}],"kind":"Policy","predicates":[]}`,
		},
		"nothing": {"", ""},
		"a list":  {"[1]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := config.Kept([]byte(c.given))
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if again := config.Kept(got); string(again) != string(got) {
				t.Errorf("kept twice: %s", again)
			}
		})
	}
}

func TestEveryMemberThatIsKeptHasAReasonAndStandsThereOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range config.KeptMembers() {
		if m.Why == "" || seen[m.Path] {
			t.Errorf("%s: reason %q, there before: %v", m.Path, m.Why, seen[m.Path])
		}
		seen[m.Path] = true
	}
}
