package play_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source"
)

var start = time.Unix(1e9, 0)

func class(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner, VolumeBindingMode: &mode,
	}
}

func claim(name, class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class, Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")},
		}},
	}
}

func pod(source corev1.VolumeSource) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: corev1.PodSpec{
		SchedulerName: "default-scheduler", Volumes: []corev1.Volume{{Name: "data", VolumeSource: source}},
	}}
}

func uses(claim string) corev1.VolumeSource {
	return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
}

// play runs everything at once in a simulated world and returns the player with the notes of all events, each after
// the time it took.
func played(t *testing.T, objects ...cluster.Object) (*play.Player, string) {
	t.Helper()
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "n", Labels: map[string]string{corev1.LabelHostname: "n", corev1.LabelTopologyZone: "a"},
		},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}},
	}
	script := source.Script{{At: start, Event: cluster.Event{Object: node}}}
	for _, o := range objects {
		script = append(script, source.Timed{At: start, Event: cluster.Event{Object: o}})
	}
	c := config.Default()
	s := core.New(
		core.Options{Profiles: c.Profiles, InitialBackoff: c.InitialBackoff, MaxBackoff: c.MaxBackoff, Start: start},
	)
	p := play.NewPlayer(s, play.NewSimulated(), script.Log())
	p.RunOn(start.Add(10 * time.Second))
	var notes []string
	for {
		step, ok := p.Step()
		if !ok {
			return p, strings.Join(notes, "\n")
		}
		for _, f := range step.Facts {
			if r, is := f.(trace.Recorded); is {
				notes = append(notes, step.At.Sub(start).String()+" "+r.Note)
			}
		}
	}
}

const assignedWeb = "Successfully assigned default/web to n"

var (
	localDisk = &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "disk"},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: "local",
			Capacity:         corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	ephemeralClaim = corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
		VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claim("", "fast").Spec},
	}}
)

// volumesMade are clusters with a claim, the volume it gets, and the messages of the pod's events with their moments.
var volumesMade = []struct {
	name    string
	objects []cluster.Object
	claim   string
	volume  string
	notes   string
}{
	{
		"a local volume for its first consumer",
		[]cluster.Object{class("local", "kubernetes.io/no-provisioner", storagev1.VolumeBindingWaitForFirstConsumer), localDisk, claim("c", "local"), pod(uses("c"))},
		"default/c", "disk", "1s " + assignedWeb,
	},
	{
		"a volume made for its first consumer",
		[]cluster.Object{class("fast", "csi", storagev1.VolumeBindingWaitForFirstConsumer), claim("c", "fast"), pod(uses("c"))},
		"default/c", "pvc-default-c", "1s " + assignedWeb,
	},
	{
		"a volume made at once",
		[]cluster.Object{class("fast", "csi", storagev1.VolumeBindingImmediate), claim("c", "fast"), pod(uses("c"))},
		"default/c", "pvc-default-c",
		"0s 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found\n500ms " + assignedWeb,
	},
	{
		"a volume found at once, after its class",
		[]cluster.Object{localDisk, claim("c", "local"), class("local", "kubernetes.io/no-provisioner", storagev1.VolumeBindingImmediate)},
		"default/c", "disk", "",
	},
	{
		"an ephemeral volume",
		[]cluster.Object{class("fast", "csi", storagev1.VolumeBindingWaitForFirstConsumer), pod(ephemeralClaim)},
		"default/web-data", "pvc-simulated-", "",
	},
}

func TestVolumesAreBoundAndMade(t *testing.T) {
	for _, test := range volumesMade {
		t.Run(test.name, func(t *testing.T) {
			p, notes := played(t, test.objects...)
			c, ok := p.Scheduler().State().Objects().VolumeClaims.Find(test.claim)
			if !ok || !cluster.IsBound(c) || !strings.HasPrefix(c.Spec.VolumeName, test.volume) {
				t.Fatalf("the claim is %+v; notes:\n%s", c, notes)
			}
			v, ok := p.Scheduler().State().Objects().Volumes.Find(c.Spec.VolumeName)
			if !ok || !cluster.IsFor(v, c) || v.Status.Phase != corev1.VolumeBound {
				t.Errorf("the volume is %+v", v)
			}
			if test.notes != "" && notes != test.notes {
				t.Errorf("got\n%s\nwant\n%s", notes, test.notes)
			}
			if web, there := p.Scheduler().State().Pod("default/web"); there && web.NodeName != "n" {
				t.Errorf("the pod has no node; notes:\n%s", notes)
			}
		})
	}
}

func TestStorageThatRunsOutSendsPodsBack(t *testing.T) {
	counted, free := true, resource.MustParse("5Gi")
	objects := []cluster.Object{
		class("fast", "csi", storagev1.VolumeBindingWaitForFirstConsumer),
		&storagev1.CSIDriver{
			ObjectMeta: metav1.ObjectMeta{Name: "csi"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: &counted},
		},
		&storagev1.CSIStorageCapacity{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool"}, StorageClassName: "fast", Capacity: &free,
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: "a"}},
		},
		claim("c", "fast"), pod(uses("c")),
	}
	p, notes := played(t, objects...)
	pool, _ := p.Scheduler().State().Objects().CSIStorageCapacities.Find("default/pool")
	if !pool.Capacity.IsZero() {
		t.Errorf("the pool has %s left; notes:\n%s", pool.Capacity, notes)
	}
	later := pod(uses("d"))
	later.Name = "late"
	p.Send(source.Timed{At: p.Scheduler().Now(), Event: cluster.Event{Object: claim("d", "fast")}}, source.Timed{
		At: p.Scheduler().Now(), Event: cluster.Event{Object: later},
	})
	for {
		if _, ok := p.Step(); !ok {
			break
		}
	}
	if late, _ := p.Scheduler().State().Pod("default/late"); late.NodeName != "" {
		t.Errorf("the second pod is on %s", late.NodeName)
	}
}

func TestEphemeralClaimsGoWithTheirPod(t *testing.T) {
	driver := corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
		VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claim("", "fast").Spec},
	}}
	web := pod(driver)
	p, _ := played(t, class("fast", "csi", storagev1.VolumeBindingWaitForFirstConsumer), web)
	fork := p.Fork()
	p.Send(source.Timed{At: p.Scheduler().Now(), Event: cluster.Event{Action: cluster.Delete, Object: web}})
	p.RunOn(p.Scheduler().Now().Add(time.Second))
	for {
		if _, ok := p.Step(); !ok {
			break
		}
	}
	if _, there := p.Scheduler().State().Objects().VolumeClaims.Find("default/web-data"); there {
		t.Error("the claim outlives its pod")
	}
	if _, there := fork.Scheduler().State().Objects().VolumeClaims.Find("default/web-data"); !there {
		t.Error("the claim is gone in a fork where the pod is not")
	}
}
