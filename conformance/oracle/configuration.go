package oracle

import (
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// parseConfiguration decodes, defaults and validates as kube-scheduler's
// --config does.
func parseConfiguration(data []byte) (*config.KubeSchedulerConfiguration, error) {
	if len(data) == 0 {
		return latest.Default()
	}
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	configuration, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("scheduler configuration: %s is not a KubeSchedulerConfiguration", kind)
	}
	configuration.APIVersion = kind.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(configuration); err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	return configuration, nil
}
