package volumebinding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/csi-translation-lib/plugins"

	"github.com/schedstep/schedstep/core/cluster"
)

// bound is a claim with its volume.
type bound struct {
	claim    string // key
	name     string // of the volume
	volume   *cluster.Volume
	inTree   string          // the plugin the volume belongs to, when nodes may have migrated it to CSI; else ""
	migrated *cluster.Volume // as CSI sees it; made when the first node has migrated the plugin
	err      string          // what went wrong with the volume
}

func (p *Plugin) boundVolume(claim *corev1.PersistentVolumeClaim, objects *cluster.Objects) bound {
	b := bound{claim: cluster.Key(claim), name: claim.Spec.VolumeName}
	api, ok := objects.Volumes.Believed(b.name)
	if !ok {
		return b
	}
	b.volume = cluster.ParseVolume(api)
	b.migrate(p)
	return b
}

// migrate finds out whether the volume is one that nodes may have migrated to CSI.
func (b *bound) migrate(p *Plugin) {
	if !p.translator.IsPVMigratable(b.volume.API) {
		return
	}
	plugin, err := p.translator.GetInTreePluginNameFromSpec(b.volume.API, nil)
	switch {
	case err != nil:
		b.err = fmt.Sprintf("could not get plugin name from pv: %v", err)
	case isMigrating(plugin):
		b.inTree = plugin
	}
}

// isMigrating reports whether kube-scheduler 1.37 assumes the migration of an in-tree plugin to CSI, once a node has
// done it.
func isMigrating(plugin string) bool {
	switch plugin {
	case plugins.AWSEBSInTreePluginName, plugins.GCEPDInTreePluginName, plugins.AzureDiskInTreePluginName,
		plugins.CinderInTreePluginName, plugins.PortworxVolumePluginName:
		return true
	}
	return false
}

// hasMigrated reports whether a node has migrated the plugin; node is nil when there is no CSINode for it.
func hasMigrated(node *storagev1.CSINode, plugin string) bool {
	if node == nil {
		return false
	}
	list := node.Annotations[corev1.MigratedPluginsAnnotationKey]
	return list != "" && slices.Contains(strings.Split(list, ","), plugin)
}

// on is the volume as the node sees it.
func (b *bound) on(p *Plugin, node string, objects *cluster.Objects) (*cluster.Volume, string) {
	if b.err != "" || b.inTree == "" {
		return b.volume, b.err
	}
	csi, _ := objects.CSINodes.Find(node)
	if !hasMigrated(csi, b.inTree) {
		return b.volume, ""
	}
	if b.migrated == nil {
		api, err := p.translator.TranslateInTreePVToCSI(logr.Discard(), b.volume.API)
		if err != nil {
			return nil, fmt.Sprintf("could not translate pv: %v", err)
		}
		b.migrated = cluster.ParseVolume(api)
	}
	return b.migrated, ""
}

// reaches reports whether the volume can be used from a node; node has labels only, as upstream matches it. An affinity
// that cannot be parsed fits no node.
func reaches(v *cluster.Volume, node *corev1.Node) bool {
	if v.Affinity == nil {
		return true
	}
	match, err := v.Affinity.Match(node)
	return match && err == nil
}

// namedNodes is which nodes the bound volumes name together, where a release reads names of nodes from them; nil: any.
func (s *study) namedNodes() []string {
	if !s.plugin.ways.LocalVolumesNameNodes {
		return nil
	}
	var all sets.Set[string]
	for i := range s.bound {
		if s.bound[i].volume == nil {
			return nil
		}
		names := hostnames(s.bound[i].volume.API)
		switch {
		case len(names) == 0:
		case all == nil:
			all = names
		default:
			all = all.Intersection(names)
		}
	}
	if all == nil {
		return nil
	}
	return sets.List(all)
}

// hostnames are the values of kubernetes.io/hostname that any term of a volume's affinity asks for. A term without that
// label adds none, though it can be satisfied elsewhere (1.31.2, volume/util, GetLocalPersistentVolumeNodeNames).
func hostnames(volume *corev1.PersistentVolume) sets.Set[string] {
	names := sets.Set[string]{}
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return names
	}
	for _, term := range volume.Spec.NodeAffinity.Required.NodeSelectorTerms {
		var ofTerm sets.Set[string]
		for _, e := range term.MatchExpressions {
			if e.Key != corev1.LabelHostname || e.Operator != corev1.NodeSelectorOpIn {
				continue
			}
			if ofTerm == nil {
				ofTerm = sets.New(e.Values...)
			} else {
				ofTerm = ofTerm.Intersection(sets.New(e.Values...))
			}
		}
		names = names.Union(ofTerm)
	}
	return names
}
