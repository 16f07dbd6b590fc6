package session

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
)

// pending changes a pod that has no node, for the edit of that name.
func (c *change) pending(edit, key string, do func(*corev1.Pod) error) error {
	p, err := c.withoutNode(edit, key)
	if err != nil {
		return err
	}
	return c.updatePod(p, do)
}

// remade changes a pod that has no node in fields that an API server never changes: it is deleted, and created as it is
// to be.
func (c *change) remade(edit, key string, do func(*corev1.Pod) error) error {
	p, err := c.withoutNode(edit, key)
	if err != nil {
		return err
	}
	fresh := again(p.API)
	if err := do(fresh); err != nil {
		return err
	}
	c.remove(p)
	c.do(cluster.Add, fresh)
	return nil
}

// withoutNode is a pod that has no node.
func (c *change) withoutNode(edit, key string) (*cluster.Pod, error) {
	p, err := c.pod(key)
	if err == nil && p.NodeName != "" {
		err = phrase.Errorf("%s: pod %q is already bound to node %q", edit, key, p.NodeName)
	}
	return p, err
}

// Tolerate has a pod without a node tolerate a taint, written KEY[=VALUE]:EFFECT.
func Tolerate(key, taint string) Edit { return doing("tolerate", key, taint) }

func (c *change) tolerate(key, taint string) error {
	c.said = phrase.New("%s tolerates %s", key, taint)
	return c.pending("tolerate", key, func(api *corev1.Pod) error {
		t, remove, err := parseTaint(taint)
		if err != nil || remove {
			return phrase.Errorf("tolerate: %q is not a taint (KEY[=VALUE]:EFFECT)", taint)
		}
		api.Spec.Tolerations = append(slices.Clone(api.Spec.Tolerations), TolerationOf(t))
		return nil
	})
}

// TolerationOf tolerates one taint and no other.
func TolerationOf(t corev1.Taint) corev1.Toleration {
	return corev1.Toleration{Key: t.Key, Operator: corev1.TolerationOpEqual, Value: t.Value, Effect: t.Effect}
}

// SetPriority gives a pod without a node another priority. An API server does not change it (pkg/apis/core/validation,
// 1.37), so that the pod is made again, and is tried with it.
func SetPriority(key string, priority int32) Edit {
	return doing("priority", key, strconv.FormatInt(int64(priority), 10))
}

func (c *change) priority(key, number string) error {
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return phrase.Errorf("edit priority: %q is no priority", number)
	}
	priority := int32(n)
	c.said = phrase.New("%s has priority %d", key, priority)
	return c.remade("set priority", key, func(api *corev1.Pod) error {
		api.Spec.Priority, api.Spec.PriorityClassName = &priority, ""
		return nil
	})
}

// SetPriorityClass gives a pod without a node another PriorityClass that is there, and its priority: likewise.
func SetPriorityClass(key, class string) Edit { return doing("priority-class", key, class) }

func (c *change) priorityClass(key, class string) error {
	return c.remade("set priority", key, func(api *corev1.Pod) error {
		of, is := c.state().Objects().PriorityClasses.Find(class)
		if !is {
			return phrase.Errorf("set priority: %q is no whole number, such as 1000, and no PriorityClass here", class)
		}
		api.Spec.PriorityClassName, api.Spec.Priority = class, &of.Value
		api.Spec.PreemptionPolicy = of.PreemptionPolicy
		c.said = phrase.New("%s is of PriorityClass %s and has priority %d", key, class, of.Value)
		return nil
	})
}

// Evict takes a pod off its node, even if its disruption budget forbids it: the answer names the budgets that do. If a
// controller owns it, it is created again as pending, as the controller would do.
func Evict(key string) Edit { return doing("evict", key) }

// EvictAllowed is Evict where the API server carries it out: it fails where a disruption budget refuses it.
func EvictAllowed(key string) Edit { return doing("eviction", key) }

func (c *change) evict(key string, asked bool) error {
	p, err := c.pod(key)
	switch {
	case err != nil:
		return err
	case p.NodeName == "":
		return phrase.Errorf("evict: pod %q has no node", key)
	}
	refused := c.draw(p)
	if asked && refused != nil {
		return phrase.Errorf("evict: the API server refuses it: %w", refused)
	}
	c.remove(p)
	c.said = phrase.New("%s is evicted from %s", key, p.NodeName)
	if Recreated(p) {
		c.recreate(p.API)
		c.said = phrase.New("%s is evicted from %s and created again as pending", key, p.NodeName)
	}
	if refused != nil {
		c.said = phrase.Join("; ", c.said, phrase.New("an API server would refuse it: %s", refused.Error()))
	}
	return nil
}

// Recreated reports whether a controller would make a pod again elsewhere when it is evicted.
func Recreated(p *cluster.Pod) bool {
	return !belongsToNode(p.API) && metav1.GetControllerOf(p.API) != nil
}

// Disable takes a plugin out of every profile.
func Disable(plugin string) Edit { return doing("disable", plugin) }

func (c *change) disable(plugin string) error {
	if !c.everywhere(func(s *core.Scheduler) bool { return s.Disable(plugin) }) {
		return phrase.Errorf("set plugin: no profile asks a plugin %q", plugin)
	}
	c.said = phrase.New("%s is disabled", plugin)
	return nil
}

