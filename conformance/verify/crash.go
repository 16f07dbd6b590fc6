package verify

import (
	"encoding/json"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/replay/source"
)

// crash is why kube-scheduler 1.37.1 cannot answer at all; nil when it can. Its NodeResourcesBalancedAllocation ends
// the process where it has to look at the devices behind an extended resource (docs/differences.md).
func crash(configuration []byte, script source.Script) error {
	document := &configv1.KubeSchedulerConfiguration{}
	if err := yaml.Unmarshal(configuration, document); err != nil {
		return err
	}
	for _, p := range document.Profiles {
		for _, plugin := range p.PluginConfig {
			var args configv1.NodeResourcesBalancedAllocationArgs
			if plugin.Name != "NodeResourcesBalancedAllocation" || json.Unmarshal(plugin.Args.Raw, &args) != nil {
				continue
			}
			for _, r := range args.Resources {
				if class := behind(r.Name, script); class != "" {
					return fmt.Errorf("NodeResourcesBalancedAllocation is configured with %s, which DeviceClass %s stands for: "+
						"kube-scheduler 1.37.1 ends with a nil pointer where it scores by that, so there is nothing to compare "+
						"with (docs/differences.md)", r.Name,
						class)
				}
			}
		}
	}
	return nil
}

// behind is a DeviceClass with selectors that stands for the resource; "" when the
// script has none.
func behind(resource string, script source.Script) string {
	for _, t := range script {
		class, ok := t.Event.Object.(*resourcev1.DeviceClass)
		if !ok || len(class.Spec.Selectors) == 0 {
			continue
		}
		name := class.Spec.ExtendedResourceName
		if name != nil && *name == resource || resource == resourcev1.ResourceDeviceClassPrefix+class.Name {
			return class.Name
		}
	}
	return ""
}
