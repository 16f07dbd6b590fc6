package core_test

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
	"github.com/schedstep/schedstep/core/trace"
)

// provisioned is a scheduler with a node, a class whose volumes are made for their first consumer, a claim of it, and
// a pod with the claim.
func provisioned(t *testing.T) (*core.Scheduler, *corev1.PersistentVolumeClaim, *corev1.Pod) {
	t.Helper()
	s := benchScheduler(1, 100, trace.Full)
	wait, name := storagev1.VolumeBindingWaitForFirstConsumer, "fast"
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data", UID: "data", ResourceVersion: "1"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &name,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}
	pod := benchPod(0)
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	for _, o := range []cluster.Object{
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "csi", VolumeBindingMode: &wait},
		claim, pod,
	} {
		s.Apply(cluster.Event{Object: o})
	}
	return s, claim, pod
}

// placed runs the pod's cycle, which has to end waiting, and carries out what it wants written.
func placed(t *testing.T, s *core.Scheduler) []core.Effect {
	t.Helper()
	effects, facts, _ := s.Schedule()
	c, _ := trace.Fold(facts)
	if c.Ended == nil || c.Ended.Outcome != trace.Waiting || c.Ended.Node != "n0000" {
		t.Fatalf("the cycle ends %v", c.Ended)
	}
	for _, e := range effects {
		if w, is := e.(core.Write); is {
			written := w.Object.DeepCopyObject().(cluster.Object)
			written.SetResourceVersion("2")
			s.Apply(cluster.Event{Action: cluster.Update, Object: written})
		}
	}
	return effects
}

// bindClaim is the volume controller's work.
func bindClaim(s *core.Scheduler, claim *corev1.PersistentVolumeClaim) {
	bound := claim.DeepCopy()
	bound.ResourceVersion, bound.Spec.VolumeName = "3", "pv"
	bound.Annotations = map[string]string{cluster.AnnotationSelectedNode: "n0000", cluster.AnnotationBindCompleted: "yes"}
	s.Apply(cluster.Event{Object: &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}})
	s.Apply(cluster.Event{Action: cluster.Update, Object: bound})
}

func words(effects []core.Effect) string {
	var lines []string
	for _, e := range effects {
		lines = append(lines, e.String())
	}
	return strings.Join(lines, "\n")
}

func TestPodIsBoundOnceItsVolumeIs(t *testing.T) {
	s, claim, _ := provisioned(t)
	start := s.Now()
	want := "nominate default/p00000 on n0000\nupdate PersistentVolumeClaim default/data for default/p00000: make its volume for n0000"
	if got := words(placed(t, s)); got != want {
		t.Fatalf("the cycle asks for\n%s\nwant\n%s", got, want)
	}
	if at, ok := s.Next(); !s.Busy() || !ok || !at.Equal(start.Add(time.Second)) {
		t.Errorf("the next look is at %v, want a second later", at)
	}
	if effects, _ := s.Advance(start.Add(time.Second)); len(effects) > 0 {
		t.Errorf("the volume is not there, and the scheduler asks for\n%s", words(effects))
	}
	bindClaim(s, claim)
	effects, facts := s.Advance(start.Add(5 * time.Second))
	want = "bind default/p00000 to n0000\nreport Normal Scheduled default/p00000: Successfully assigned default/p00000 to n0000"
	if got := words(effects); got != want {
		t.Errorf("at the second look it asks for\n%s\nwant\n%s", got, want)
	}
	if s.Busy() {
		t.Errorf("a pod waits still, after %v", facts)
	}
}

func TestPodThatWaitsTooLongForItsVolumeIsTriedAgain(t *testing.T) {
	s, _, _ := provisioned(t)
	start := s.Now()
	placed(t, s)
	if effects, _ := s.Advance(start.Add(599 * time.Second)); len(effects) > 0 {
		t.Fatalf("before the timeout the scheduler asks for\n%s", words(effects))
	}
	effects, facts := s.Advance(start.Add(600 * time.Second))
	want := `FailedScheduling default/p00000: running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded`
	if got := words(effects); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
	if _, assumed := s.State().Assumed("default/p00000"); assumed || s.Busy() {
		t.Errorf("the pod is on its node still; facts %v", facts)
	}
}

// refuse turns down the first write of some effects.
func refuse(t *testing.T, s *core.Scheduler, effects []core.Effect) (more []core.Effect, refused core.WriteRefused) {
	t.Helper()
	for _, e := range effects {
		if w, is := e.(core.Write); is {
			refused = core.WriteRefused{Write: w, Reason: "no"}
			more, _ = s.Answer(refused)
			return more, refused
		}
	}
	t.Fatal("nothing is to be written")
	return nil, refused
}

func TestAWriteThatIsRefusedSendsThePodBack(t *testing.T) {
	s, _, _ := provisioned(t)
	effects, refused := refuse(t, s, placed(t, s))
	want := `report Warning FailedScheduling default/p00000: running PreBind plugin "VolumeBinding": no`
	if got := words(effects); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
	if _, assumed := s.State().Assumed("default/p00000"); assumed || s.Busy() {
		t.Error("the pod is on its node still")
	}
	if effects, facts := s.Answer(refused); len(effects)+len(facts) > 0 {
		t.Errorf("the second answer leads to %v %v", effects, facts)
	}
}

