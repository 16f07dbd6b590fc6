package volumebinding

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// interval is how often the plugin looks whether volumes and claims are bound (1.37).
const interval = time.Second

// PreFlight skips pods whose claims were all bound when the pod was placed.
func (p *Plugin) PreFlight(ask framework.BindAsk) trace.Verdict {
	if ask.Hold == nil {
		return skip
	}
	return trace.Verdict{}
}

// PreBind writes to the API what Reserve decided; then it looks every second whether the volume controller is done,
// until bindTimeoutSeconds are over.
func (p *Plugin) PreBind(ask framework.BindAsk) framework.PreBound {
	h, ok := ask.Hold.(*hold)
	if !ok {
		return framework.PreBound{}
	}
	var answer framework.PreBound
	deadline := ask.Since.Add(p.timeout)
	if ask.Round == 0 {
		writes, err := h.writes(ask.Known.Objects())
		answer.Writes = writes
		if err != "" {
			answer.Verdict = broken(err)
			return answer
		}
	}
	if !ask.Now.Before(deadline) {
		answer.Verdict = broken("binding volumes: context deadline exceeded")
		return answer
	}
	if ask.Round > 0 {
		v, done := p.isDone(h, ask)
		if done || !v.OK() {
			answer.Verdict = v
			return answer
		}
		answer.Verdict.Evidence = v.Evidence
	}
	answer.Verdict.Code = trace.Wait
	answer.Again = ask.Now.Add(interval)
	if answer.Again.After(deadline) {
		answer.Again = deadline
	}
	return answer
}

// writes is every volume with its claim, then every claim with its node. An object that changed since Reserve cannot
// be written; those before it are (bindAPIUpdate, 1.37).
func (h *hold) writes(objects *cluster.Objects) ([]framework.Write, string) {
	var writes []framework.Write
	for _, b := range h.bindings {
		known, ok := objects.Volumes.Find(b.volume.Name)
		if !ok {
			return writes, fmt.Sprintf("persistentvolumes %q not found", b.volume.Name)
		}
		if known.ResourceVersion != b.volume.ResourceVersion {
			return writes, conflict("persistentvolumes", b.volume.Name)
		}
		writes = append(writes, framework.Write{
			Action: cluster.Update, Object: b.volume, Note: phrase.Textf("bind it to %s", cluster.Key(b.claim)),
		})
	}
	for _, c := range h.provisions {
		known, ok := objects.VolumeClaims.Find(cluster.Key(c))
		if !ok {
			return writes, fmt.Sprintf("persistentvolumeclaims %q not found", c.Name)
		}
		if known.ResourceVersion != c.ResourceVersion {
			return writes, conflict("persistentvolumeclaims", c.Name)
		}
		writes = append(writes, framework.Write{Action: cluster.Update, Object: c, Note: phrase.Textf(
			"make its volume for %s", c.Annotations[cluster.AnnotationSelectedNode],
		)})
	}
	return writes, ""
}

// conflict is the API server's error for an update of an outdated object.
func conflict(resource, name string) string {
	return fmt.Sprintf(
		"Operation cannot be fulfilled on %s %q: the object has been modified; please apply your changes to the latest version and try again",
		resource, name,
	)
}

// isDone looks whether everything is bound (checkBindings, 1.37). It reads what the API server shows. While claims are
// still unbound, the verdict is Success with what is missing as evidence.
func (p *Plugin) isDone(h *hold, ask framework.BindAsk) (trace.Verdict, bool) {
	d := look{plugin: p, objects: ask.Known.Objects(), node: ask.Node}
	labels, ok := nodeLabels(ask.Known, ask.Node)
	if !ok {
		return notBound(fmt.Sprintf("failed to get node %q: node %q not found", ask.Node, ask.Node)), false
	}
	d.labels.Labels = labels
	if _, ok := ask.Known.Pod(ask.Pod.Key); !ok {
		return notBound(fmt.Sprintf("pod does not exist any more: pod %q not found", ask.Pod.Name())), false
	}
	for _, b := range h.bindings {
		if done, err := d.binding(b); err != "" || !done {
			return d.verdict(err, b.claim), false
		}
	}
	for _, c := range h.provisions {
		if done, err := d.provision(c); err != "" || !done {
			return d.verdict(err, c), false
		}
	}
	return trace.Verdict{}, true
}

