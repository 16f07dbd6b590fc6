package hunt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The kinds of objects that a history has, in the order in which they are listed.
const (
	nodes   = "Node"
	budgets = "PodDisruptionBudget"
	pods    = "Pod"
)

var kinds = []string{nodes, budgets, pods}

func kindOf(o Object) string {
	switch o.(type) {
	case *corev1.Node:
		return nodes
	case *policyv1.PodDisruptionBudget:
		return budgets
	}
	return pods
}

func keyOf(o Object) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

// lifetime is how long a pod runs until its containers end; without the annotation for ever.
const lifetime = "schedstep.dev/lifetime"

// server is the API server with its controllers and the kubelets: what is true of the cluster. Its objects are never
// changed, but replaced.
type server struct {
	*agenda
	objects map[string]map[string]Object // by kind and key
	version int
	watch   func(kind string, before, after Object)
	held    time.Duration // until when deleted pods stay
	// moved is when something happened last that is more than a scheduler's note about a pod.
	moved time.Duration
	known map[string]bool // the names of all nodes that there were
}

func newServer(a *agenda) *server {
	s := &server{agenda: a, objects: map[string]map[string]Object{}, known: map[string]bool{}}
	for _, kind := range kinds {
		s.objects[kind] = map[string]Object{}
	}
	return s
}

func (s *server) list(kind string) []Object {
	var list []Object
	for _, key := range slices.Sorted(maps.Keys(s.objects[kind])) {
		list = append(list, s.objects[kind][key])
	}
	return list
}

func (s *server) pod(key string) (*corev1.Pod, bool) {
	pod, there := s.objects[pods][key].(*corev1.Pod)
	return pod, there
}

// put stores a copy as the newest version of an object.
func (s *server) put(o Object) {
	o = o.DeepCopyObject().(Object)
	kind, key := kindOf(o), keyOf(o)
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	before := s.objects[kind][key]
	s.objects[kind][key] = o
	if kind == nodes {
		s.known[key] = true
	}
	s.watch(kind, before, o)
}

func (s *server) remove(kind, key string) {
	before, there := s.objects[kind][key]
	if !there {
		return
	}
	s.version++
	last := before.DeepCopyObject().(Object)
	last.SetResourceVersion(strconv.Itoa(s.version))
	delete(s.objects[kind], key)
	s.moved = s.since()
	s.watch(kind, last, nil)
}

// change stores what an edit makes of a pod; false if it is not there.
func (s *server) change(key string, edit func(*corev1.Pod)) bool {
	pod, there := s.pod(key)
	if !there {
		return false
	}
	pod = pod.DeepCopy()
	edit(pod)
	s.put(pod)
	return true
}

// add is a pod that a user or a controller makes. Under the name of one that is being deleted it is made when that is
// gone, as a StatefulSet does; under the name of another it is not made.
func (s *server) add(pod *corev1.Pod) {
	if former, there := s.pod(keyOf(pod)); there {
		if former.DeletionTimestamp != nil {
			s.after(50*time.Millisecond, func() { s.add(pod) })
		}
		return
	}
	s.moved = s.since()
	pod = pod.DeepCopy()
	pod.UID = types.UID(fmt.Sprintf("%s-%d", pod.Name, s.version+1))
	pod.CreationTimestamp = metav1.Now()
	s.put(pod)
	if pod.Spec.NodeName != "" {
		s.start(pod)
	}
}

// start is the kubelet that takes a pod up, and the end of a pod whose node there is not.
func (s *server) start(bound *corev1.Pod) {
	key, uid := keyOf(bound), bound.UID
	same := func() bool {
		pod, there := s.pod(key)
		return there && pod.UID == uid
	}
	if _, there := s.objects[nodes][bound.Spec.NodeName]; !there {
		s.after(time.Second, func() {
			if same() {
				s.remove(pods, key)
			}
		})
		return
	}
	s.after(700*time.Millisecond, func() {
		if same() {
			s.change(key, func(p *corev1.Pod) {
				now := metav1.Now()
				p.Status.Phase, p.Status.StartTime = corev1.PodRunning, &now
			})
		}
	})
	if seconds, err := strconv.Atoi(bound.Annotations[lifetime]); err == nil {
		s.after(time.Duration(seconds)*time.Second, func() {
			if same() {
				s.end(key)
			}
		})
	}
}