func TestAWriteThatIsRefusedAfterTheWorkIsDoneChangesNothing(t *testing.T) {
	s, claim, _ := provisioned(t)
	asked := placed(t, s)
	bindClaim(s, claim)
	bound, _ := s.Advance(s.Now().Add(5 * time.Second))
	pod := bound[0].(core.Bind).Pod.API.DeepCopy()
	pod.Spec.NodeName, pod.ResourceVersion = "n0000", "9"
	s.Apply(cluster.Event{Action: cluster.Update, Object: pod})
	if effects, _ := refuse(t, s, asked); len(effects) > 0 {
		t.Errorf("a pod that is on its node is reported: %s", words(effects))
	}
}

func TestWhoObservesIsToldOfTheFactsOfCyclesAndForksTellNobody(t *testing.T) {
	s, _, _ := provisioned(t)
	var told []trace.Phase
	s.Observe(func(f trace.Fact) { told = append(told, f.Phase()) })
	f := s.Fork()
	f.Schedule()
	if len(told) > 0 {
		t.Errorf("a fork tells of %v", told)
	}
	placed(t, s)
	if len(told) < 5 || told[0] != trace.PhasePop || told[len(told)-1] != trace.PhaseEnd {
		t.Errorf("told of %v", told)
	}
}

func TestTakenBackSelectionSendsThePodBack(t *testing.T) {
	s, claim, _ := provisioned(t)
	start := s.Now()
	placed(t, s)
	refused := claim.DeepCopy()
	refused.ResourceVersion, refused.Annotations = "3", map[string]string{"other": "x"}
	s.Apply(cluster.Event{Action: cluster.Update, Object: refused})
	effects, _ := s.Advance(start.Add(time.Second))
	want := `running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"`
	if got := words(effects); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
}

func TestPodThatGoesWhileItsVolumeIsMadeIsNotBound(t *testing.T) {
	s, claim, pod := provisioned(t)
	start := s.Now()
	placed(t, s)
	s.Apply(cluster.Event{Action: cluster.Delete, Object: pod})
	bindClaim(s, claim)
	if effects, _ := s.Advance(start.Add(time.Second)); strings.Contains(words(effects), "bind") {
		t.Errorf("got\n%s", words(effects))
	}
	if s.Busy() {
		t.Error("somebody waits for a pod that is gone")
	}
}

func TestCancelledPreBindFailsWithTheReason(t *testing.T) {
	s, _, _ := provisioned(t)
	placed(t, s)
	effects, _ := s.Answer(core.PreBindCancelled{UID: s.InPreBind()[0].UID(), Reason: "preempted by DefaultPreemption"})
	want := `running PreBind plugin "VolumeBinding": preempted by DefaultPreemption`
	if got := words(effects); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
	if more, facts := s.Answer(core.PreBindCancelled{UID: "nobody"}); len(more)+len(facts) > 0 {
		t.Error("a pod that is not in PreBind was cancelled")
	}
}

func TestForksOfAWaitingPodGoTheirOwnWays(t *testing.T) {
	s, claim, _ := provisioned(t)
	start := s.Now()
	placed(t, s)
	other := s.Fork()
	bindClaim(s, claim)
	bound, _ := s.Advance(start.Add(time.Second))
	waits, _ := other.Advance(start.Add(time.Second))
	if len(bound) == 0 || len(waits) > 0 || s.Busy() || !other.Busy() {
		t.Errorf("one got\n%s\nthe other\n%s", words(bound), words(waits))
	}
}

func TestWhatIsAssumedGivesWayToNewsAndToFailure(t *testing.T) {
	s, _, pod := provisioned(t)
	effects, _, _ := s.Schedule()
	claims := &s.State().Objects().VolumeClaims
	believed, _ := claims.Believed("default/data")
	shown, _ := claims.Find("default/data")
	if believed.Annotations[cluster.AnnotationSelectedNode] != "n0000" ||
		shown.Annotations[cluster.AnnotationSelectedNode] != "" {
		t.Fatalf("believed %v, shown %v, after\n%s", believed.Annotations, shown.Annotations, words(effects))
	}
	fork := s.Fork()
	moved := shown.DeepCopy()
	moved.ResourceVersion = "7"
	s.Apply(cluster.Event{Action: cluster.Update, Object: moved})
	if _, still := s.State().Objects().VolumeClaims.Assumed("default/data"); still {
		t.Error("news about the claim did not end what was assumed")
	}
	there := pod.DeepCopy()
	there.Spec.NodeName = "elsewhere"
	fork.Apply(cluster.Event{Action: cluster.Update, Object: there})
	if _, still := fork.State().Objects().VolumeClaims.Assumed("default/data"); still || fork.Busy() {
		t.Error("the pod is on another node, and its claim is assumed still")
	}
}
