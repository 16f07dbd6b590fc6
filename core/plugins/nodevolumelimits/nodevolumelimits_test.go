package nodevolumelimits_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/plugins/nodevolumelimits"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func csiNode(limits map[string]int32) *storagev1.CSINode {
	n := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	for _, name := range []string{"csi", "ebs.csi.aws.com"} {
		d := storagev1.CSINodeDriver{Name: name}
		if limit, has := limits[name]; has {
			d.Allocatable = &storagev1.VolumeNodeResources{Count: &limit}
		}
		n.Spec.Drivers = append(n.Spec.Drivers, d)
	}
	return n
}

// bound is a claim with its volume.
func bound(name string, source corev1.PersistentVolumeSource) []cluster.Object {
	return []cluster.Object{
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: "pv-" + name},
		},
		&corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "pv-" + name},
			Spec:       corev1.PersistentVolumeSpec{PersistentVolumeSource: source},
		},
	}
}

func csi(handle string) corev1.PersistentVolumeSource {
	return corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi", VolumeHandle: handle}}
}

func ebs(id string) corev1.PersistentVolumeSource {
	return corev1.PersistentVolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
}

func pod(name, node string, claims ...string) *corev1.Pod {
	return build.Pod(name, build.On(node), build.Claims(claims...))
}

func attachment(name, volume string) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.VolumeAttachmentSpec{
		Attacher: "csi", NodeName: "n", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
	}}
}

func say(s *cluster.State, p *corev1.Pod) string {
	study := nodevolumelimits.New(nodevolumelimits.Ways{}).PreFilter(s.ParsePod(p), s.Snapshot())
	v := study.Verdict
	if v.OK() {
		v = study.Check.Filter(s.Snapshot().Nodes[0])
	}
	text := v.String()
	for _, e := range v.Evidence {
		text += " [" + e.String() + "]"
	}
	return text
}

const full = "Unschedulable: node(s) exceed max volume count"

// withVolumes are objects beside bound claims a, b, c and old, and a claim that waits for its first consumer.
func withVolumes(more ...cluster.Object) []cluster.Object {
	all := append(bound("a", csi("h-a")), bound("b", csi("h-b"))...)
	all = append(all, bound("c", csi("h-c"))...)
	all = append(all, bound("old", ebs("vol-1"))...)
	return append(append(
		all,
		&corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "new"},
			Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: ptr.To("fast")},
		},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: "csi"},
	), more...)
}

var limits = []struct {
	name   string
	more   []cluster.Object
	claims []string
	want   string
}{
	{"no volume", nil, nil, "Skip"},
	{
		"a missing claim", nil,
		[]string{"x"},
		`UnschedulableAndUnresolvable: looking up PVC default/x: persistentvolumeclaim "x" not found`,
	},
	{"no limit", []cluster.Object{csiNode(nil), pod("p", "n", "a", "b")}, []string{"c"}, "Success"},
	{
		"room left",
		[]cluster.Object{csiNode(map[string]int32{"csi": 3}), pod("p", "n", "a", "b")},
		[]string{"c"},
		"Success",
	},
	{
		"full",
		[]cluster.Object{csiNode(map[string]int32{"csi": 2}), pod("p", "n", "a", "b")},
		[]string{"c"},
		full + " [volumes of csi: wants 1, has 0, used 2, capacity 2; by default/c]",
	},
	{
		"a volume that is there already",
		[]cluster.Object{csiNode(map[string]int32{"csi": 2}), pod("p", "n", "a", "b")},
		[]string{"b"},
		"Success",
	},
	{
		"one that is to be made",
		[]cluster.Object{csiNode(map[string]int32{"csi": 1}), pod("p", "n", "a")},
		[]string{"new"},
		full + " [volumes of csi: wants 1, has 0, used 1, capacity 1; by default/new]",
	},
	{
		"attached and used by nobody",
		[]cluster.Object{csiNode(map[string]int32{"csi": 2}), pod("p", "n", "a"), attachment("va", "pv-b")},
		[]string{"c"},
		full + " [volumes of csi: wants 1, has 0, used 2, capacity 2; by default/c]",
	},
	{
		"attached for the pod that is there",
		[]cluster.Object{csiNode(map[string]int32{"csi": 2}), pod("p", "n", "a"), attachment("va", "pv-a")},
		[]string{"c"},
		"Success",
	},
	{
		"a migrated volume",
		[]cluster.Object{csiNode(map[string]int32{"ebs.csi.aws.com": 0})},
		[]string{"old"},
		full + " [volumes of ebs.csi.aws.com: wants 1, has 0, used 0, capacity 0; by default/old]",
	},
	{
		"another driver's limit",
		[]cluster.Object{csiNode(map[string]int32{"ebs.csi.aws.com": 0})},
		[]string{"a"},
		"Success",
	},
	{
		"a driver that has to be there",
		[]cluster.Object{
			&storagev1.CSIDriver{
				ObjectMeta: metav1.ObjectMeta{Name: "csi"},
				Spec:       storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: ptr.To(true)},
			},
		},
		[]string{"a"},
		"Unschedulable: csi CSI driver is not installed on the node [CSI driver csi: wants on the node, has no driver; by default/a]",
	},
}

