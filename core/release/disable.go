package release

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/internal/phrase"
)

// pointByPoint is the apiVersion whose plugins are disabled at each extension point by itself: it has no multiPoint.
const pointByPoint = "kubescheduler.config.k8s.io/v1beta1"

// Disabling is where in the configuration of this release a plugin is left out, such as "in KubeSchedulerConfiguration:
// profiles[].plugins.multiPoint.disabled: [{name: NodePorts}]". It is empty where no configuration can leave the plugin
// out: a predicate that runs whatever a Policy lists.
func (r *Release) Disabling(plugin string) phrase.Text {
	listed := "disabled: [{name: " + plugin + "}]"
	switch r.Configuration() {
	case "":
		return r.leavingOut(plugin)
	case pointByPoint:
		return phrase.Textf("in KubeSchedulerConfiguration: %s", "profiles[].plugins: {"+r.atEach(plugin, listed)+"}")
	}
	return phrase.Textf("in KubeSchedulerConfiguration: %s", "profiles[].plugins.multiPoint."+listed)
}

// leavingOut is Disabling for a release that reads files of kind Policy alone.
func (r *Release) leavingOut(plugin string) phrase.Text {
	if slices.Contains(r.Policy.Mandatory, plugin) {
		return ""
	}
	list := "predicates"
	if i := r.plugin(plugin); i >= 0 && r.Plugins[i].At(framework.Score) {
		list = "priorities"
	}
	return phrase.Textf("in the file of kind Policy: list the %s without %s", list, plugin)
}

// atEach has the extension points at which a plugin runs, each with what is listed there.
func (r *Release) atEach(plugin, listed string) string {
	i := r.plugin(plugin)
	if i < 0 {
		return "filter: {" + listed + "}"
	}
	all := make([]string, len(r.Plugins[i].Points))
	for at, point := range r.Plugins[i].Points {
		name := string(point)
		all[at] = strings.ToLower(name[:1]) + name[1:] + ": {" + listed + "}"
	}
	return strings.Join(all, ", ")
}