// Disabling returns where in the configuration of the release that decides at the cursor a plugin is left out; empty
// where no configuration can do that.
func (k *At) Disabling(plugin string) phrase.Text {
	decides, known := release.Find(k.version())
	if !known {
		decides = release.Newest()
	}
	return decides.Disabling(plugin)
}

// SetConfig has another KubeSchedulerConfiguration decide, as if kube-scheduler were started anew with it: every pod
// that waits is queued again, and its attempts and backoff are forgotten. The source is what errors call the text.
func SetConfig(source, text string) Edit { return doing("config", source, text) }

func (c *change) config(source, text string) error {
	if c.configure == nil {
		return phrase.Errorf("set config: nobody reads configurations here")
	}
	return c.restart("set config", source, func() (*config.Config, error) {
		return c.configure(c.version, []byte(text), source)
	})
}

// SetGates has other feature gates decide, as kube-scheduler's --feature-gates takes them; those that are not named
// have their defaults. kube-scheduler is started anew with them.
func SetGates(gates string) Edit { return doing("gates", gates) }

func (c *change) gates(gates string) error {
	if c.regate == nil {
		return phrase.Errorf("set gates: nobody reads feature gates here")
	}
	return c.restart("set gates", gates, func() (*config.Config, error) { return c.regate(c.version, gates) })
}

// restart starts kube-scheduler anew with what is read, for the edit of that name; with describes what is read.
func (c *change) restart(edit, with string, read func() (*config.Config, error)) error {
	scheduler := c.player.Schedulers()[0]
	if scheduler.Busy() {
		return phrase.Errorf("%s: a pod is on its way to its node; go on until it is bound", edit)
	}
	decides, err := read()
	if err != nil {
		return phrase.Errorf("%s: %s", edit, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	scheduler.Restart(optionsOf(decides))
	c.said = phrase.New("kube-scheduler is started anew with %s", with)
	return nil
}

// optionsOf are what a scheduler that starts anew takes of a configuration.
func optionsOf(decides *config.Config) core.Options {
	return core.Options{
		Profiles: decides.Profiles, Groups: decides.Groups,
		InitialBackoff: decides.InitialBackoff, MaxBackoff: decides.MaxBackoff,
	}
}

// Releases are the versions that SetRelease takes, the newest first.
func Releases() []string { return release.Versions() }

// SetRelease has kube-scheduler of another release decide, with the configuration of the replay, as if it were begun
// anew with what the API server has.
func SetRelease(version string) Edit {
	return Edit{"kube-" + version, []deed{{Do: "release", With: []string{version}}}}
}

func (c *change) release(version string) error {
	switch {
	case c.configure == nil:
		return phrase.Errorf("set release: nobody reads configurations here")
	case c.player.Scheduler().InFlight():
		return phrase.Errorf("set release: a pod is on its way to its node; go on until it is bound")
	}
	decides, err := c.configure(version, nil, "")
	if err != nil {
		return phrase.Errorf("set release: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	c.player.Scheduler().RestartAs(optionsOf(decides))
	c.version = decides.Gates.Release().Version
	c.said = phrase.New("kube-scheduler %s decides; it is begun anew, and no pod was tried yet", c.version)
	return nil
}

// IsMovable reports whether a pod can be taken off its node: it is not of a DaemonSet, and not static.
func IsMovable(p *cluster.Pod) bool { return !belongsToNode(p.API) }

// SetClass names a storage class in a claim that names none, namespace/name.
func SetClass(claim, class string) Edit { return doing("class", claim, class) }

func (c *change) class(claim, class string) error {
	pvc, ok := c.state().Objects().VolumeClaims.Find(claim)
	switch {
	case !ok:
		return phrase.Errorf("set class: there is no claim %q here", claim)
	case pvc.Spec.VolumeName != "":
		return phrase.Errorf("set class: claim %q has volume %q", claim, pvc.Spec.VolumeName)
	case pvc.Spec.StorageClassName != nil || cluster.ClaimClass(pvc) != "":
		return phrase.Errorf("set class: claim %q has class %q", claim, cluster.ClaimClass(pvc))
	}
	if _, ok := c.state().Objects().StorageClasses.Find(class); !ok {
		return phrase.Errorf("set class: there is no storage class %q here", class)
	}
	named := pvc.DeepCopy()
	named.Spec.StorageClassName = &class
	c.do(cluster.Update, named)
	c.said = phrase.New("claim %s is of class %s", claim, class)
	return nil
}

// AddVolume adds a volume for a claim that has none, namespace/name: as large as the claim wants, and reachable from
// every node.
func AddVolume(claim string) Edit { return doing("add-volume", claim) }

func (c *change) addVolume(claim string) error {
	pvc, ok := c.state().Objects().VolumeClaims.Find(claim)
	switch {
	case !ok:
		return phrase.Errorf("add-volume: there is no claim %q here", claim)
	case pvc.Spec.VolumeName != "":
		return phrase.Errorf("add-volume: claim %q has volume %q", claim, pvc.Spec.VolumeName)
	}
	class := ""
	if pvc.Spec.StorageClassName != nil {
		class = *pvc.Spec.StorageClassName
	}
	name := "new-" + pvc.Name
	c.do(cluster.Add, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("added-" + name)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: pvc.Spec.Resources.Requests, AccessModes: pvc.Spec.AccessModes, StorageClassName: class,
			VolumeMode: pvc.Spec.VolumeMode,
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	})
	c.said = phrase.New("added volume %s for claim %s", name, claim)
	return nil
}
