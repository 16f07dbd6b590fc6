//go:build e2e

package e2e_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var wideFleets = flag.Int("wide-fleets", 0, "of so many clusters for plans the last one is wide; 1: each; 0: none")

// isWide reports whether a seed draws a cluster with many nodes, volumes, devices and Jobs.
func isWide(seed uint64) bool {
	every := uint64(max(*wideFleets, 0))
	return every > 0 && seed%every == every-1
}

// wideFleet is a cluster of 11 to 60 nodes on which plans are carried out. It has each time a StatefulSet with claims,
// a Deployment whose pods claim devices, and a Job; besides them what there is room for. Few of its nodes are drained:
// what a plan does with one takes a minute.
func wideFleet(seed uint64, cause string) (s *situation, drained []string) {
	s = &situation{seed: seed, cause: cause, isWide: true, chance: rand.New(rand.NewPCG(seed, 60))}
	s.drawNodes(11 + s.chance.IntN(50))
	for i, n := range s.nodes {
		n.Labels["pool"] = fmt.Sprintf("p%d", i/5)
	}
	never := corev1.PreemptNever
	for _, c := range []struct {
		name   string
		value  int32
		policy *corev1.PreemptionPolicy
	}{{"low", -10, nil}, {"high", 1000, nil}, {"calm", 500, &never}} {
		s.ground = append(s.ground, &schedulingv1.PriorityClass{
			TypeMeta:   metav1.TypeMeta{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass"},
			ObjectMeta: metav1.ObjectMeta{Name: c.name}, Value: c.value, PreemptionPolicy: c.policy,
		})
	}
	s.drawClasses()
	devices := s.drawDevices()
	full := s.fullness()
	for i, name := range []string{
		"store", "model", "batch", "cache", "front", "queue", "index", "mail", "learn", "ledger", "night", "proxy", "search",
		"video", "audit", "wiki",
	} {
		kind := []string{"claims", "devices", "job"}[min(i, 2)]
		if i > 2 {
			kind = one(s.chance, "", "", "", "", "set", "claims", "devices", "job")
		}
		if full -= s.drawWide(name, kind, devices); full < 0 {
			break
		}
	}
	s.drawAgent()
	for _, i := range s.chance.Perm(len(s.nodes))[:1+s.chance.IntN(3)] {
		drained = append(drained, s.nodes[i].Name)
	}
	return s, drained
}

// fullness is how many thousandths of a CPU the workloads want, about.
func (s *situation) fullness() int64 {
	all := int64(0)
	for _, n := range s.nodes {
		all += n.Status.Allocatable.Cpu().MilliValue()
	}
	percent := int64(45 + s.chance.IntN(35))
	switch s.cause {
	case "room":
		percent = 75 // what is evicted has to find room elsewhere
	case "pack":
		percent = int64(30 + s.chance.IntN(25))
	}
	return all * percent / 100
}

// The classes of volumes: those of a zone that wait for their first consumer, those of a zone that do not, and those of
// one node.
const (
	ofZone = "zonal"
	atOnce = "prompt"
	ofNode = "local"
)

func (s *situation) drawClasses() {
	for _, name := range []string{ofZone, atOnce, ofNode} {
		mode := storagev1.VolumeBindingWaitForFirstConsumer
		if name == atOnce {
			mode = storagev1.VolumeBindingImmediate
		}
		s.ground = append(s.ground, &storagev1.StorageClass{
			TypeMeta:   metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
			ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &mode,
		})
	}
}

// drawVolumes makes volumes of a class: for each replica one in each zone, or on a node of its own, and some more.
func (s *situation) drawVolumes(of, class string, replicas int) {
	for i := range replicas + 1 {
		where := corev1.NodeSelectorRequirement{
			Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn,
			Values: []string{one(s.chance, s.nodes...).Name},
		}
		if class == ofNode {
			s.ground = append(s.ground, s.volume(fmt.Sprintf("%s-%d-%d", of, s.seed, i), class, where))
			continue
		}
		for _, zone := range []string{"a", "b", "c"} {
			where.Key, where.Values = corev1.LabelTopologyZone, []string{zone}
			s.ground = append(s.ground, s.volume(fmt.Sprintf("%s-%d-%d%s", of, s.seed, i, zone), class, where))
		}
	}
}

func (s *situation) volume(name, class string, where corev1.NodeSelectorRequirement) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:               corev1.ResourceList{"storage": resource.MustParse(one(s.chance, "1Gi", "2Gi", "3Gi"))},
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName:       class,
			PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/data"}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{where}}},
			}},
		},
	}
}

// The driver of devices, and the kinds that it has.
const deviceDriver = "devices.example.com"

var models = []string{"small", "small", "large"}

// drawDevices gives every third node devices, and returns how many there are of each model.
func (s *situation) drawDevices() map[string]int {
	s.ground = append(s.ground, &resourcev1.DeviceClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "DeviceClass"},
		ObjectMeta: metav1.ObjectMeta{Name: "device"}, Spec: resourcev1.DeviceClassSpec{
			Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
				Expression: fmt.Sprintf("device.driver == %q", deviceDriver),
			}}},
		},
	})
	all := map[string]int{}
	for i, n := range s.nodes {
		if i%3 != 0 && s.chance.IntN(8) > 0 {
			continue
		}
		model, count := one(s.chance, models...), 1+s.chance.IntN(4)
		all[model] += count
		s.ground = append(s.ground, slice(n.Name, model, count))
	}
	return all
}

// slice is what a driver publishes of the devices of a node.
func slice(node, model string, count int) *resourcev1.ResourceSlice {
	o := &resourcev1.ResourceSlice{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
		ObjectMeta: metav1.ObjectMeta{Name: "devices-of-" + node},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: deviceDriver, NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1},
		},
	}
	for i := range count {
		o.Spec.Devices = append(o.Spec.Devices, resourcev1.Device{
			Name:       fmt.Sprintf("d%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &model}},
		})
	}
	return o
}