// end is a pod whose containers have ended: kube-scheduler's watch does not show it any more.
func (s *server) end(key string) { s.remove(pods, key) }

// drop deletes an object as a user does.
func (s *server) drop(kind, key string) {
	switch kind {
	case pods:
		s.terminate(key)
	case nodes:
		for _, o := range s.list(pods) {
			if o.(*corev1.Pod).Spec.NodeName == key {
				s.remove(pods, keyOf(o))
			}
		}
		s.remove(kind, key)
	default:
		s.remove(kind, key)
	}
}

// terminate deletes a pod: at once if it has no node, otherwise when it has had its time and no mishap holds it.
func (s *server) terminate(key string) {
	pod, there := s.pod(key)
	if !there || pod.DeletionTimestamp != nil {
		return
	}
	grace := time.Second
	if pod.Spec.TerminationGracePeriodSeconds != nil {
		grace = time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	}
	if pod.Spec.NodeName == "" || grace == 0 {
		s.remove(pods, key)
		return
	}
	s.moved = s.since()
	s.change(key, func(p *corev1.Pod) {
		seconds := int64(grace / time.Second)
		ends := metav1.NewTime(time.Now().Add(grace))
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &ends, &seconds
	})
	s.after(max(grace, s.held-s.since()), func() {
		if last, there := s.pod(key); there && last.UID == pod.UID {
			s.remove(pods, key)
		}
	})
}

// edit changes a pod as a user or its controller does.
func (s *server) edit(e *Edit) {
	if pod, there := s.pod(e.Pod); !there || pod.DeletionTimestamp != nil {
		return
	}
	s.moved = s.since()
	if e.End {
		if pod, _ := s.pod(e.Pod); pod.Spec.NodeName != "" {
			s.end(e.Pod)
		}
		return
	}
	s.change(e.Pod, func(p *corev1.Pod) {
		if e.Labels != nil {
			p.Labels = e.Labels
		}
		if e.Ungate {
			p.Spec.SchedulingGates = nil
		}
		if e.Tolerate != "" {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{
				Key: e.Tolerate, Operator: corev1.TolerationOpExists,
			})
		}
		if e.CPU != "" {
			p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(e.CPU)
		}
	})
}

// Call is a request of a scheduler to the API server.
type Call struct {
	Verb  string // "bind", "patch" (its status) or "delete"
	Pod   string // namespace/name
	UID   types.UID
	Node  string
	Patch func(*corev1.Pod) error
}

// Name is what the call is about.
func (c Call) name() string { return strings.Join([]string{c.Verb, c.Pod, c.Node}, " ") }

// carry does what a call asks for.
func (s *server) carry(c Call) error {
	pod, there := s.pod(c.Pod)
	of := schema.GroupResource{Resource: "pods"}
	if !there {
		return errors.NewNotFound(of, c.Pod)
	}
	switch c.Verb {
	case "bind":
		if c.UID != pod.UID {
			return errors.NewConflict(of, c.Pod, fmt.Errorf("the UID in the precondition (%s) does not match", c.UID))
		}
		if pod.DeletionTimestamp != nil || pod.Spec.NodeName != "" {
			return errors.NewConflict(of, c.Pod, fmt.Errorf("pod %s is already assigned to node %q", c.Pod, pod.Spec.NodeName))
		}
		s.moved = s.since()
		s.change(c.Pod, func(p *corev1.Pod) {
			p.Spec.NodeName, p.Status.NominatedNodeName = c.Node, ""
		})
		bound, _ := s.pod(c.Pod)
		s.start(bound)
	case "patch":
		patched := pod.DeepCopy()
		if err := c.Patch(patched); err != nil {
			return errors.NewBadRequest(err.Error())
		}
		if !equality.Semantic.DeepEqual(pod, patched) {
			s.put(patched)
		}
	case "delete":
		s.terminate(c.Pod)
	}
	return nil
}
