//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kept is an annotation that schedstep does not keep of what it reads. It must survive what drive writes.
const kept = corev1.LastAppliedConfigAnnotation

// class makes a storage class whose volumes wait for a pod.
func (r *running) class(name, provisioner string) {
	r.Helper()
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	r.make(r.client.StorageV1().StorageClasses().Create(r.Context(), &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &wait,
	}, metav1.CreateOptions{}))
}

var oneGi = corev1.ResourceList{"storage": resource.MustParse("1Gi")}

// claim makes a claim of a storage class, and a pod that uses it.
func (r *running) claim(name, class, pod string) {
	r.Helper()
	claims := r.client.CoreV1().PersistentVolumeClaims("shop")
	r.make(claims.Create(r.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{kept: "kept"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: &class, Resources: corev1.VolumeResourceRequirements{Requests: oneGi},
		},
	}, metav1.CreateOptions{}))
	r.wanted(pod, "schedstep", 100, func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}}}
	})
}

// volume makes a volume that only n01 reaches. No claim has it unless one is named.
func (r *running) volume(name, class, claim string) {
	r.Helper()
	volumes := r.client.CoreV1().PersistentVolumes()
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{kept: "kept"}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: oneGi, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: class,
			PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/disk"}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: []string{"n01"},
				}}}},
			}},
		},
	}
	phase := corev1.VolumeAvailable
	if claim != "" {
		phase = corev1.VolumeBound
		v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "shop", Name: claim}
	}
	made, err := volumes.Create(r.Context(), v, metav1.CreateOptions{})
	r.make(nil, err)
	made.Status.Phase = phase
	r.make(volumes.UpdateStatus(r.Context(), made, metav1.UpdateOptions{}))
}

// bind does what the volume controller does when a claim has got its volume.
func (r *running) bind(claim, volume string) {
	r.Helper()
	claims := r.client.CoreV1().PersistentVolumeClaims("shop")
	c, err := claims.Get(r.Context(), claim, metav1.GetOptions{})
	r.make(nil, err)
	c.Spec.VolumeName = volume
	c.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
	r.make(claims.Update(r.Context(), c, metav1.UpdateOptions{}))
}

func TestDriveBindsVolumes(t *testing.T) {
	r := start(t, 2)
	r.mayDrive()
	r.class("local", "kubernetes.io/no-provisioner")
	r.volume("disk", "local", "")
	d := r.drive("driving:")
	r.claim("data", "local", "web")
	r.await("the volume is set aside", func(ctx context.Context) bool {
		v, err := r.client.CoreV1().PersistentVolumes().Get(ctx, "disk", metav1.GetOptions{})
		return err == nil && v.Spec.ClaimRef != nil && v.Spec.ClaimRef.Name == "data" && v.Annotations[kept] == "kept"
	})
	r.waitsForItsVolume("web", "n01")
	r.bind("data", "disk")
	r.await("web is bound", r.isBound("web"))
	d.stopUnrefused(t)
}

func TestDriveHasAVolumeMadeOnTheNodeItChose(t *testing.T) {
	r := start(t, 2)
	r.mayDrive()
	r.class("made", "example.com/maker")
	d := r.drive("driving:")
	r.claim("data", "made", "web")
	var node string
	r.await("the claim names a node", func(ctx context.Context) bool {
		c, err := r.client.CoreV1().PersistentVolumeClaims("shop").Get(ctx, "data", metav1.GetOptions{})
		if err != nil {
			return false
		}
		node = c.Annotations["volume.kubernetes.io/selected-node"]
		return node != "" && c.Annotations[kept] == "kept"
	})
	r.waitsForItsVolume("web", node)
	// The provisioner can make it elsewhere only: kube-scheduler takes the claim back, and chooses again.
	r.volume("made", "made", "data")
	r.bind("data", "made")
	r.await("web is bound", r.isBound("web"))
	if p := r.pod("web"); p.Spec.NodeName != "n01" {
		t.Errorf("the volume is on n01 and the pod on %s", p.Spec.NodeName)
	}
	d.stopUnrefused(t)
}

