package volumebinding_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/volumebinding"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/build"
)

func plugin() *volumebinding.Plugin {
	timeout := int64(600)
	return volumebinding.New(configv1.VolumeBindingArgs{
		BindTimeoutSeconds: &timeout,
		Shape:              []configv1.UtilizationShapePoint{{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0}},
	}, volumebinding.Ways{})
}

func node(name, zone string) *corev1.Node {
	return build.Node(name, build.NodeLabels(corev1.LabelHostname, name, corev1.LabelTopologyZone, zone))
}

func class(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode,
	}
}

func local() *storagev1.StorageClass {
	return class("local", "kubernetes.io/no-provisioner", storagev1.VolumeBindingWaitForFirstConsumer)
}

func claim(name, class, size string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
			},
		},
	}
}

func boundClaim(name, volume string) *corev1.PersistentVolumeClaim {
	c := claim(name, "local", "1Gi")
	c.Spec.VolumeName = volume
	c.Annotations = map[string]string{cluster.AnnotationBindCompleted: "yes"}
	return c
}

func volume(name, class, size, key, value string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: class, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	if key != "" {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{
					{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}},
				},
			}},
		}}
	}
	return v
}

func pod(claims ...string) *corev1.Pod { return build.Pod("web", build.Claims(claims...)) }

// everywhere is the answer for each node, or that of PreFilter when it ends the matter.
func everywhere(s *cluster.State, p *corev1.Pod) string {
	return build.TextOfNodes(plugin().PreFilter(s.ParsePod(p), s.Snapshot()), s.Snapshot())
}

var driver = &storagev1.CSIDriver{
	ObjectMeta: metav1.ObjectMeta{Name: "csi"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: ptr.To(true)},
}

func fast() *storagev1.StorageClass {
	return class("fast", "csi", storagev1.VolumeBindingWaitForFirstConsumer)
}

func onlyInA() *storagev1.StorageClass {
	c := fast()
	c.AllowedTopologies = []corev1.TopologySelectorTerm{{
		MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
			{Key: corev1.LabelTopologyZone, Values: []string{"a"}},
		},
	}}
	return c
}

// capacity is how much storage of class fast the CSI driver has in a zone.
func capacity(zone, size string) *storagev1.CSIStorageCapacity {
	return &storagev1.CSIStorageCapacity{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "in-" + zone}, StorageClassName: "fast",
		Capacity:     ptr.To(resource.MustParse(size)),
		NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: zone}},
	}
}

func lost() *corev1.PersistentVolumeClaim {
	c := claim("c", "local", "1Gi")
	c.Status.Phase, c.Spec.VolumeName = corev1.ClaimLost, "pv-gone"
	return c
}

func deleted() *corev1.PersistentVolumeClaim {
	c := claim("c", "local", "1Gi")
	c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	return c
}

func selected() *corev1.PersistentVolumeClaim {
	c := claim("c", "fast", "1Gi")
	c.Annotations = map[string]string{cluster.AnnotationSelectedNode: "n2"}
	return c
}

