//go:build e2e

package e2e_test

import (
	"fmt"
	"math/rand/v2"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// drawnFleet is a cluster on which nodes are drained: 3 to 10 nodes with Deployments, StatefulSets, a DaemonSet,
// budgets, spread constraints and priorities, or a wide one. Its nodes to drain are drawn too. cause is what is
// planned.
func drawnFleet(seed uint64, cause string) (s *situation, drained []string) {
	if isWide(seed) {
		return wideFleet(seed, cause)
	}
	s = &situation{seed: seed, cause: cause, chance: rand.New(rand.NewPCG(seed, 28))}
	s.drawNodes(3 + s.chance.IntN(8))
	for _, c := range []struct {
		name  string
		value int32
	}{{"low", -10}, {"high", 1000}} {
		s.ground = append(s.ground, &schedulingv1.PriorityClass{
			TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
			ObjectMeta: metav1.ObjectMeta{Name: c.name}, Value: c.value,
		})
	}
	for i := range 3 + s.chance.IntN(4) {
		s.drawInhabitant([]string{"cache", "front", "queue", "store", "index", "mail"}[i])
	}
	s.drawAgent()
	for _, i := range s.chance.Perm(len(s.nodes))[:1+s.chance.IntN(max(len(s.nodes)/3, 1))] {
		drained = append(drained, s.nodes[i].Name)
	}
	return s, drained
}

// drawAgent draws a DaemonSet in every second cluster.
func (s *situation) drawAgent() {
	if s.chance.IntN(2) == 0 {
		s.ground = append(s.ground, &appsv1.DaemonSet{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
			ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: here},
			Spec:       appsv1.DaemonSetSpec{Selector: selects("agent"), Template: s.template("agent", 100, 64)},
		})
	}
}

// drawInhabitant draws a workload of a fleet.
func (s *situation) drawInhabitant(name string) {
	t := s.template(name, int64(100*(1+s.chance.IntN(9))), int64(128*(1+s.chance.IntN(8))))
	t.Spec.TerminationGracePeriodSeconds = new(int64(1 + s.chance.IntN(2)))
	switch s.chance.IntN(5) {
	case 0:
		t.Spec.PriorityClassName = "low"
	case 1:
		t.Spec.PriorityClassName = "high"
	}
	s.wish(&t.Spec, name)
	replicas := int32(1 + s.chance.IntN(7))
	if s.chance.IntN(3) == 0 {
		s.ground = append(s.ground, s.set(metav1.ObjectMeta{Name: name, Namespace: here}, replicas, t))
	} else {
		s.ground = append(s.ground, deployment(name, replicas, t))
	}
	if s.chance.IntN(5) < 2 {
		s.ground = append(s.ground, s.budget(name))
	}
}

// wish draws what pods wish of nodes besides room.
func (s *situation) wish(spec *corev1.PodSpec, name string) {
	switch s.chance.IntN(5) {
	case 0, 1:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: one(s.chance, corev1.LabelTopologyZone, corev1.LabelHostname),
			LabelSelector: selects(name), WhenUnsatisfiable: one(s.chance, corev1.DoNotSchedule, corev1.ScheduleAnyway),
		}}
	case 2:
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight:          50,
				PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: selects(name)},
			}},
		}}
	case 3:
		if s.chance.IntN(2) == 0 {
			spec.NodeSelector = map[string]string{"disk": "hdd"}
		}
	}
}

func (s *situation) String() string { return fmt.Sprintf("%d %s %s", s.seed, s.cause, s.word) }