// waitsForItsVolume holds that a pod has its place, and is not bound before its volume is.
func (r *running) waitsForItsVolume(name, node string) {
	r.Helper()
	r.await(name+" is nominated on "+node, func(context.Context) bool {
		return r.pod(name).Status.NominatedNodeName == node
	})
	if p := r.pod(name); p.Spec.NodeName != "" {
		r.Errorf("before the claim is bound the pod is on %q", p.Spec.NodeName)
	}
}

func TestDriveAllocatesAndReservesDevices(t *testing.T) {
	r := start(t, 2)
	r.mayDrive()
	r.make(r.client.ResourceV1().DeviceClasses().Create(t.Context(), &resourcev1.DeviceClass{
		ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
	}, metav1.CreateOptions{}))
	on := "n01"
	r.make(r.client.ResourceV1().ResourceSlices().Create(t.Context(), &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "slice"},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &on, Devices: []resourcev1.Device{{Name: "gpu-0"}},
			Pool: resourcev1.ResourcePool{Name: on, ResourceSliceCount: 1},
		},
	}, metav1.CreateOptions{}))
	claims := r.client.ResourceV1().ResourceClaims("shop")
	r.make(claims.Create(t.Context(), &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "card", Annotations: map[string]string{kept: "kept"}},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "one", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
		}}}},
	}, metav1.CreateOptions{}))
	d := r.drive("driving:")
	name := "card"
	for _, pod := range []string{"first", "second"} { // the second finds the claim allocated, and is only added
		r.wanted(pod, "schedstep", 100, func(p *corev1.Pod) {
			p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
		})
		r.await(pod+" is bound", r.isBound(pod))
		if p := r.pod(pod); p.Spec.NodeName != on {
			t.Errorf("the device is on %s and %s on %s", on, pod, p.Spec.NodeName)
		}
	}
	c, err := claims.Get(t.Context(), "card", metav1.GetOptions{})
	r.make(nil, err)
	if c.Status.Allocation == nil || c.Status.Allocation.Devices.Results[0].Device != "gpu-0" {
		t.Errorf("what is allocated is %v", c.Status.Allocation)
	}
	var users []string
	for _, user := range c.Status.ReservedFor {
		users = append(users, user.Name)
	}
	if !slices.Equal(users, []string{"first", "second"}) || c.Annotations[kept] != "kept" ||
		!slices.Contains(c.Finalizers, resourcev1.Finalizer) {
		t.Errorf("it is reserved for %q, and its metadata is %v", users, c.ObjectMeta)
	}
	d.stopUnrefused(t)
}

func TestDrivePlacesAGangAndSaysSo(t *testing.T) {
	r := start(t, 2, "--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1beta1=true")
	r.mayDrive()
	groups := r.client.SchedulingV1beta1().PodGroups("shop")
	for _, name := range []string{"fits", "huge"} {
		r.make(groups.Create(t.Context(), &schedulingv1beta1.PodGroup{
			ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{kept: "kept"}},
			Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
				Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: 3},
			}},
		}, metav1.CreateOptions{}))
	}
	d := r.drive("driving:", "--feature-gates", "GenericWorkload=true")
	for i := range 3 {
		r.member("fits", i, 100)
		r.member("huge", i, 6000) // two of them fill both nodes
	}
	for i := range 3 {
		r.await("the members of fits are bound", r.isBound(fmt.Sprintf("fits-%d", i)))
	}
	for name, want := range map[string]metav1.ConditionStatus{
		"fits": metav1.ConditionTrue, "huge": metav1.ConditionFalse,
	} {
		r.await(name+" is told", func(ctx context.Context) bool {
			g, err := groups.Get(ctx, name, metav1.GetOptions{})
			return err == nil && g.Annotations[kept] == "kept" &&
				meta.IsStatusConditionPresentAndEqual(g.Status.Conditions, schedulingv1beta1.PodGroupInitiallyScheduled, want)
		})
	}
	for i := range 3 {
		if p := r.pod(fmt.Sprintf("huge-%d", i)); p.Spec.NodeName != "" {
			t.Errorf("%s of a gang that does not fit is on %s", p.Name, p.Spec.NodeName)
		}
	}
	d.stopUnrefused(t)
}

// member makes one pod of a group.
func (r *running) member(group string, i int, cpu int64) {
	r.Helper()
	r.wanted(fmt.Sprintf("%s-%d", group, i), "schedstep", cpu, func(p *corev1.Pod) {
		p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	})
}