func TestNodesAttachNoMoreThanTheirLimit(t *testing.T) {
	for _, test := range limits {
		t.Run(test.name, func(t *testing.T) {
			if got := say(build.StateOfOneNode(withVolumes(test.more...)...), pod("new", "", test.claims...)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestEphemeralClaimOfAnotherPodIsAnError(t *testing.T) {
	p := pod("web", "")
	p.Spec.Volumes = []corev1.Volume{
		{Name: "v", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
	}
	s := build.StateOfOneNode(bound("web-v", csi("h"))...)
	want := "Error: PVC default/web-v was not created for pod default/web (pod is not owner)"
	if got := say(s, p); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHigherLimitsAndFreedVolumesWake(t *testing.T) {
	s := build.StateOfOneNode(bound("a", csi("h"))...)
	hints := nodevolumelimits.New(nodevolumelimits.Ways{}).Hints()
	waiting := s.ParsePod(pod("web", "", "a"))
	for _, test := range []struct {
		name   string
		hint   int
		change cluster.Change
		want   bool
	}{
		{
			"a limit rose", 1,
			cluster.Change{Old: csiNode(map[string]int32{"csi": 1}), New: csiNode(map[string]int32{"csi": 2})},
			true,
		},
		{
			"a limit fell", 1,
			cluster.Change{Old: csiNode(map[string]int32{"csi": 2}), New: csiNode(map[string]int32{"csi": 1})},
			false,
		},
		{"a pod with a claim left", 2, cluster.Change{OldPod: s.ParsePod(pod("p", "n", "b"))}, true},
		{"a pod without volumes left", 2, cluster.Change{OldPod: s.ParsePod(pod("p", "n"))}, false},
		{"a pod without node left", 2, cluster.Change{OldPod: s.ParsePod(pod("p", "", "b"))}, false},
		{"its claim came", 3, cluster.Change{New: bound("a", csi("h"))[0]}, true},
		{"another claim came", 3, cluster.Change{New: bound("b", csi("h"))[0]}, false},
		{"something was detached", 4, cluster.Change{Old: attachment("va", "pv")}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := hints[test.hint].Helps(waiting, &test.change, s)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
	if hints[0].Helps != nil {
		t.Error("a new CSINode is asked about")
	}
}

func BenchmarkFilter5000(b *testing.B) {
	s := cluster.NewState()
	limit := int32(25)
	for i := range 5000 {
		name := fmt.Sprintf("n%04d", i)
		s.Apply(cluster.Event{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}})
		csi := csiNode(map[string]int32{"csi": limit})
		csi.Name = name
		s.Apply(cluster.Event{Object: csi})
		for k := range 10 {
			claim := fmt.Sprintf("%s-%d", name, k)
			for _, o := range bound(claim, corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi", VolumeHandle: claim},
			}) {
				s.Apply(cluster.Event{Object: o})
			}
			s.Apply(cluster.Event{Object: pod(claim, name, claim)})
		}
	}
	for _, o := range bound("a", csi("h")) {
		s.Apply(cluster.Event{Object: o})
	}
	snapshot := s.Snapshot()
	p := s.ParsePod(pod("web", "", "a"))
	b.ReportAllocs()
	for b.Loop() {
		check := nodevolumelimits.New(nodevolumelimits.Ways{}).PreFilter(p, snapshot).Check
		for _, n := range snapshot.Nodes {
			if v := check.Filter(n); v.Code != trace.Success {
				b.Fatal(v)
			}
		}
	}
}
