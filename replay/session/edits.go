package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// Bind puts a pod on a node, even if plugins reject it.
func Bind(pod, node string) Edit { return doing("bind", pod, node) }

func (c *change) bind(pod, node string) error {
	events, err := c.world.Bind(pod, node, c.state(), c.player.Scheduler().Now())
	if err != nil {
		return err
	}
	for _, e := range events {
		c.events = append(c.events, e.Event)
	}
	c.said = phrase.New("%s is bound to %s", pod, node)
	return nil
}

// Cordon makes a node unschedulable.
func Cordon(node string) Edit { return doing("cordon", node) }

// Uncordon makes a node schedulable again.
func Uncordon(node string) Edit { return doing("uncordon", node) }

func (c *change) cordon(node string, unschedulable bool) error {
	n, err := c.node(node)
	switch {
	case err != nil:
		return err
	case n.API.Spec.Unschedulable && unschedulable:
		return phrase.Errorf("cordon: node %q is unschedulable already", node)
	case !n.API.Spec.Unschedulable && !unschedulable:
		return phrase.Errorf("uncordon: node %q is schedulable already", node)
	}
	c.said = phrase.New("node %s is uncordoned", node)
	if unschedulable {
		c.said = phrase.New("node %s is cordoned", node)
	}
	return c.updateNode(n, func(api *corev1.Node) error {
		api.Spec.Unschedulable = unschedulable
		if !unschedulable { // the node lifecycle controller takes the mark off at once
			api.Spec.Taints = slices.DeleteFunc(slices.Clone(api.Spec.Taints), func(t corev1.Taint) bool {
				return t.Key == corev1.TaintNodeUnschedulable
			})
		}
		return nil
	})
}

// updateNode changes a node now, and in every later event of the script.
func (c *change) updateNode(n *cluster.Node, change func(*corev1.Node) error) error {
	api := n.API.DeepCopy()
	if err := change(api); err != nil {
		return err
	}
	update(c, api, change)
	return nil
}

// updatePod changes a pod now, and in every later event of the script.
func (c *change) updatePod(p *cluster.Pod, change func(*corev1.Pod) error) error {
	api := p.API.DeepCopy()
	if err := change(api); err != nil {
		return err
	}
	api.ResourceVersion += "-edited"
	update(c, api, change)
	return nil
}

// copied is an object of the cluster that can be copied.
type copied[T any] interface {
	cluster.Object
	DeepCopy() T
}

// update puts an object that was changed into the cluster, and makes the same change in every later event of the
// script. Where the change cannot be made any more, the script is left alone.
func update[T copied[T]](c *change, changed T, change func(T) error) {
	c.do(cluster.Update, changed)
	c.last(changed, func(e cluster.Event) (cluster.Event, bool) {
		later, ok := e.Object.(T)
		if !ok || e.Action == cluster.Delete {
			return e, true
		}
		later = later.DeepCopy()
		if change(later) == nil {
			e.Object = later
		}
		return e, true
	})
}

// Taint adds a taint, written KEY[=VALUE]:EFFECT, to a node, or with a minus behind it takes it away; KEY- takes away
// every taint of that key.
func Taint(node, taint string) Edit { return doing("taint", node, taint) }

func (c *change) taint(node, taint string) error {
	n, err := c.node(node)
	if err != nil {
		return err
	}
	t, remove, err := parseTaint(taint)
	if err != nil {
		return err
	}
	same := func(o corev1.Taint) bool { return o.Key == t.Key && (t.Effect == "" || o.Effect == t.Effect) }
	if remove && !slices.ContainsFunc(n.API.Spec.Taints, same) {
		return phrase.Errorf("taint: node %q has no taint %s", node, strings.TrimSuffix(taint, "-"))
	}
	c.said = phrase.New("node %s is tainted %s", node, taint)
	if remove {
		c.said = phrase.New("node %s has lost the taint %s", node, strings.TrimSuffix(taint, "-"))
	}
	return c.updateNode(n, func(api *corev1.Node) error {
		api.Spec.Taints = slices.DeleteFunc(slices.Clone(api.Spec.Taints), same)
		if !remove {
			api.Spec.Taints = append(api.Spec.Taints, t)
		}
		return nil
	})
}

