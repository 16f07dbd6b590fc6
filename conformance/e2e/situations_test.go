//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// situation is a small cluster drawn by a seed: nodes with workloads on them, and one more workload that may not fit.
type situation struct {
	seed    uint64
	chance  *rand.Rand
	cause   string // what keeps the subject from fitting, as a rule
	word    string // the subject, as explain has it
	asked   string // what explain was called with
	isWide  bool   // it has many nodes, volumes, devices and Jobs
	nodes   []*corev1.Node
	ground  []runtime.Object
	subject []runtime.Object
}

// here stands for the namespace of the cluster.
const here = "here"

// causes are what keeps a workload from fitting.
var causes = []string{
	"cpu", "memory", "taint", "selector", "affinity", "spread", "apart", "company", "port", "cordon", "control-plane",
	"volumes", "budget", "replicas",
}

// workloads are the kinds of a subject, by how often they are drawn.
var workloads = []string{"deploy", "deploy", "deploy", "sts", "sts", "ds", "job", "pod"}

func drawn(seed uint64) *situation {
	s := &situation{seed: seed, chance: rand.New(rand.NewPCG(seed, 27))}
	s.cause = causes[int(seed)%len(causes)]
	kind := workloads[s.chance.IntN(len(workloads))]
	switch {
	case s.cause == "volumes":
		kind = "sts"
	case s.isFull():
		kind = "pod"
	case kind == "ds" && slices.Contains([]string{"apart", "port", "spread"}, s.cause), // one on each node fits
		kind == "pod" && slices.Contains([]string{"apart", "port", "spread"}, s.cause):
		kind = "deploy"
	}
	s.drawNodes(3 + s.chance.IntN(6))
	s.drawNeighbours(1 + s.chance.IntN(3))
	if s.isFull() {
		s.fill()
	}
	s.drawSubject(kind)
	return s
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (s *situation) drawNodes(count int) {
	for i := range count {
		room := corev1.ResourceList{
			"cpu": resource.MustParse(one(s.chance, "2", "3", "4", "6")), "pods": resource.MustParse("20"),
			"memory": resource.MustParse(one(s.chance, "4Gi", "8Gi", "12Gi")), "ephemeral-storage": resource.MustParse("50Gi"),
		}
		name := fmt.Sprintf("n%d", i+1)
		n := &corev1.Node{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname: name, corev1.LabelTopologyZone: string(rune('a' + i%3)),
				"disk": one(s.chance, "ssd", "hdd", "hdd"),
			}},
			Status: corev1.NodeStatus{Allocatable: room, Capacity: room, Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
				LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
			}}},
		}
		switch {
		case s.isFull() && i == 0:
			room["pods"] = resource.MustParse("2")
			n.Spec.Taints = []corev1.Taint{{Key: reserved, Effect: corev1.TaintEffectNoSchedule}}
		case s.cause == "taint" && i%2 == 0, s.cause == "spread" && i%3 == 2, s.chance.IntN(12) == 0:
			n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
		case s.cause == "cordon" && i > 0:
			n.Spec.Unschedulable = true
		case s.cause == "control-plane" && i == 0:
			n.Labels["node-role.kubernetes.io/control-plane"] = ""
			n.Spec.Taints = []corev1.Taint{{
				Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule,
			}}
		}
		s.nodes, s.ground = append(s.nodes, n), append(s.ground, n)
	}
}

// drawNeighbours draws workloads of others, some with a budget, some with a priority.
func (s *situation) drawNeighbours(count int) {
	s.ground = append(s.ground, &schedulingv1.PriorityClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
		ObjectMeta: metav1.ObjectMeta{Name: "batch"}, Value: -10,
	})
	for i := range count {
		name := []string{"cache", "front", "queue"}[i]
		t := s.template(name, int64(100*(1+s.chance.IntN(8))), int64(128*(1+s.chance.IntN(8))))
		if s.chance.IntN(4) == 0 {
			t.Spec.PriorityClassName = "batch"
		}
		s.ground = append(s.ground, deployment(name, int32(1+s.chance.IntN(4)), t))
		if s.chance.IntN(3) == 0 {
			s.ground = append(s.ground, s.budget(name))
		}
	}
}

// reserved is the taint of a node for some workloads, which is full of one of them.
const reserved = "reserved"

// isFull reports whether a node is full of a workload that no eviction takes off it: its budget refuses, or it comes
// back.
func (s *situation) isFull() bool { return s.cause == "budget" || s.cause == "replicas" }

