// Package volumezone is kube-scheduler's VolumeZone plugin (1.37): a pod runs in the zone and region that the labels
// of its volumes name. It looks at labels of bound volumes only; their node affinity is VolumeBinding's affair.
package volumezone

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Name is kube-scheduler's name of the plugin.
const Name = "VolumeZone"

// reason is the plugin's reason for a node in another zone.
const reason = "node(s) had no available volume zone"

// Plugin keeps pods in the zones of their volumes.
type Plugin struct {
	framework.SignVolumes
	ways Ways
}

// Ways are what differs between releases. The zero value is 1.37's.
type Ways struct {
	// NoPreFilter evaluates claims at each node, and not at a node without a zone; a label of a volume is compared
	// with no other label than the same one (1.19 and earlier, volume_zone.go, which has no PreFilter).
	NoPreFilter bool
	// BetaLabelsOnly reads only the labels failure-domain.beta.kubernetes.io, not topology.kubernetes.io, and reports
	// a claim without a volume as not found (1.17 and earlier, volume_zone.go).
	BetaLabelsOnly bool
}

var (
	_ framework.FilterPlugin = (*Plugin)(nil)
	_ framework.Waker        = (*Plugin)(nil)
	_ framework.Signer       = (*Plugin)(nil)
)

// New makes the plugin; it has no arguments.
func New(ways Ways) *Plugin { return &Plugin{ways: ways} }

// Name is VolumeZone.
func (p *Plugin) Name() string { return Name }

// PreFilter collects the zones and regions of the pod's volumes, and skips the pod when there are none.
func (p *Plugin) PreFilter(pod *cluster.Pod, snapshot *cluster.Snapshot) framework.Study {
	if len(pod.Claims) == 0 {
		return framework.Study{Verdict: skip}
	}
	var places []place
	for _, use := range pod.Claims {
		if use.Ephemeral {
			continue
		}
		volume, wrong := volumeOf(pod, use, snapshot.Objects())
		if wrong != "" && p.ways.NoPreFilter {
			return framework.Study{Check: p.check(places, p.wrong(pod, use, snapshot.Objects(), wrong))}
		}
		if wrong != "" {
			return framework.Study{Verdict: trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{wrong}}}
		}
		if volume == nil {
			continue
		}
		for _, at := range placesOf(volume, p.labels()) {
			at.claim = pod.ClaimKey(use)
			places = append(places, at)
		}
	}
	if len(places) == 0 {
		return framework.Study{Verdict: skip}
	}
	return framework.Study{Check: p.check(places, trace.Verdict{})}
}

func (p *Plugin) check(places []place, wrong trace.Verdict) *check {
	return &check{places: places, exact: p.ways.NoPreFilter, labels: p.labels(), wrong: wrong}
}

// labels are those of zone and region that the release knows.
func (p *Plugin) labels() []string {
	if p.ways.BetaLabelsOnly {
		return topologyLabels[:betaLabels]
	}
	return topologyLabels[:]
}

// wrong is the verdict on a claim with which something is wrong.
func (p *Plugin) wrong(pod *cluster.Pod, use cluster.ClaimUse, objects *cluster.Objects, said string) trace.Verdict {
	if !p.ways.BetaLabelsOnly {
		return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: []string{said}}
	}
	claim, known := objects.VolumeClaims.Find(pod.ClaimKey(use))
	if known && claim.Spec.VolumeName == "" && !strings.HasPrefix(said, unsetMode) {
		said = fmt.Sprintf("PersistentVolumeClaim was not found: %q", use.Name)
	}
	return trace.Verdict{Code: trace.Error, Reasons: []string{said}}
}

// unsetMode begins the message for a class that does not set when volumes are bound.
const unsetMode = "VolumeBindingMode not set for StorageClass"

var skip = trace.Verdict{Code: trace.Skip}

