package volumerestrictions_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/volumerestrictions"
	"github.com/schedstep/schedstep/internal/build"
)

func pod(name, node string, sources ...corev1.VolumeSource) *corev1.Pod {
	return build.Pod(name, build.On(node), build.Volumes(sources...))
}

func gce(name string, readOnly bool) corev1.VolumeSource {
	return corev1.VolumeSource{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: name, ReadOnly: readOnly}}
}

func ebs(id string) corev1.VolumeSource {
	return corev1.VolumeSource{
		AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: id, ReadOnly: true},
	}
}

func rbd(image string, monitors ...string) corev1.VolumeSource {
	return corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{CephMonitors: monitors, RBDPool: "rbd", RBDImage: image}}
}

func iscsi(iqn string, readOnly bool) corev1.VolumeSource {
	return corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{IQN: iqn, ReadOnly: readOnly}}
}

func claim(name string, modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       corev1.PersistentVolumeClaimSpec{AccessModes: modes},
	}
}

func TestDisksAndClaimsAreNotShared(t *testing.T) {
	const taken = "Unschedulable: node(s) had no available disk"
	for _, test := range []struct {
		name   string
		there  corev1.VolumeSource
		wanted corev1.VolumeSource
		want   string
	}{
		{"a GCE disk", gce("d", false), gce("d", true), taken +
			" [disk: wants GCE disk d (read only), used GCE disk d; by default/a]"},
		{"a GCE disk for readers", gce("d", true), gce("d", true), "Success"},
		{"another GCE disk", gce("e", false), gce("d", false), "Success"},
		{"an EBS volume, even for readers", ebs("v"), ebs("v"), taken +
			" [disk: wants EBS volume v, used EBS volume v; by default/a]"},
		{"an iSCSI target", iscsi("q", false), iscsi("q", true), taken +
			" [disk: wants iSCSI target q (read only), used iSCSI target q; by default/a]"},
		{"an iSCSI target for readers", iscsi("q", true), iscsi("q", true), "Success"},
		{"an RBD image with a common monitor", rbd("i", "m1", "m2"), rbd("i", "m2"), taken +
			" [disk: wants RBD image rbd/i, used RBD image rbd/i; by default/a]"},
		{"an RBD image elsewhere", rbd("i", "m1"), rbd("i", "m2"), "Success"},
		{"disks of two kinds", ebs("d"), gce("d", false), "Success"},
		{
			"a claim for one pod", build.Claim("one"), build.Claim("one"),
			"Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod " +
				"[claim for one pod only: wants default/one, used 1; by default/a]",
		},
		{"a claim for one node", build.Claim("many"), build.Claim("many"), "Skip"},
		{"a claim that nobody uses", build.Claim("many"), build.Claim("one"), "Skip"},
		{
			"no such claim", build.Claim("many"), build.Claim("none"),
			`UnschedulableAndUnresolvable: persistentvolumeclaim "none" not found`,
		},
		{"a volume of the node", build.Claim("many"), corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}, "Skip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.StateOfOneNode(
				claim("one", corev1.ReadWriteOncePod), claim("many", corev1.ReadWriteOnce), pod("a", "n", test.there),
			)
			study := volumerestrictions.New(volumerestrictions.Ways{}).PreFilter(
				s.ParsePod(pod("b", "", test.wanted)), s.Snapshot(),
			)
			got := build.Text(study.Verdict)
			if study.Verdict.OK() {
				got = build.Text(study.Check.Filter(s.Snapshot().Nodes[0]))
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestPreemptingTheUserFreesTheClaim(t *testing.T) {
	s := build.StateOfOneNode(claim("one", corev1.ReadWriteOncePod), pod("a", "n", build.Claim("one")))
	node := s.Snapshot().Nodes[0]
	user := node.Pods[0]
	check := volumerestrictions.New(volumerestrictions.Ways{}).PreFilter(
		s.ParsePod(pod("b", "", build.Claim("one"))), s.Snapshot(),
	).Check.(framework.Disturbable)
	without := check.Without(user, node).(framework.Disturbable)
	if v := without.Filter(node.Without(user)); !v.OK() {
		t.Errorf("without the user: %s", v)
	}
	if v := without.With(user, node).Filter(node); v.OK() {
		t.Error("with the user again the claim is free")
	}
	if v := check.Filter(node); v.OK() {
		t.Error("asking what would be changed what is")
	}
}

func TestWhoeverGivesBackWakes(t *testing.T) {
	elsewhere := pod("gone", "n", gce("d", false))
	elsewhere.Namespace = "other"
	for _, test := range []struct {
		name string
		gone *corev1.Pod
		want bool
	}{
		{"its disk", pod("gone", "n", gce("d", false)), true},
		{"another disk", pod("gone", "n", gce("e", false)), false},
		{"its disk, from another namespace", elsewhere, false},
		{"its claim", pod("gone", "n", build.Claim("c")), true},
		{"another claim", pod("gone", "n", build.Claim("d")), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := build.StateOfOneNode(test.gone)
			change := s.Apply(cluster.Event{Action: cluster.Delete, Object: test.gone})[0]
			got, err := volumerestrictions.New(volumerestrictions.Ways{}).Hints()[0].Helps(
				s.ParsePod(pod("b", "", gce("d", false), build.Claim("c"))), &change, s,
			)
			if err != nil || got != test.want {
				t.Errorf("got %t and %v, want %t", got, err, test.want)
			}
		})
	}
}