// keeps has pods come to that node alone.
func keeps(spec *corev1.PodSpec) {
	spec.NodeSelector = map[string]string{corev1.LabelHostname: "n1"}
	spec.Tolerations = []corev1.Toleration{{Key: reserved, Operator: corev1.TolerationOpExists}}
}

// fill draws that workload.
func (s *situation) fill() {
	t := s.template("keeper", 100, 128)
	keeps(&t.Spec)
	d := deployment("keeper", 2, t)
	if s.cause == "replicas" {
		s.ground = append(s.ground, &schedulingv1.PriorityClass{
			TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
			ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 10,
		})
		d.Spec.Template.Spec.PriorityClassName = "high"
		s.ground = append(s.ground, d)
		return
	}
	b := s.budget("keeper")
	b.Spec.MinAvailable, b.Spec.MaxUnavailable = nil, nil
	s.ground = append(s.ground, b)
	switch s.chance.IntN(6) {
	case 0:
		b.Spec.MinAvailable = new(intstr.FromString("100%"))
	case 1:
		b.Spec.MaxUnavailable = new(intstr.FromInt32(0))
	case 2:
		b.Spec.MaxUnavailable = new(intstr.FromString("0%"))
	default: // pods of nobody, which do not come back when the budget lets one go
		b.Spec.MinAvailable = new(intstr.FromInt32(2))
		for i := range 2 {
			s.ground = append(s.ground, &corev1.Pod{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("keeper-%d", i), Namespace: here, Labels: t.Labels},
				Spec:       t.Spec,
			})
		}
		return
	}
	s.ground = append(s.ground, d)
}

func (s *situation) budget(of string) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Name: of, Namespace: here},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selects(of)},
	}
	switch s.chance.IntN(3) {
	case 0:
		b.Spec.MinAvailable = new(intstr.FromInt32(1))
	case 1:
		b.Spec.MaxUnavailable = new(intstr.FromInt32(1))
	default:
		b.Spec.MinAvailable = new(intstr.FromString("50%"))
	}
	return b
}

func selects(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// template is that of pods which request so many thousandths of a core and mebibytes.
func (s *situation) template(app string, cpu, memory int64) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)),
			Containers: []corev1.Container{{Name: "c", Image: "x", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					"cpu":    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
					"memory": *resource.NewQuantity(memory<<20, resource.BinarySI),
				},
			}}},
		},
	}
}

func deployment(name string, replicas int32, t corev1.PodTemplateSpec) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: here},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: selects(name), Template: t},
	}
}

// subject is the name of the workload that is explained.
const subject = "web"

func (s *situation) drawSubject(kind string) {
	replicas := int32(2 + s.chance.IntN(4))
	t := s.template(subject, int64(200*(1+s.chance.IntN(4))), int64(256*(1+s.chance.IntN(4))))
	if s.chance.IntN(3) == 0 {
		replicas += int32(len(s.nodes)) / 2
	}
	s.hinder(&t, &replicas)
	if kind == "pod" {
		s.hinderOne(&t.Spec)
	}
	s.word = kind + "/" + subject
	meta := metav1.ObjectMeta{Name: subject, Namespace: here}
	switch kind {
	case "deploy":
		d := deployment(subject, replicas, t)
		switch s.chance.IntN(5) {
		case 0:
			d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		case 1:
			d.Spec.Strategy = appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge: new(intstr.FromInt32(0)), MaxUnavailable: new(intstr.FromInt32(1)),
				},
			}
		}
		s.subject = append(s.subject, d)
	case "sts":
		s.subject = append(s.subject, s.set(meta, replicas, t))
	case "ds":
		s.subject = append(s.subject, &appsv1.DaemonSet{
			TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"}, ObjectMeta: meta,
			Spec: appsv1.DaemonSetSpec{Selector: selects(subject), Template: t},
		})
	case "job":
		t.Spec.RestartPolicy = corev1.RestartPolicyNever
		s.subject = append(s.subject, &batchv1.Job{
			TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: meta,
			Spec: batchv1.JobSpec{Parallelism: &replicas, Completions: &replicas, Template: t},
		})
	default:
		t.Spec.NodeName = ""
		meta.Labels = t.Labels
		s.subject = append(s.subject, &corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: meta, Spec: t.Spec,
		})
	}
	if s.chance.IntN(3) == 0 && kind != "pod" && kind != "job" {
		s.subject = append(s.subject, s.budget(subject))
	}
}