var bindings = []struct {
	name    string
	objects []cluster.Object
	claims  []string
	want    string
}{
	{"no claim", nil, nil, "Skip"},
	{"a missing claim", nil, []string{"c"}, `UnschedulableAndUnresolvable: persistentvolumeclaim "c" not found`},
	{
		"a lost claim",
		[]cluster.Object{lost()},
		[]string{"c"},
		`UnschedulableAndUnresolvable: persistentvolumeclaim "c" bound to non-existent persistentvolume "pv-gone"`,
	},
	{
		"a claim that goes",
		[]cluster.Object{deleted()},
		[]string{"c"},
		`UnschedulableAndUnresolvable: persistentvolumeclaim "c" is being deleted`,
	},
	{
		"a missing class",
		[]cluster.Object{claim("c", "nowhere", "1Gi")},
		[]string{"c"},
		"UnschedulableAndUnresolvable: pod has unbound immediate PersistentVolumeClaims [claim default/c: wants a volume, has none bound yet]",
	},
	{
		"a class without binding mode",
		[]cluster.Object{claim("c", "odd", "1Gi"), &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "odd"}}},
		[]string{"c"},
		`Error: VolumeBindingMode not set for StorageClass "odd"`,
	},
	{
		"a bound volume in one zone",
		[]cluster.Object{boundClaim("c", "pv"), volume("pv", "local", "1Gi", corev1.LabelTopologyZone, "a")},
		[]string{"c"},
		"n1 Success\nn2 UnschedulableAndUnresolvable: node(s) didn't match PersistentVolume's node affinity " +
			"[PersistentVolume pv: wants topology.kubernetes.io/zone=a, has topology.kubernetes.io/zone=b; by default/c]",
	},
	{
		"a bound volume that is gone",
		[]cluster.Object{boundClaim("c", "pv")},
		[]string{"c"},
		"n1 UnschedulableAndUnresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s) [PersistentVolume: wants pv, has no such volume; by default/c]\n" +
			"n2 UnschedulableAndUnresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s) [PersistentVolume: wants pv, has no such volume; by default/c]",
	},
	{
		"a local volume",
		[]cluster.Object{local(), claim("c", "local", "5Gi"), volume("pv", "local", "5Gi", corev1.LabelHostname, "n2")},
		[]string{"c"},
		"n1 UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind " +
			"[volume of class local: wants 5Gi, has only volumes that this node does not reach, or that go to other claims of the pod; by default/c]\nn2 Success",
	},
	{
		"two claims and one volume",
		[]cluster.Object{
			local(), claim("c", "local", "5Gi"), claim("d", "local", "5Gi"), volume("pv", "local", "5Gi", "", ""),
		},
		[]string{"c", "d"},
		"n1 UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind " +
			"[volume of class local: wants 5Gi, has only volumes that this node does not reach, or that go to other claims of the pod; by default/d]\n" +
			"n2 UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind " +
			"[volume of class local: wants 5Gi, has only volumes that this node does not reach, or that go to other claims of the pod; by default/d]",
	},
	{"a volume to be made", []cluster.Object{fast(), claim("c", "fast", "5Gi")}, []string{"c"}, "n1 Success\nn2 Success"},
	{
		"allowed topologies",
		[]cluster.Object{onlyInA(), claim("c", "fast", "5Gi")},
		[]string{"c"},
		"n1 Success\nn2 UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind " +
			"[topologies of class fast: wants topology.kubernetes.io/zone=a, has topology.kubernetes.io/zone=b; by default/c]",
	},
	{
		"storage that is counted",
		[]cluster.Object{fast(), driver, claim("c", "fast", "5Gi"), capacity("a", "4Gi")},
		[]string{"c"},
		"n1 UnschedulableAndUnresolvable: node(s) did not have enough free storage [storage of class fast in kube-system/in-a: wants 5Gi, has 4Gi; by default/c]\n" +
			"n2 UnschedulableAndUnresolvable: node(s) did not have enough free storage [storage of class fast: wants 5Gi, has none that the node reaches; by default/c]",
	},
	{
		"a node selected earlier",
		[]cluster.Object{fast(), selected()},
		[]string{"c"},
		"n1 UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind [node selected for the volume: wants n2, has n1; by default/c]\nn2 Success",
	},
}

