package main

import (
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// plugin is a manifest of krew (krew.googlecontainertools.github.com/v1alpha2).
type plugin struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   pluginName `json:"metadata"`
	Spec       pluginSpec `json:"spec"`
}

type pluginName struct {
	Name string `json:"name"`
}

type pluginSpec struct {
	Version          string     `json:"version"`
	Homepage         string     `json:"homepage"`
	ShortDescription string     `json:"shortDescription"`
	Description      string     `json:"description"`
	Platforms        []platform `json:"platforms"`
}

type platform struct {
	Selector selector `json:"selector"`
	URI      string   `json:"uri"`
	SHA256   string   `json:"sha256"`
	Bin      string   `json:"bin"`
}

type selector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

const home = "https://github.com/schedstep/schedstep"

// manifest is what krew needs to install the archives. krew calls the program kubectl-schedstep by a link of its own.
func manifest(version string, archives []archive) plugin {
	p := plugin{
		APIVersion: "krew.googlecontainertools.github.com/v1alpha2", Kind: "Plugin",
		Metadata: pluginName{Name: "schedstep"},
		Spec: pluginSpec{
			Version: version, Homepage: home,
			ShortDescription: "Step through kube-scheduler's decisions",
			Description: "Says why a pod is pending: every filter on every node with its numbers, the scores, preemption,\n" +
				"and the smallest change that would place it. Follows a cluster that runs, or plays a dump or a\n" +
				"recording of one, forwards and backwards. It only reads the cluster.\n",
		},
	}
	for _, a := range archives {
		p.Spec.Platforms = append(p.Spec.Platforms, platform{
			Selector: selector{map[string]string{"os": a.os, "arch": a.arch}},
			URI:      home + "/releases/download/" + version + "/" + a.name, SHA256: a.sum, Bin: a.program(),
		})
	}
	return p
}

// describe writes the sums, and krew's manifest.
func (b *builder) describe() error {
	var sums strings.Builder
	for _, a := range b.built {
		sums.WriteString(a.sum + "  " + a.name + "\n")
	}
	if err := os.WriteFile(filepath.Join(b.folder, "checksums.txt"), []byte(sums.String()), 0o644); err != nil {
		return err
	}
	text, err := yaml.Marshal(manifest(b.version, b.built))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.folder, "schedstep.yaml"), text, 0o644)
}
