package scenario

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// freshPod is a pod before its words: one container that requests nothing.
func freshPod(p *corev1.Pod) {
	p.Spec.Containers = []corev1.Container{{Name: "main"}}
}

func podWords() []word[corev1.Pod] {
	words := []word[corev1.Pod]{
		podRequest("cpu"), podRequest("memory"), podRequest("storage"),
		{name: "labels", value: "KEY=VALUE,...", does: "Sets labels; `KEY-` drops one.", read: podLabels},
		{name: "priority", value: "NUMBER", does: "The priority, without a PriorityClass.", late: true, read: podPriority},
		{name: "class", value: "NAME", does: "The PriorityClass.", read: func(v string) (func(*corev1.Pod), error) {
			return func(p *corev1.Pod) { p.Spec.PriorityClassName = v }, nil
		}},
		{name: "scheduler", value: "NAME", does: "The schedulerName.", read: func(v string) (func(*corev1.Pod), error) {
			return func(p *corev1.Pod) { p.Spec.SchedulerName = v }, nil
		}},
		{name: "node", value: "NAME", does: "The pod is on that node, and runs.", read: podNode},
		{
			name: "image", value: "NAME", does: "The image of the first container.",
			read: func(v string) (func(*corev1.Pod), error) {
				return func(p *corev1.Pod) { p.Spec.Containers[0].Image = v }, nil
			},
		},
		{
			name: "host-port", value: "PORT[/PROTOCOL][@IP]",
			does: "A port of the node; TCP and every address unless it says so.", many: true,
			clear: func(p *corev1.Pod) { p.Spec.Containers[0].Ports = nil }, read: podPort,
		},
		{
			name: "gate", value: "NAME", does: "A scheduling gate; `gate=` leaves none.", many: true,
			clear: func(p *corev1.Pod) { p.Spec.SchedulingGates = nil }, read: podGate,
		},
		{
			name: "toleration", value: "KEY[=VALUE][:EFFECT]", does: "Tolerates a taint; `*` tolerates all.",
			many: true, read: podToleration,
		},
	}
	words = append(words, nodeChoiceWords()...)
	words = append(words, affinityWords()...)
	words = append(words, containerWords()...)
	words = append(words, podVolumeWords()...)
	return append(words, podStateWords()...)
}

// podStateWords are the words about the state of a pod.
func podStateWords() []word[corev1.Pod] {
	return []word[corev1.Pod]{
		{
			name: "owner", value: "KIND/NAME",
			does: "The controller, as PodTopologySpread's default constraints want to know it.", read: podOwner,
		},
		{
			name: "group", value: "NAME", does: "The PodGroup it is a member of.",
			read: func(v string) (func(*corev1.Pod), error) {
				return func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &v} }, nil
			},
		},
		{
			name: "preempts", value: "POLICY", does: "The preemptionPolicy: Never or PreemptLowerPriority.", late: true,
			read: podPreempts,
		},
		{name: "grace", value: "SECONDS", does: "The time it takes to go.", read: podGrace},
		{
			name: "nominated", value: "NODE", does: "status.nominatedNodeName.", late: true,
			read: func(v string) (func(*corev1.Pod), error) {
				return func(p *corev1.Pod) { p.Status.NominatedNodeName = v }, nil
			},
		},
		{
			name: "phase", value: "PHASE", does: "status.phase: Pending, Running, Succeeded or Failed.", late: true,
			read: podPhase,
		},
		{name: "started", value: "TIME", does: "status.startTime, as in 2026-01-01T00:00:00Z.", late: true, read: podStarted},
		{name: "deleting", does: "It was asked to go and is still there.", late: true, read: podDeleting},
	}
}

func podRequest(key string) word[corev1.Pod] {
	return word[corev1.Pod]{
		name: key, value: "QUANTITY", does: "What the first container requests.",
		read: func(v string) (func(*corev1.Pod), error) {
			name, _ := resourceNamed(key)
			return requestChange(name, v)
		},
	}
}

// otherRequest makes a request of any word that can only be a resource.
func otherRequest(key string) (word[corev1.Pod], bool) {
	_, known := resourceNamed(key)
	return podRequest(key), known && key != "pods"
}

func requestChange(name corev1.ResourceName, text string) (func(*corev1.Pod), error) {
	if text == "" {
		return func(p *corev1.Pod) {
			delete(p.Spec.Containers[0].Resources.Requests, name)
			delete(p.Spec.Containers[0].Resources.Limits, name)
		}, nil
	}
	q, err := quantity(text)
	return func(p *corev1.Pod) {
		r := &p.Spec.Containers[0].Resources
		put(&r.Requests, name, q)
		if isLimited(name) {
			put(&r.Limits, name, q)
		}
	}, err
}

