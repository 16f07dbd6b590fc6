package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
)

// Wants is what a pod requests of its node.
type Wants struct {
	Requests   []Amount // of cpu, memory, then the rest by name
	Selector   []string // KEY=VALUE of node labels
	Ports      []string // of the node
	Tolerates  []string // taints, as kubectl writes them; those that admission adds are left out
	Rules      []string // affinities and spread constraints that must hold, in words of Wish
	Claims     []string // names of volume claims
	Gates      []string
	Scheduler  string // the schedulerName, unless it is the default one
	Controller string // KIND/NAME of its maker; "" none
}

// Amount is so much of a resource.
type Amount struct {
	Resource string
	Amount   trace.Value
}

// wantsOf reads what a pod requests.
func wantsOf(p *cluster.Pod) Wants {
	spec := &p.API.Spec
	w := Wants{Requests: requestsOf(&p.Requests)}
	for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
		w.Selector = append(w.Selector, key+"="+spec.NodeSelector[key])
	}
	for _, port := range p.Ports {
		w.Ports = append(w.Ports, strconv.Itoa(int(port.Port)))
	}
	for _, t := range spec.Tolerations {
		if t.Key != corev1.TaintNodeNotReady && t.Key != corev1.TaintNodeUnreachable {
			w.Tolerates = append(w.Tolerates, tolerationText(t))
		}
	}
	for _, use := range p.Claims {
		w.Claims = append(w.Claims, use.Name)
	}
	for _, g := range spec.SchedulingGates {
		w.Gates = append(w.Gates, g.Name)
	}
	if spec.SchedulerName != "" && spec.SchedulerName != corev1.DefaultSchedulerName {
		w.Scheduler = spec.SchedulerName
	}
	for _, wish := range []Wish{WishNodeAffinity, WishAffinity, WishAntiAffinity, WishSpread} {
		if len(Relaxed(spec, wish, "")) > 0 {
			w.Rules = append(w.Rules, string(wish))
		}
	}
	for _, owner := range p.API.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			w.Controller = owner.Kind + "/" + owner.Name
		}
	}
	return w
}

// requestsOf are the resources that are requested.
func requestsOf(r *cluster.Resources) []Amount {
	names := []string{"cpu", "memory", "ephemeral-storage"}
	for _, s := range r.Scalars {
		names = append(names, string(s.Name))
	}
	var all []Amount
	for _, name := range names {
		if amount := amountOf(r, name); !isNothing(amount) {
			all = append(all, Amount{name, amount})
		}
	}
	return all
}

func isNothing(v trace.Value) bool {
	n, is := v.Number()
	return !is || n == 0
}

func tolerationText(t corev1.Toleration) string {
	text := t.Key
	switch {
	case t.Operator == corev1.TolerationOpLt || t.Operator == corev1.TolerationOpGt:
		text += " " + string(t.Operator) + " " + t.Value
	case t.Value != "":
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + string(t.Effect)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "*"
	}
	return text
}
