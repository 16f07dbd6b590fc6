package scenario

import (
	"errors"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
)

// kind is a kind of object that has a command of its own.
type kind struct {
	name       string // the command
	api        string // as the API spells it
	does       string
	example    string
	namespaced bool
	rows       []row
	fresh      func(namespace, name string) cluster.Object
	read       func(words []token) (edit, []problem)
}

// row is a word as the manual shows it.
type row struct {
	form, does string
	many       bool
}

// edit is what the words of one command do to an object.
type edit struct{ early, late func(cluster.Object) }

func kinds() []kind {
	all := []kind{
		described(
			"node", "adds a node that runs a kubelet.",
			"node n1 cpu=4 memory=8Gi zone=a taint=gpu=true:NoSchedule", nodeWords(), otherCapacity, freshNode,
		),
		described(
			"pod", "adds a pod. Words about resources are about its first container.",
			"pod web cpu=500m labels=app=web anti-affinity=app=web@zone", podWords(), otherRequest, freshPod,
		),
		described(
			"namespace", "adds a namespace. One that was never added counts as existing, without labels.",
			"namespace team-a labels=team=a", labelWords[corev1.Namespace](), nil, func(n *corev1.Namespace) {
				n.Labels = map[string]string{corev1.LabelMetadataName: n.Name}
			},
		),
		described("service", "adds a Service.", "service web selector=app=web", serviceWords(), nil, nil),
		described(
			"replicaset", "adds a ReplicaSet. It makes no pods.", "replicaset web selector=app=web",
			replicaSetWords(), nil, nil,
		),
		described(
			"statefulset", "adds a StatefulSet. It makes no pods.",
			"statefulset db selector=app=db", statefulSetWords(), nil, nil,
		),
		described(
			"replicationcontroller", "adds a ReplicationController. It makes no pods.",
			"replicationcontroller old selector=app=old", controllerWords(), nil, nil,
		),
		described(
			"priorityclass", "adds a PriorityClass.", "priorityclass high value=1000",
			priorityWords(), nil, nil,
		),
		described(
			"disruptionbudget", "adds a PodDisruptionBudget.",
			"disruptionbudget web selector=app=web allowed=1", budgetWords(), nil, nil,
		),
		described(
			"podgroup", "adds a PodGroup, which counts where the gate GenericWorkload is on.",
			"podgroup train gang=3 priority=10", groupWords(), nil, freshGroup,
		),
	}
	all = append(all, storageKinds()...)
	return append(all, deviceKinds()...)
}

// described makes a row of kinds from a table of words; the kind is that of the type T. fresh fills what every such
// object has.
func described[T any, P interface {
	*T
	cluster.Object
}](name, does, example string, table []word[T], other func(string) (word[T], bool), fresh func(*T),
) kind {
	api, _ := cluster.KindOf(P(new(T)))
	k := kind{name: name, api: string(api), does: does, example: example, namespaced: cluster.RowOf(api).Namespaced}
	for _, w := range table {
		k.rows = append(k.rows, row{w.form(), w.does, w.many})
	}
	k.fresh = func(namespace, name string) cluster.Object {
		o := new(T)
		P(o).SetNamespace(namespace)
		P(o).SetName(name)
		if fresh != nil {
			fresh(o)
		}
		return P(o)
	}
	k.read = func(words []token) (edit, []problem) {
		c, wrong := readWords(words, table, other)
		apply := func(all []func(*T)) func(cluster.Object) {
			return func(o cluster.Object) {
				for _, change := range all {
					change((*T)(o.(P)))
				}
			}
		}
		return edit{apply(c.early), apply(c.late)}, wrong
	}
	return k
}

// split is the namespace and the name of NAME or NAMESPACE/NAME.
func (k *kind) split(text string) (namespace, name string, err error) {
	namespace, name, has := strings.Cut(text, "/")
	switch {
	case !has && k.namespaced:
		namespace, name = corev1.NamespaceDefault, text
	case !has:
		namespace, name = "", text
	case !k.namespaced:
		return "", "", errors.New("a " + k.name + " has no namespace (want a name without a slash)")
	}
	if name == "" || has && namespace == "" || strings.ContainsAny(name, "/=") {
		return "", "", errors.New(text + " is no name of a " + k.name)
	}
	return namespace, name, nil
}

