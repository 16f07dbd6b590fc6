package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// configGroup is the API group of scheduler configurations, in all its versions.
const configGroup = "kubescheduler.config.k8s.io/"

// config sets a scheduler configuration aside, also one inside a ConfigMap. It reports whether the object is done with.
func (d *decoder) config(h head, raw []byte) bool {
	switch {
	case isConfig(h.typeMeta):
		d.found.configs = append(d.found.configs, Config{Raw: bytes.Clone(raw), Source: d.place.source(h.kind)})
		return true
	case h.kind == "ConfigMap" &&
		(bytes.Contains(raw, []byte("KubeSchedulerConfiguration")) || bytes.Contains(raw, []byte("Policy"))):
		d.configMap(h, text.Member(raw, "data"))
	}
	return false
}

func isConfig(meta typeMeta) bool {
	old := meta.kind == "Policy" && (meta.apiVersion == "v1" || meta.apiVersion == "")
	return old || meta.kind == "KubeSchedulerConfiguration" && (meta.apiVersion == "" || strings.HasPrefix(
		meta.apiVersion, configGroup,
	) ||
		strings.HasPrefix(meta.apiVersion, "componentconfig/"))
}

// configMap looks through the values of a ConfigMap.
func (d *decoder) configMap(h head, data []byte) {
	_ = text.Members(data, func(key []byte, start, end int) bool {
		value := []byte(text.Unquote(data[start:end]))
		var meta struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		}
		if yaml.Unmarshal(value, &meta) == nil && isConfig(typeMeta{apiVersion: meta.APIVersion, kind: meta.Kind}) {
			source := fmt.Sprintf("%s configmap %s key %s", d.place.file.path, nameIn(h.metadata), key)
			d.found.configs = append(d.found.configs, Config{Raw: value, Source: source})
		}
		return true
	})
}

// withTypeMeta completes a configuration that a simulator exported without kind.
func withTypeMeta(raw []byte) []byte {
	var t tree
	if json.Unmarshal(raw, &t) != nil || t["kind"] != nil {
		return bytes.Clone(raw)
	}
	t["kind"] = json.RawMessage(`"KubeSchedulerConfiguration"`)
	if t["apiVersion"] == nil {
		t["apiVersion"] = json.RawMessage(`"` + configGroup + `v1"`)
	}
	complete, err := json.Marshal(t)
	if err != nil {
		return bytes.Clone(raw)
	}
	return complete
}