// parseTaint reads a taint as kubectl writes it.
func parseTaint(text string) (t corev1.Taint, remove bool, err error) {
	rest, remove := strings.CutSuffix(text, "-")
	rest, effect, _ := strings.Cut(rest, ":")
	key, value, _ := strings.Cut(rest, "=")
	t = corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
	switch t.Effect {
	case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
	case "":
		if !remove {
			return t, false, phrase.Errorf("taint: %q has no effect (try %s:NoSchedule)", text, rest)
		}
	default:
		return t, false, phrase.Errorf("taint: %q is no effect (NoSchedule, PreferNoSchedule or NoExecute)", effect)
	}
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		return t, false, phrase.Errorf("taint: %q is no key: %s", key, problems[0])
	}
	return t, remove, nil
}

// Label sets a label, written KEY=VALUE, of a node or else of a pod, or with KEY- takes it away.
func Label(object, label string) Edit { return doing("label", object, label) }

func (c *change) label(object, label string) error {
	key, value, sets := strings.Cut(label, "=")
	if !sets {
		var ok bool
		if key, ok = strings.CutSuffix(label, "-"); !ok {
			return phrase.Errorf("label: %q sets nothing (KEY=VALUE sets a label, KEY- takes it away)", label)
		}
	}
	if problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(problems) > 0 {
		return phrase.Errorf("label: %q: %s", label, problems[0])
	}
	edit := func(o metav1.Object) error {
		labels := maps.Clone(o.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		if delete(labels, key); sets {
			labels[key] = value
		}
		o.SetLabels(labels)
		return nil
	}
	c.said = phrase.New("%s has the label %s", object, label)
	if !sets {
		c.said = phrase.New("%s has lost the label %s", object, key)
	}
	if n, err := c.node(object); err == nil {
		return c.updateNode(n, func(api *corev1.Node) error { return edit(api) })
	}
	p, err := c.pod(object)
	if err != nil {
		return phrase.Errorf("label: there is no node and no pod %q here", object)
	}
	return c.updatePod(p, func(api *corev1.Pod) error { return edit(api) })
}

// addedUID begins the UID of every node that a what-if added.
const addedUID = "added-"

// IsAdded reports whether a what-if added a node.
func IsAdded(n *cluster.Node) bool { return strings.HasPrefix(string(n.API.UID), addedUID) }

// AddNode adds an empty node like another one, with some of its allocatable resources different.
func AddNode(name, like string, resources map[string]string) Edit {
	return doing("add-node", append([]string{name, like}, pairs(resources)...)...)
}

func (c *change) addNode(name, like string, resources []string) error {
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return phrase.Errorf("add-node: %q is no name of a node: %s", name, problems[0])
	}
	if _, err := c.node(name); err == nil {
		return phrase.Errorf("add-node: there is a node %q already", name)
	}
	model, err := c.node(like)
	if err != nil {
		return phrase.Errorf("add-node: %w", err)
	}
	size := corev1.ResourceList{}
	for _, pair := range resources {
		r, amount, ok := strings.Cut(pair, "=")
		if !ok {
			return phrase.Errorf("add-node: %q is not RESOURCE=AMOUNT (cpu=16)", pair)
		}
		q, err := quantity(amount)
		if err != nil {
			return phrase.Errorf("add-node: %s: %w", r, err)
		}
		size[corev1.ResourceName(r)] = q
	}
	api := owner.NodeLike(model.API, name, size)
	api.UID = types.UID(addedUID + name)
	c.do(cluster.Add, api)
	c.said = phrase.New("added %s, a copy of %s", name, like)
	return nil
}

func quantity(text string) (resource.Quantity, error) {
	q, err := amount.Parse(text)
	if err != nil || q.Sign() < 0 {
		return q, phrase.Errorf("%q is not a quantity (try 2, 500m or 4Gi)", text)
	}
	return q, nil
}

// DeleteNode removes a node. Its pods go with it and are created again as pending, as their controllers would do,
// except those of a DaemonSet and static pods.
func DeleteNode(name string) Edit { return doing("delete-node", name) }

func (c *change) deleteNode(name string) error {
	n, err := c.node(name)
	if err != nil {
		return err
	}
	c.do(cluster.Delete, n.API)
	c.last(n.API, gone)
	c.said = phrase.New("deleted node %s; %s", name, c.displace(n, true))
	return nil
}

// Drain cordons a node and moves its pods away: they are deleted and created again as pending, as their controllers
// would. Pods of a DaemonSet and static pods stay. Disruption budgets are not checked.
func Drain(name string) Edit { return doing("drain", name) }

func (c *change) drain(name string) error {
	n, err := c.node(name)
	if err != nil {
		return err
	}
	if err := c.updateNode(n, func(api *corev1.Node) error { api.Spec.Unschedulable = true; return nil }); err != nil {
		return err
	}
	c.said = phrase.New("node %s is drained; %s", name, c.displace(n, false))
	return nil
}