// volumeOf is the volume of a claim; nil when it gets one only once the pod has its node; the text is what is wrong.
func volumeOf(pod *cluster.Pod, use cluster.ClaimUse, objects *cluster.Objects) (*corev1.PersistentVolume, string) {
	if use.Name == "" {
		return nil, "PersistentVolumeClaim had no name"
	}
	claim, ok := objects.VolumeClaims.Find(pod.ClaimKey(use))
	if !ok {
		return nil, fmt.Sprintf("persistentvolumeclaim %q not found", use.Name)
	}
	if name := claim.Spec.VolumeName; name != "" {
		volume, ok := objects.Volumes.Find(name)
		if !ok {
			return nil, fmt.Sprintf("persistentvolume %q not found", name)
		}
		return volume, ""
	}
	name := cluster.ClaimClass(claim)
	if name == "" {
		return nil, "PersistentVolumeClaim had no pv name and storageClass name"
	}
	class, ok := objects.StorageClasses.Find(name)
	switch {
	case !ok:
		return nil, fmt.Sprintf("storageclass.storage.k8s.io %q not found", name)
	case class.VolumeBindingMode == nil:
		return nil, fmt.Sprintf(unsetMode+" %q", name)
	case *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer:
		return nil, ""
	}
	return nil, "PersistentVolume had no name"
}

// place is one zone or region label of a volume.
type place struct {
	claim  string // key
	key    string
	values []string // one or more
	exact  bool

	what phrase.Text // of the evidence: label and volume
	want trace.Value
}

// topologyLabels are the labels of zone and region, in the order upstream looks at them.
var topologyLabels = [...]string{
	corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyZone,
	corev1.LabelTopologyRegion,
}

// betaLabels is how many of them are from the time before topology.kubernetes.io.
const betaLabels = 2

// placesOf is where a volume is by its labels. A label that names an empty zone is ignored.
func placesOf(v *corev1.PersistentVolume, keys []string) []place {
	var places []place
	for _, key := range keys {
		label, has := v.Labels[key]
		if !has {
			continue
		}
		values := strings.Split(label, "__")
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		if slices.Contains(values, "") {
			continue
		}
		places = append(places, place{
			key: key, values: values, what: phrase.Textf("%s of PersistentVolume %s", key, v.Name),
			want: trace.Text(strings.Join(values, " or ")),
		})
	}
	return places
}

// newLabel is the label that took the place of a beta label.
func newLabel(key string) string {
	switch key {
	case corev1.LabelFailureDomainBetaZone:
		return corev1.LabelTopologyZone
	case corev1.LabelFailureDomainBetaRegion:
		return corev1.LabelTopologyRegion
	}
	return key
}

// check rejects nodes outside the places.
type check struct {
	places []place
	exact  bool          // labels are those of the volume
	labels []string      // of zone and region
	wrong  trace.Verdict // on a claim, where it comes to that
	room   trace.Room
}

// Filter lets nodes without any zone or region pass. kube-scheduler stops at the first volume that is elsewhere; the
// evidence lists all.
func (c *check) Filter(node *cluster.Node) trace.Verdict {
	labels := node.Labels()
	if !slices.ContainsFunc(c.labels, func(key string) bool { _, has := labels[key]; return has }) {
		return trace.Verdict{}
	}
	elsewhere := 0
	for i := range c.places {
		c.places[i].exact = c.exact
		if !c.places[i].holds(node) {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		return c.wrong
	}
	evidence := c.room.Evidence(elsewhere)
	for i := range c.places {
		if at := &c.places[i]; !at.holds(node) {
			evidence = append(evidence, c.evidence(at, node))
		}
	}
	return trace.Verdict{Code: trace.UnschedulableAndUnresolvable, Reasons: reasons[:], Evidence: evidence}
}

var reasons = [...]string{reason}

// holds reports whether the node is in one of the values.
func (p *place) holds(node *cluster.Node) bool {
	value, has := p.on(node)
	return has && slices.Contains(p.values, value)
}

// on is the node's value of the label, or of the one that took its place.
func (p *place) on(node *cluster.Node) (string, bool) {
	if value, has := node.Label(p.key); has {
		return value, true
	}
	if p.exact {
		return "", false
	}
	return node.Label(newLabel(p.key))
}

func (c *check) evidence(p *place, node *cluster.Node) trace.Evidence {
	have := trace.Words("no such label")
	if value, has := p.on(node); has {
		have = trace.Text(value)
	}
	return trace.Evidence{What: p.what, Want: p.want, Have: have, By: c.room.Names(p.claim)}
}