func nodeLabels(known *cluster.State, name string) (map[string]string, bool) {
	n, ok := known.Snapshot().Node(name)
	if !ok {
		return nil, false
	}
	return n.API.Labels, true
}

func notBound(err string) trace.Verdict { return broken("binding volumes: " + err) }

// look checks once whether the claims of a pod are bound.
type look struct {
	plugin  *Plugin
	objects *cluster.Objects
	node    string
	labels  corev1.Node // with the node's labels only
}

func (d *look) verdict(err string, c *corev1.PersistentVolumeClaim) trace.Verdict {
	if err != "" {
		return notBound(err)
	}
	return trace.Verdict{
		Evidence: []trace.Evidence{{
			What: phrase.Textf("claim %s", cluster.Key(c)), Want: trace.Words("bound"), Have: trace.Words("not yet"),
		}},
	}
}

// binding checks a volume that was given a claim.
func (d *look) binding(b pair) (bool, string) {
	volume, ok := d.objects.Volumes.Find(b.volume.Name)
	if !ok {
		return false, fmt.Sprintf("failed to check binding: persistentvolumes %q not found", b.volume.Name)
	}
	key := cluster.Key(b.claim)
	claim, ok := d.objects.VolumeClaims.Find(key)
	if !ok {
		return false, fmt.Sprintf("failed to check binding: persistentvolumeclaims %q not found", key)
	}
	if volume.ResourceVersion == b.volume.ResourceVersion {
		return false, "" // our write has not arrived here yet
	}
	if err := d.reaches(volume, "failed to translate pv to csi: "); err != "" {
		return false, err
	}
	if ref := volume.Spec.ClaimRef; ref == nil || ref.UID == "" && b.claim.UID != "" {
		return false, fmt.Sprintf("ClaimRef got reset for pv %q", volume.Name)
	}
	return cluster.IsBound(claim), ""
}

// provision checks a claim whose volume is to be provisioned.
func (d *look) provision(c *corev1.PersistentVolumeClaim) (bool, string) {
	key := cluster.Key(c)
	claim, ok := d.objects.VolumeClaims.Find(key)
	if !ok {
		return false, fmt.Sprintf("failed to check provisioning pvc: persistentvolumeclaims %q not found", key)
	}
	if claim.ResourceVersion == c.ResourceVersion {
		return false, "" // our write has not arrived here yet
	}
	if claim.Annotations == nil {
		return false, fmt.Sprintf("selectedNode annotation reset for PVC %q", claim.Name)
	}
	if claim.Annotations[cluster.AnnotationSelectedNode] != d.node {
		return false, fmt.Sprintf("provisioning failed for PVC %q", claim.Name)
	}
	if claim.Spec.VolumeName != "" {
		volume, ok := d.objects.Volumes.Find(claim.Spec.VolumeName)
		if !ok {
			return false, ""
		}
		if err := d.reaches(volume, ""); err != "" {
			return false, err
		}
	}
	return cluster.IsBound(claim), ""
}

// reaches returns what is wrong when the node does not reach a volume.
func (d *look) reaches(api *corev1.PersistentVolume, prefix string) string {
	b := bound{name: api.Name, volume: cluster.ParseVolume(api)}
	b.migrate(d.plugin)
	v, err := b.on(d.plugin, d.node, d.objects)
	if err != "" {
		return prefix + err
	}
	if v.Affinity == nil {
		return ""
	}
	switch match, err := v.Affinity.Match(&d.labels); {
	case err != nil:
		return fmt.Sprintf("pv %q node affinity doesn't match node %q: %v", v.API.Name, d.node, err)
	case !match:
		return fmt.Sprintf("pv %q node affinity doesn't match node %q: no matching NodeSelectorTerms", v.API.Name, d.node)
	}
	return ""
}
