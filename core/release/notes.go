package release

import (
	"embed"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Notes are differences between a release and the next one that gates and plugins do not show. The folder notes has
// them, a file for each release.
type Notes struct {
	Changes []Change // what this build plays
	Gaps    []Gap    // what it does not
}

// Change is something that a pod can feel when its cluster goes from a release to the next.
type Change struct {
	Who   string // the plugin, or the part of kube-scheduler
	Does  string // what it does in this release
	Then  string // what it does in the next one
	Shown string // the scenario of core/testdata that shows it
}

// Gap is something that kube-scheduler of a release does, and that this build does not do when it plays that release.
type Gap struct{ Who, Does string }

//go:embed notes/*.yaml
var notes embed.FS

// Notes reads what the folder notes has of the release. The newest one has nothing there: there is no next one.
func (r *Release) Notes() Notes {
	name := "notes/" + r.Version + ".yaml"
	text, err := notes.ReadFile(name)
	if err != nil {
		return Notes{}
	}
	var all Notes
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		panic(fmt.Sprintf("core/release/%s: %v", name, err)) // a part of this build, which its tests read whole
	}
	return all
}
