package importer

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// layout is what the paths of the input show about the tool that wrote it.
type layout struct {
	bundle, mustGather, sonobuoy, insights bool
	dumpRoots                              map[string]bool // folders with a nodes.json
	dumpSpaces                             map[string]bool // folders with a pods.json
	dumpLists                              map[string]bool // folders with other lists of a namespace
}

// The names of layouts, as in Dump.Formats.
const (
	bundleFormat   = "Troubleshoot support bundle"
	gatherFormat   = "must-gather"
	sonobuoyFormat = "sonobuoy"
	insightsFormat = "Insights archive"
	dumpFormat     = "kubectl cluster-info dump"
	exportFormat   = "kube-scheduler-simulator export"
)

// see takes note of one file of the input.
func (l *layout) see(name string) {
	name = filepath.ToSlash(name)
	folder, base := path.Split(name)
	folder = path.Clean(folder)
	switch {
	case strings.Contains(name, "cluster-resources/"):
		l.bundle = true
	case strings.Contains(name, "cluster-scoped-resources/"):
		l.mustGather = true
	case strings.Contains(name, "resources/cluster/"), strings.Contains(name, "resources/ns/"):
		l.sonobuoy = true
	case strings.Contains(name, "config/node/"), strings.Contains(name, "config/pod/"):
		l.insights = true
	case base == "nodes.json":
		l.dumpRoots = put(l.dumpRoots, folder)
	case base == "pods.json":
		l.dumpSpaces = put(l.dumpSpaces, folder)
	case base == "events.json", base == "services.json", base == "replicasets.json":
		l.dumpLists = put(l.dumpLists, folder)
	}
}

func put(set map[string]bool, key string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[key] = true
	return set
}

// isKnown reports whether the tool that wrote the input is known.
func (l *layout) isKnown() bool {
	return l.bundle || l.mustGather || l.sonobuoy || l.insights || l.spaces() != nil
}

// spaces lists the namespaces of a cluster-info dump; nil if the input is none. Of a dump without its nodes the folders
// of namespaces are left, each with its pods and other lists.
func (l *layout) spaces() []string {
	var names []string
	for _, folder := range sortedKeys(l.dumpSpaces) {
		if l.dumpRoots[path.Dir(folder)] || l.dumpLists[folder] {
			names = append(names, path.Base(folder))
		}
	}
	return names
}

// formats joins the layouts with the shapes of the files.
func (l *layout) formats(shapes map[string]bool) []string {
	var names []string
	if l.bundle {
		names = append(names, bundleFormat)
	}
	if l.mustGather {
		names = append(names, gatherFormat)
	}
	if l.sonobuoy {
		names = append(names, sonobuoyFormat)
	}
	if l.insights {
		names = append(names, insightsFormat)
	}
	if l.spaces() != nil {
		shapes[dumpFormat] = true
	}
	return append(names, sortedKeys(shapes)...)
}

// notes reports what a tool leaves out by default and a reader would not miss, and returns why nodes look emptier than
// they are; "" when they do not.
func (l *layout) notes(f *findings) phrase.Text {
	what, right := phrase.Text(""), phrase.Text("")
	spaces := l.spaces()
	switch {
	case spaces != nil &&
		!slices.ContainsFunc(spaces, func(name string) bool { return name != "default" && name != "kube-system" }):
		what = phrase.Textf("the dump holds the namespaces %s only", strings.Join(spaces, ", "))
		right = "kubectl cluster-info dump -A writes all"
	case l.mustGather, l.insights:
		what = "a must-gather holds the pods of the platform, not of ordinary namespaces"
		if l.insights {
			what = "an Insights archive holds the pods of the platform, not of ordinary namespaces"
		}
		right = "add the output of kubectl get pods -A -o yaml"
	default:
		return ""
	}
	f.problem(Problem{Severity: Notice, What: phrase.Textf("%s: nodes look emptier than they are", what), Right: right})
	return what
}