func (s *situation) set(meta metav1.ObjectMeta, replicas int32, t corev1.PodTemplateSpec) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"}, ObjectMeta: meta,
		Spec: appsv1.StatefulSetSpec{Replicas: &replicas, Selector: selects(meta.Name), Template: t, ServiceName: meta.Name},
	}
	if s.chance.IntN(2) == 0 {
		set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	}
	if s.cause != "volumes" {
		return set
	}
	set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: new("local"),
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
		},
	}}
	return set
}

// hinder makes the template one that not all replicas of have a node, as a rule.
func (s *situation) hinder(t *corev1.PodTemplateSpec, replicas *int32) {
	requests, spec := t.Spec.Containers[0].Resources.Requests, &t.Spec
	some := s.nodes[s.chance.IntN(len(s.nodes))]
	few := corev1.NodeSelectorRequirement{
		Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn,
		Values: []string{one(s.chance, "a", "b", "z")},
	}
	switch s.cause {
	case "cpu":
		requests["cpu"] = *resource.NewMilliQuantity(some.Status.Allocatable.Cpu().MilliValue()*3/5, resource.DecimalSI)
		*replicas = int32(len(s.nodes)) + 1
	case "memory":
		requests["memory"] = *resource.NewQuantity(some.Status.Allocatable.Memory().Value()*7/10, resource.BinarySI)
		*replicas = int32(len(s.nodes)) + 1
	case "taint", "control-plane", "cordon":
		requests["cpu"] = *resource.NewMilliQuantity(1500, resource.DecimalSI)
		*replicas = int32(len(s.nodes)) + 2
	case "selector":
		spec.NodeSelector = map[string]string{"disk": one(s.chance, "ssd", "nvme")}
		requests["cpu"] = *resource.NewMilliQuantity(1300, resource.DecimalSI)
	case "affinity":
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{few},
			}}},
		}}
		requests["cpu"] = *resource.NewMilliQuantity(1500, resource.DecimalSI)
		*replicas += 2
	case "spread":
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: selects(subject),
		}}
		*replicas = 6
	case "apart":
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: one(s.chance, corev1.LabelHostname, corev1.LabelTopologyZone), LabelSelector: selects(subject),
			}},
		}}
		*replicas = int32(len(s.nodes)) + 1
	case "company":
		spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: corev1.LabelHostname, LabelSelector: selects(one(s.chance, "cache", "nothing")),
			}},
		}}
		requests["cpu"] = *resource.NewMilliQuantity(1200, resource.DecimalSI)
		*replicas = 6
	case "port":
		spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 8080, HostPort: 8080}}
		*replicas = int32(len(s.nodes)) + 1
	case "volumes":
		s.volumes(1 + s.chance.IntN(2))
	}
}

// hinderOne keeps a single pod from having a node.
func (s *situation) hinderOne(spec *corev1.PodSpec) {
	requests := spec.Containers[0].Resources.Requests
	most := int64(0)
	for _, n := range s.nodes {
		most = max(most, n.Status.Allocatable.Cpu().MilliValue())
	}
	switch s.cause {
	case "cpu", "memory":
		requests["cpu"] = *resource.NewMilliQuantity(most-100, resource.DecimalSI)
	case "taint", "control-plane":
		spec.NodeSelector = map[string]string{corev1.LabelHostname: "n1"}
	case "cordon":
		spec.NodeSelector = map[string]string{corev1.LabelHostname: "n2"}
	case "selector":
		spec.NodeSelector = map[string]string{"disk": "nvme"}
	case "affinity":
		spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].
			MatchExpressions[0].Values = []string{"z"}
	case "budget", "replicas":
		keeps(spec)
	case "company":
		spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector = selects("nothing")
	}
}

// volumes makes a class of volumes that are on single nodes, and a few of them.
func (s *situation) volumes(count int) {
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	s.ground = append(s.ground, &storagev1.StorageClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
		ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait,
	})
	for i := range count {
		its := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
			Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{s.nodes[i].Name},
		}}}
		s.ground = append(s.ground, &corev1.PersistentVolume{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("disk-%d", i)},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:               corev1.ResourceList{"storage": resource.MustParse("1Gi")},
				AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				StorageClassName:       "local",
				PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/data"}},
				NodeAffinity: &corev1.VolumeNodeAffinity{
					Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{its}},
				},
			},
		})
	}
}

// written are objects in JSON, with the cluster's namespace.
func (s *situation) written(namespace string, objects []runtime.Object) []byte {
	all, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	if err != nil {
		panic(err)
	}
	return bytes.ReplaceAll(all, []byte(`"namespace":"`+here+`"`), []byte(`"namespace":"`+namespace+`"`))
}