func labelWords[T any, P interface {
	*T
	cluster.Object
}]() []word[T] {
	return []word[T]{{
		name: "labels", value: "KEY=VALUE,...", does: "Sets labels; `KEY-` drops one.",
		read: func(v string) (func(*T), error) {
			all, err := labelChanges(v, plain)
			return func(o *T) { applyLabels(P(o), all) }, err
		},
	}}
}

// equalities reads key=value,... as a map.
func equalities(v string) (map[string]string, error) {
	all, err := labelChanges(v, plain)
	out := map[string]string{}
	for _, l := range all {
		if l.value == nil {
			return nil, phrase.Errorf("want key=value")
		}
		out[l.key] = *l.value
	}
	return out, err
}

const selectorForm = "CONDITION,..."

func serviceWords() []word[corev1.Service] {
	return []word[corev1.Service]{{
		name: "selector", value: "KEY=VALUE,...", does: "The pods it is about.",
		read: func(v string) (func(*corev1.Service), error) {
			m, err := equalities(v)
			return func(s *corev1.Service) { s.Spec.Selector = m }, err
		},
	}}
}

func controllerWords() []word[corev1.ReplicationController] {
	return []word[corev1.ReplicationController]{{
		name: "selector", value: "KEY=VALUE,...", does: "The pods it is about.",
		read: func(v string) (func(*corev1.ReplicationController), error) {
			m, err := equalities(v)
			return func(c *corev1.ReplicationController) { c.Spec.Selector = m }, err
		},
	}}
}

func replicaSetWords() []word[appsv1.ReplicaSet] {
	return []word[appsv1.ReplicaSet]{{
		name: "selector", value: selectorForm, does: "The pods it is about.",
		read: func(v string) (func(*appsv1.ReplicaSet), error) {
			s, err := labelSelector(v)
			return func(r *appsv1.ReplicaSet) { r.Spec.Selector = s }, err
		},
	}}
}

func statefulSetWords() []word[appsv1.StatefulSet] {
	return []word[appsv1.StatefulSet]{{
		name: "selector", value: selectorForm, does: "The pods it is about.",
		read: func(v string) (func(*appsv1.StatefulSet), error) {
			s, err := labelSelector(v)
			return func(r *appsv1.StatefulSet) { r.Spec.Selector = s }, err
		},
	}}
}

func priorityWords() []word[schedulingv1.PriorityClass] {
	return []word[schedulingv1.PriorityClass]{
		{
			name: "value", value: "NUMBER", does: "The priority it gives.",
			read: func(v string) (func(*schedulingv1.PriorityClass), error) {
				n, err := integer(v)
				return func(c *schedulingv1.PriorityClass) { c.Value = int32(n) }, err
			},
		},
		{
			name: "default", does: "Pods that name no class get it.",
			read: func(v string) (func(*schedulingv1.PriorityClass), error) {
				yes, err := truth(v)
				return func(c *schedulingv1.PriorityClass) { c.GlobalDefault = yes }, err
			},
		},
		{
			name: "preempts", value: "POLICY", does: "Its preemptionPolicy: Never or PreemptLowerPriority.",
			read: func(v string) (func(*schedulingv1.PriorityClass), error) {
				policy, err := preemptionPolicy(v)
				return func(c *schedulingv1.PriorityClass) { c.PreemptionPolicy = &policy }, err
			},
		},
	}
}

func budgetWords() []word[policyv1.PodDisruptionBudget] {
	return []word[policyv1.PodDisruptionBudget]{
		{
			name: "selector", value: selectorForm, does: "The pods it protects.",
			read: func(v string) (func(*policyv1.PodDisruptionBudget), error) {
				s, err := labelSelector(v)
				return func(b *policyv1.PodDisruptionBudget) { b.Spec.Selector = s }, err
			},
		},
		{
			name: "allowed", value: "NUMBER", does: "status.disruptionsAllowed.",
			read: func(v string) (func(*policyv1.PodDisruptionBudget), error) {
				n, err := integer(v)
				return func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = int32(n) }, err
			},
		},
	}
}
