package release_test

import (
	"testing"

	"github.com/schedstep/schedstep/core/release"
)

func TestWhereAPluginIsLeftOut(t *testing.T) {
	for _, test := range []struct{ version, plugin, want string }{
		{
			"1.37", "NodePorts",
			"in KubeSchedulerConfiguration: profiles[].plugins.multiPoint.disabled: [{name: NodePorts}]",
		},
		{
			"1.29", "MyPlugin",
			"in KubeSchedulerConfiguration: profiles[].plugins.multiPoint.disabled: [{name: MyPlugin}]",
		},
		{
			"1.19", "NodePorts", "in KubeSchedulerConfiguration: profiles[].plugins: " +
				"{preFilter: {disabled: [{name: NodePorts}]}, filter: {disabled: [{name: NodePorts}]}}",
		},
		{
			"1.19", "MyPlugin",
			"in KubeSchedulerConfiguration: profiles[].plugins: {filter: {disabled: [{name: MyPlugin}]}}",
		},
		{"1.10", "NoDiskConflict", "in the file of kind Policy: list the predicates without NoDiskConflict"},
		{"1.10", "ImageLocalityPriority", "in the file of kind Policy: list the priorities without ImageLocalityPriority"},
		{"1.10", "CheckNodeCondition", ""},
		{"1.6", "CheckNodeMemoryPressure", "in the file of kind Policy: list the predicates without CheckNodeMemoryPressure"},
	} {
		r, ok := release.Find(test.version)
		if !ok {
			t.Fatalf("%s is no release", test.version)
		}
		if said := r.Disabling(test.plugin); said.String() != test.want {
			t.Errorf("%s, %s: %q, want %q", test.version, test.plugin, said, test.want)
		}
	}
}