func TestClaimsDecideWhereAPodCanRun(t *testing.T) {
	nodes := []cluster.Object{node("n1", "a"), node("n2", "b")}
	for _, test := range bindings {
		t.Run(test.name, func(t *testing.T) {
			got := everywhere(build.State(append(nodes[:2:2], test.objects...)...), pod(test.claims...))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnboundEphemeralClaimSaysWhoMakesIt(t *testing.T) {
	p := pod()
	p.Spec.Volumes = []corev1.Volume{
		{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
	}
	want := `UnschedulableAndUnresolvable: waiting for ephemeral volume controller to create the persistentvolumeclaim "web-scratch"`
	if got := everywhere(build.State(node("n", "a")), p); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	other := claim("web-scratch", "local", "1Gi")
	want = "UnschedulableAndUnresolvable: PVC default/web-scratch was not created for pod default/web (pod is not owner)"
	if got := everywhere(build.State(node("n", "a"), other), p); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMigratedVolumeIsJudgedAsCSISeesIt(t *testing.T) {
	v := volume("pv", "local", "1Gi", corev1.LabelFailureDomainBetaZone, "a")
	v.Spec.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"}
	migrated := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n1", Annotations: map[string]string{
		corev1.MigratedPluginsAnnotationKey: "kubernetes.io/gce-pd,kubernetes.io/aws-ebs",
	}}}
	csi := node("n1", "a")
	csi.Labels["topology.ebs.csi.aws.com/zone"] = "a"
	s := build.State(csi, node("n2", "a"), migrated, boundClaim("c", "pv"), v)
	got := everywhere(s, pod("c"))
	if !strings.HasPrefix(got, "n1 Success\nn2 UnschedulableAndUnresolvable: "+volumebinding.ReasonAffinity) {
		t.Errorf("the node that migrated the plugin has the driver's label, the other has no beta label; got\n%s", got)
	}
}

func TestSmallestVolumeThatSuitsIsReserved(t *testing.T) {
	s := build.State(node("n1", "a"), local(), claim("c", "local", "5Gi"), claim("small", "local", "1Gi"),
		volume("pv-20", "local", "20Gi", "", ""), volume("pv-10", "local", "10Gi", corev1.LabelHostname, "n1"),
		volume("pv-2", "local", "2Gi", "", ""))
	r := reserve(s, pod("c", "small"))
	var notes []string
	for _, a := range r.Assume {
		notes = append(notes, cluster.Key(a.Object)+": "+a.Note.String())
	}
	want := []string{"pv-2: bound to default/small", "pv-10: bound to default/c"}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("assumed (-want +got):\n%s", diff)
	}
	if want := "pv-2 for default/small, pv-10 for default/c"; r.Hold.String() != want {
		t.Errorf("holds %q, want %q", r.Hold, want)
	}
	for _, a := range r.Assume {
		if err := s.AssumeObject(a); err != nil {
			t.Fatal(err)
		}
	}
	if got := everywhere(s, pod("d")); !strings.Contains(got, "not found") {
		t.Errorf("a missing claim: %s", got)
	}
	s.Apply(cluster.Event{Object: claim("d", "local", "1Gi")})
	if got, want := everywhere(s, pod("d")), "n1 Success"; got != want {
		t.Errorf("pv-20 is left: got %s", got)
	}
	if r := reserve(s, pod("d")); cluster.Key(r.Assume[0].Object) != "pv-20" {
		t.Errorf("what is assumed of other volumes counts; got %s", r.Hold)
	}
}

func reserve(s *cluster.State, p *corev1.Pod) framework.Reservation {
	parsed := s.ParsePod(p)
	study := plugin().PreFilter(parsed, s.Snapshot())
	return plugin().Reserve(
		framework.ReserveAsk{Pod: parsed.On("n1"), Node: s.Snapshot().Nodes[0], Check: study.Check, Known: s},
	)
}

func TestPodsWithoutUnboundClaimsHoldNothing(t *testing.T) {
	s := build.State(node("n1", "a"), boundClaim("c", "pv"), volume("pv", "local", "1Gi", "", ""))
	if r := reserve(s, pod("c")); r.Hold != nil || r.Assume != nil || !r.Verdict.OK() {
		t.Errorf("got %+v", r)
	}
	if r := reserve(s, pod()); r.Hold != nil || r.Assume != nil || !r.Verdict.OK() {
		t.Errorf("without claims: got %+v", r)
	}
	if v := plugin().PreFlight(framework.BindAsk{}); v.Code != trace.Skip {
		t.Errorf("nothing to do before binding: got %s", v)
	}
}

func TestStorageThatWouldBeFullestScoresLowest(t *testing.T) {
	counted := true
	capacity := func(name, size string) *storagev1.CSIStorageCapacity {
		free := resource.MustParse(size)
		return &storagev1.CSIStorageCapacity{
			ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: name}, StorageClassName: "fast", Capacity: &free,
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: name}},
		}
	}
	dynamic := []cluster.Object{
		node("n1", "a"), node("n2", "a"), class("fast", "csi", storagev1.VolumeBindingWaitForFirstConsumer),
		&storagev1.CSIDriver{
			ObjectMeta: metav1.ObjectMeta{Name: "csi"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: &counted},
		},
		claim("c", "fast", "10Gi"), claim("d", "fast", "10Gi"), capacity("n1", "100Gi"), capacity("n2", "25Gi"),
	}
	static := []cluster.Object{
		node("n1", "a"), node("n2", "a"), local(), claim("c", "local", "10Gi"),
		volume("pv-1", "local", "10Gi", corev1.LabelHostname, "n1"),
		volume("pv-2", "local", "40Gi", corev1.LabelHostname, "n2"),
	}
	for _, test := range []struct {
		name    string
		objects []cluster.Object
		claims  []string
		want    []int64
	}{
		{"no claim", dynamic, nil, []int64{0, 0}},
		{"one volume to be made", dynamic, []string{"c"}, []int64{90, 60}},
		{"two volumes from one storage", dynamic, []string{"c", "d"}, []int64{80, 20}},
		{"volumes that are there", static, []string{"c"}, []int64{0, 75}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.State(test.objects...)
			nodes := s.Snapshot().Nodes
			scoring := plugin().PreScore(s.ParsePod(pod(test.claims...)), s.Snapshot(), nodes)
			raw := []int64{7, 7}
			if v := scoring.Scorer.Score(nodes, raw); !scoring.Verdict.OK() || !v.OK() {
				t.Fatalf("got %s, %s", scoring.Verdict, v)
			}
			if diff := cmp.Diff(test.want, raw); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkFilter5000(b *testing.B) {
	s := build.State(local())
	for i := range 5000 {
		name := fmt.Sprintf("n%04d", i)
		s.Apply(cluster.Event{Object: node(name, fmt.Sprint(i%3))})
		s.Apply(cluster.Event{Object: volume("pv-"+name, "local", "10Gi", corev1.LabelHostname, name)})
	}
	s.Apply(cluster.Event{Object: claim("c", "local", "5Gi")})
	s.Apply(cluster.Event{Object: boundClaim("d", "pv-d")})
	s.Apply(cluster.Event{Object: volume("pv-d", "local", "10Gi", corev1.LabelTopologyZone, "1")})
	snapshot := s.Snapshot()
	for name, p := range map[string]*corev1.Pod{"none": pod(), "local": pod("c"), "bound": pod("d")} {
		parsed := s.ParsePod(p)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				study := plugin().PreFilter(parsed, snapshot)
				if study.Check == nil {
					continue
				}
				for _, n := range snapshot.Nodes {
					study.Check.Filter(n)
				}
			}
		})
	}
}