// isLimited reports whether the API wants a limit beside a request: of everything that cannot be overcommitted.
func isLimited(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func put(list *corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = q
}

func podLabels(v string) (func(*corev1.Pod), error) {
	all, err := labelChanges(v, plain)
	return func(p *corev1.Pod) { applyLabels(p, all) }, err
}

func podPriority(v string) (func(*corev1.Pod), error) {
	n, err := integer(v)
	return func(p *corev1.Pod) { p.Spec.Priority = ptr.To(int32(n)) }, err
}

func podNode(v string) (func(*corev1.Pod), error) {
	return func(p *corev1.Pod) {
		p.Spec.NodeName = v
	}, nil
}

func podPort(v string) (func(*corev1.Pod), error) {
	if v == "" {
		return func(*corev1.Pod) {}, nil
	}
	rest, ip, _ := strings.Cut(v, "@")
	number, protocol, has := strings.Cut(rest, "/")
	n, err := integer(number)
	if err != nil || n < 1 || n > 65535 {
		return nil, phrase.Errorf("%q is no port (want 1 to 65535, then /UDP or @10.0.0.1 as needed)", v)
	}
	switch {
	case !has:
		protocol = string(corev1.ProtocolTCP)
	case protocol != "TCP" && protocol != "UDP" && protocol != "SCTP":
		return nil, phrase.Errorf("%q is no protocol (want TCP, UDP or SCTP)", protocol)
	}
	port := corev1.ContainerPort{
		ContainerPort: int32(n), HostPort: int32(n), Protocol: corev1.Protocol(protocol), HostIP: ip,
	}
	return func(p *corev1.Pod) { p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports, port) }, nil
}

func podGate(v string) (func(*corev1.Pod), error) {
	return func(p *corev1.Pod) {
		if v != "" {
			p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v})
		}
	}, nil
}

func podToleration(v string) (func(*corev1.Pod), error) {
	t, err := toleration(v)
	return func(p *corev1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, t) }, err
}

func podOwner(v string) (func(*corev1.Pod), error) {
	kind, name, _ := strings.Cut(v, "/")
	groups := map[string]string{
		"ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "ReplicationController": "v1", "DaemonSet": "apps/v1",
		"Job": "batch/v1",
	}
	group, known := groups[kind]
	if !known || name == "" {
		return nil, phrase.Errorf(
			"%q is no owner (want ReplicaSet/NAME, StatefulSet/NAME, ReplicationController/NAME, DaemonSet/NAME or Job/NAME)",
			v,
		)
	}
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: group, Kind: kind, Name: name, Controller: ptr.To(true)}}
	}, nil
}

func podPreempts(v string) (func(*corev1.Pod), error) {
	policy, err := preemptionPolicy(v)
	return func(p *corev1.Pod) { p.Spec.PreemptionPolicy = &policy }, err
}

func preemptionPolicy(v string) (corev1.PreemptionPolicy, error) {
	policy := corev1.PreemptionPolicy(v)
	if policy != corev1.PreemptNever && policy != corev1.PreemptLowerPriority {
		return "", phrase.Errorf("%q is no preemption policy (want Never or PreemptLowerPriority)", v)
	}
	return policy, nil
}

func podGrace(v string) (func(*corev1.Pod), error) {
	n, err := integer(v)
	if err == nil && n < 0 {
		err = phrase.Errorf("a time is not negative")
	}
	return func(p *corev1.Pod) { p.Spec.TerminationGracePeriodSeconds = &n }, err
}

func podPhase(v string) (func(*corev1.Pod), error) {
	switch phase := corev1.PodPhase(v); phase {
	case corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed:
		return func(p *corev1.Pod) { p.Status.Phase = phase }, nil
	}
	return nil, phrase.Errorf("%q is no phase (want Pending, Running, Succeeded or Failed)", v)
}

func podStarted(v string) (func(*corev1.Pod), error) {
	at, err := time.Parse(time.RFC3339, v)
	if err != nil {
		err = phrase.Errorf("%q is no time (want one like 2026-01-01T00:00:00Z)", v)
	}
	return func(p *corev1.Pod) { p.Status.StartTime = &metav1.Time{Time: at} }, err
}

func podDeleting(v string) (func(*corev1.Pod), error) {
	yes, err := truth(v)
	return func(p *corev1.Pod) {
		p.DeletionTimestamp = nil
		if yes {
			p.DeletionTimestamp = &metav1.Time{Time: begin}
		}
	}, err
}