// published are the devices that drivers publish of a node which is like an old one.
func (s *situation) published(old, name string) (all []runtime.Object) {
	for _, o := range s.ground {
		of, is := o.(*resourcev1.ResourceSlice)
		if !is || *of.Spec.NodeName != old {
			continue
		}
		of = of.DeepCopy()
		of.Name, of.Spec.NodeName, of.Spec.Pool.Name = "devices-of-"+name, &name, name
		all = append(all, of)
	}
	return all
}

// drawWide draws a workload of a kind, and returns how many thousandths of a CPU it wants.
func (s *situation) drawWide(name, kind string, devices map[string]int) int64 {
	cpu := int64(100 * (2 + s.chance.IntN(11)))
	t := s.template(name, cpu, int64(128*(1+s.chance.IntN(8))))
	t.Spec.TerminationGracePeriodSeconds = new(int64(1 + s.chance.IntN(2)))
	t.Spec.PriorityClassName = one(s.chance, "", "", "", "low", "high", "calm")
	replicas := 2 + s.chance.IntN(len(s.nodes)*2/3)
	if kind != "devices" {
		s.wish(&t.Spec, name)
	}
	meta := metav1.ObjectMeta{Name: name, Namespace: here}
	switch kind {
	case "set":
		replicas = min(replicas, 9)
		s.ground = append(s.ground, s.set(meta, int32(replicas), t))
	case "claims":
		replicas = min(replicas, 9)
		s.drawClaims(name, int32(replicas), t)
	case "devices":
		replicas = s.claimDevices(name, &t.Spec, devices)
		s.ground = append(s.ground, deployment(name, int32(replicas), t))
	case "job":
		t.Spec.RestartPolicy = corev1.RestartPolicyNever
		replicas = min(replicas, 1+s.chance.IntN(4))
		count := int32(replicas)
		s.ground = append(s.ground, &batchv1.Job{
			TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: meta,
			Spec: batchv1.JobSpec{Parallelism: &count, Completions: &count, Template: t},
		})
	default:
		s.ground = append(s.ground, deployment(name, int32(replicas), t))
	}
	if kind != "job" && s.chance.IntN(5) < 2 {
		s.ground = append(s.ground, s.budget(name))
	}
	return cpu * int64(replicas)
}

// drawClaims draws a StatefulSet whose pods have a volume each, and the volumes.
func (s *situation) drawClaims(name string, replicas int32, t corev1.PodTemplateSpec) {
	class := one(s.chance, ofZone, ofZone, ofZone, atOnce, ofNode)
	set := s.set(metav1.ObjectMeta{Name: name, Namespace: here}, replicas, t)
	set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				"storage": resource.MustParse(one(s.chance, "1Gi", "2Gi")),
			}},
		},
	}}
	s.drawVolumes(name, class, int(replicas))
	if name == subject {
		s.subject = append(s.subject, set)
		return
	}
	s.ground = append(s.ground, set)
}

// claimDevices has pods claim devices by a template, and returns how many pods find some, or one more.
func (s *situation) claimDevices(name string, spec *corev1.PodSpec, devices map[string]int) (replicas int) {
	model, each := one(s.chance, models...), 1+s.chance.IntN(2)
	left := devices[model] / each
	replicas = 1 + s.chance.IntN(max(left*2/3, 1))
	devices[model] -= replicas * each
	s.ground = append(s.ground, &resourcev1.ResourceClaimTemplate{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaimTemplate"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: here},
		Spec: resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{{Name: "device", Exactly: &resourcev1.ExactDeviceRequest{
				DeviceClassName: "device", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: int64(each),
				Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
					Expression: fmt.Sprintf("device.attributes[%q].model == %q", deviceDriver, model),
				}}},
			}}},
		}}},
	})
	spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "device", ResourceClaimTemplateName: &name}}
	spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "device"}}
	return replicas
}

// scalable adds the workload that is scaled up: a Deployment, or in a wide cluster one with devices, or a StatefulSet
// with claims.
func (s *situation) scalable() {
	web := s.template(subject, int64(100*(1+s.chance.IntN(12))), int64(64*(1+s.chance.IntN(8))))
	s.word = "deployment/" + subject
	kind := uint64(0)
	if s.isWide {
		kind = s.seed % 3
	}
	switch kind {
	case 1:
		s.claimDevices(subject, &web.Spec, map[string]int{})
		s.ground = append(s.ground, deployment(subject, 1, web))
	case 2:
		s.word = "statefulset/" + subject
		s.wish(&web.Spec, subject)
		s.drawClaims(subject, 1, web)
		s.drawVolumes("more", ofZone, 3)
	default:
		s.wish(&web.Spec, subject)
		s.ground = append(s.ground, deployment(subject, 1, web))
	}
}

// census counts what there is in the cluster that is on.
func (w *theatre) census(s *situation) string {
	w.Helper()
	pods := w.pods()
	var waits, volumes, devices, jobs int
	for i := range pods {
		p := &pods[i]
		if p.Spec.NodeName == "" {
			waits++
		}
		if len(p.Spec.ResourceClaims) > 0 {
			devices++
		}
		if c := metav1.GetControllerOf(p); c != nil && c.Kind == "Job" {
			jobs++
		}
		if slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil }) {
			volumes++
		}
	}
	return fmt.Sprintf("%d nodes, %d pods: %d with volumes, %d with devices, %d of Jobs, %d without a node", len(s.nodes),
		len(pods), volumes, devices, jobs, waits)
}
