package volumezone_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/volumezone"
	"github.com/schedstep/schedstep/internal/build"
)

func node(name string, labels map[string]string) *corev1.Node {
	return build.Node(name, func(n *corev1.Node) { n.Labels = labels })
}

func claim(volume, class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"},
		Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: volume, StorageClassName: &class},
	}
}

func volume(labels map[string]string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv", Labels: labels}}
}

func pod(claim string) *corev1.Pod { return build.Pod("web", build.Claims(claim)) }

func class(mode *storagev1.VolumeBindingMode) *storagev1.StorageClass {
	return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "k"}, VolumeBindingMode: mode}
}

func everywhere(objects []cluster.Object, p *corev1.Pod) string {
	s := build.State(objects...)
	return build.TextOfNodes(volumezone.New(volumezone.Ways{}).PreFilter(s.ParsePod(p), s.Snapshot()), s.Snapshot())
}

const zone, region, oldZone = corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone

var zones = []struct {
	name    string
	claim   string
	objects []cluster.Object
	want    string
}{
	{"no name", "", nil, "UnschedulableAndUnresolvable: PersistentVolumeClaim had no name"},
	{"no claim", "c", nil, `UnschedulableAndUnresolvable: persistentvolumeclaim "c" not found`},
	{
		"no volume", "c",
		[]cluster.Object{claim("pv", "k")},
		`UnschedulableAndUnresolvable: persistentvolume "pv" not found`,
	},
	{
		"no class named", "c",
		[]cluster.Object{claim("", "")},
		"UnschedulableAndUnresolvable: PersistentVolumeClaim had no pv name and storageClass name",
	},
	{
		"no class", "c",
		[]cluster.Object{claim("", "k")},
		`UnschedulableAndUnresolvable: storageclass.storage.k8s.io "k" not found`,
	},
	{
		"no mode", "c",
		[]cluster.Object{claim("", "k"), class(nil)},
		`UnschedulableAndUnresolvable: VolumeBindingMode not set for StorageClass "k"`,
	},
	{
		"not bound yet", "c",
		[]cluster.Object{claim("", "k"), class(ptr.To(storagev1.VolumeBindingImmediate))},
		"UnschedulableAndUnresolvable: PersistentVolume had no name",
	},
	{"bound once placed", "c", []cluster.Object{claim("", "k"), class(ptr.To(storagev1.VolumeBindingWaitForFirstConsumer))}, "Skip"},
	{"no labels", "c", []cluster.Object{claim("pv", "k"), volume(nil)}, "Skip"},
	{"an empty zone among them", "c", []cluster.Object{claim("pv", "k"), volume(map[string]string{zone: "a__"})}, "Skip"},
	{
		"a zone", "c",
		[]cluster.Object{claim("pv", "k"), volume(map[string]string{zone: "a"})},
		"a Success\nb UnschedulableAndUnresolvable: node(s) had no available volume zone " +
			"[topology.kubernetes.io/zone of PersistentVolume pv: wants a, has b; by default/c]\nbare Success",
	},
	{
		"several zones", "c",
		[]cluster.Object{claim("pv", "k"), volume(map[string]string{zone: "a__b"})},
		"a Success\nb Success\nbare Success",
	},
	{
		"an old label meets the new one", "c",
		[]cluster.Object{claim("pv", "k"), volume(map[string]string{oldZone: "b"})},
		"a UnschedulableAndUnresolvable: node(s) had no available volume zone " +
			"[failure-domain.beta.kubernetes.io/zone of PersistentVolume pv: wants b, has a; by default/c]\nb Success\nbare Success",
	},
	{
		"a region that no node has", "c",
		[]cluster.Object{claim("pv", "k"), volume(map[string]string{zone: "a", region: "r"})},
		"a UnschedulableAndUnresolvable: node(s) had no available volume zone " +
			"[topology.kubernetes.io/region of PersistentVolume pv: wants r, has no such label; by default/c]\n" +
			"b UnschedulableAndUnresolvable: node(s) had no available volume zone " +
			"[topology.kubernetes.io/zone of PersistentVolume pv: wants a, has b; by default/c] " +
			"[topology.kubernetes.io/region of PersistentVolume pv: wants r, has no such label; by default/c]\nbare Success",
	},
}

func TestVolumesHoldPodsInTheirZone(t *testing.T) {
	nodes := []cluster.Object{
		node("a", map[string]string{zone: "a"}), node("b", map[string]string{zone: "b"}), node("bare", nil),
	}
	for _, test := range zones {
		t.Run(test.name, func(t *testing.T) {
			got := everywhere(append(nodes[:3:3], test.objects...), pod(test.claim))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacesAndClaimsOfThePodWake(t *testing.T) {
	s := cluster.NewState()
	waiting := s.ParsePod(pod("c"))
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	zoned := volume(map[string]string{corev1.LabelTopologyZone: "a"})
	other := claim("pv", "k")
	other.Name = "d"
	for _, test := range []struct {
		name string
		hint int
		old  cluster.Object
		new  cluster.Object
		want bool
	}{
		{"a class that waits", 0, nil, class(&wait), true},
		{"a class that does not say", 0, nil, class(nil), false},
		{"its claim", 2, nil, claim("pv", "k"), true},
		{"another claim", 2, nil, other, false},
		{"a new volume", 3, nil, zoned, true},
		{"a volume that moved", 3, volume(nil), zoned, true},
		{"a volume that stayed", 3, zoned, zoned.DeepCopy(), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			hint := volumezone.New(volumezone.Ways{}).Hints()[test.hint]
			got, err := hint.Helps(waiting, &cluster.Change{Old: test.old, New: test.new}, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}