// displace takes every pod off a node, and returns in words how many were created again and how many were not. Pods
// that belong to the node go only if all do.
func (c *change) displace(n *cluster.Node, all bool) phrase.Phrase {
	moved, kept := 0, 0
	for _, p := range slices.Clone(n.Pods) {
		live, ok := c.state().Pod(p.Key)
		switch {
		case !ok:
			continue
		case belongsToNode(live.API):
			if kept++; all {
				c.remove(live)
			}
			continue
		}
		c.remove(live)
		c.recreate(live.API)
		moved++
	}
	said := phrase.New("%d of its pods recreated as pending", moved)
	if kept > 0 {
		said = phrase.Join("; ", said, phrase.New("not recreated: %d that belong to the node", kept))
	}
	return said
}

// recreate makes a pod again that was removed. Where controllers act, they do that.
func (c *change) recreate(p *corev1.Pod) {
	if !c.world.IsManaged() || !owned(p) {
		c.do(cluster.Add, again(p))
	}
}

// owned reports whether a controller makes a pod again.
func owned(p *corev1.Pod) bool { return metav1.GetControllerOf(p) != nil }

// Successor is the pod that a controller would make in place of one that is gone; false: the pod belongs to its node.
func Successor(p *corev1.Pod) (*corev1.Pod, bool) {
	if belongsToNode(p) {
		return nil, false
	}
	return again(p), true
}

// belongsToNode reports whether no controller would make the pod again elsewhere.
func belongsToNode(p *corev1.Pod) bool {
	owner := metav1.GetControllerOf(p)
	_, static := p.Annotations[corev1.MirrorPodAnnotationKey]
	return static || owner != nil && (owner.Kind == "DaemonSet" || owner.Kind == "Node")
}

// again is the pod as a controller would make it in place of one that is gone.
func again(p *corev1.Pod) *corev1.Pod {
	fresh := p.DeepCopy()
	fresh.UID = types.UID(cluster.UID(p) + "-again")
	fresh.ResourceVersion, fresh.DeletionTimestamp, fresh.DeletionGracePeriodSeconds = "", nil, nil
	fresh.Spec.NodeName = ""
	fresh.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return fresh
}

func (c *change) remove(p *cluster.Pod) {
	c.do(cluster.Delete, p.API)
	c.last(p.API, gone)
}

// DeletePod removes a pod.
func DeletePod(key string) Edit { return doing("delete-pod", key) }

func (c *change) deletePod(key string) error {
	p, err := c.pod(key)
	if err != nil {
		return err
	}
	c.remove(p)
	c.said = phrase.New("deleted pod %s", key)
	return nil
}

// SetRequest changes what a container of a pod without a node requests: the one named, or with "" the first.
func SetRequest(key, name, amount, container string) Edit {
	return doing("request", key, name, amount, container)
}

func (c *change) request(key, name, amount, container string) error {
	c.said = phrase.New("%s requests %s of %s", key, amount, name)
	return c.pending("set request", key, func(api *corev1.Pod) error {
		q, err := quantity(amount)
		if err != nil {
			return phrase.Errorf("set request: %w", err)
		}
		at := 0
		if container != "" {
			at = slices.IndexFunc(api.Spec.Containers, func(c corev1.Container) bool { return c.Name == container })
		}
		if at < 0 || at >= len(api.Spec.Containers) {
			return phrase.Errorf("set request: pod %q has no container %q", key, container)
		}
		requests := &api.Spec.Containers[at].Resources.Requests
		if *requests == nil {
			*requests = corev1.ResourceList{}
		}
		(*requests)[corev1.ResourceName(name)] = q
		return nil
	})
}

// SetWeight changes what the score of a plugin counts for, in every profile.
func SetWeight(plugin string, weight int64) Edit {
	return doing("weight", plugin, strconv.FormatInt(weight, 10))
}

func (c *change) reweigh(plugin, number string) error {
	weight, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return phrase.Errorf("set weight: %q: a weight must be 1 or more", number)
	}
	if weight < 1 {
		return phrase.Errorf("set weight: %d: a weight must be 1 or more", weight)
	}
	var scorers []string
	if !c.everywhere(func(s *core.Scheduler) bool {
		scorers = append(scorers, s.Scorers()...)
		return s.Reweigh(plugin, weight)
	}) {
		return phrase.Errorf("set weight: no profile scores with %q%s", plugin, spelling.Hint(plugin, scorers))
	}
	c.said = phrase.New("%s has weight %d", plugin, weight)
	return nil
}
