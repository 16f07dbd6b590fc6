//go:build e2e

package e2e_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/conformance/e2e"
	"github.com/schedstep/schedstep/internal/bucket"
)

// works is a control plane with Kubernetes' own Job controller and kube-scheduler. The kubelets of it run the
// containers of pods as processes, and its namespace shop takes restricted pods alone.
type works struct {
	*running
	processes *e2e.Processes
	kubelets  *e2e.Kubelets
	store     *objectStore
}

// imageName is what the image of schedstep is called.
const imageName = "registry.example/schedstep:e2e"

// working starts everything.
func working(t *testing.T) *works {
	t.Helper()
	w := &works{running: start(t, 3), store: newObjectStore(t)}
	manager, err := w.plane.StartControllerManager(t.Context())
	w.make(nil, err)
	t.Cleanup(manager.Stop)
	scheduler, err := w.plane.StartScheduler(t.Context(), "kube-scheduler", configuration(t))
	w.make(nil, err)
	t.Cleanup(scheduler.Stop)
	w.processes = e2e.NewProcesses(w.client, w.file("works"), map[string]string{imageName: w.program})
	w.kubelets = e2e.NewKubelets(w.client, 0)
	w.kubelets.Have(w.processes)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		w.kubelets.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-gone
		w.processes.Kill(func(*corev1.Pod) bool { return true })
	})
	shop, err := w.client.CoreV1().Namespaces().Get(t.Context(), "shop", metav1.GetOptions{})
	w.make(nil, err)
	shop.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	w.make(w.client.CoreV1().Namespaces().Update(t.Context(), shop, metav1.UpdateOptions{}))
	return w
}

// objectStore is a store that speaks S3, on loopback. It may do something when the mark of a shard that begins is put
// there.
type objectStore struct {
	t      *testing.T
	next   http.Handler
	memory *s3mem.Backend
	mutex  sync.Mutex
	begins map[string]func(http.ResponseWriter) // by the name of the object, once
}

// newObjectStore is a store with the buckets inputs and sweeps, which the programs of the test find.
func newObjectStore(t *testing.T) *objectStore {
	t.Helper()
	s := &objectStore{t: t, memory: s3mem.New(), begins: map[string]func(http.ResponseWriter){}}
	for _, name := range []string{"inputs", "sweeps"} {
		if err := s.memory.CreateBucket(name); err != nil {
			t.Fatal(err)
		}
	}
	s.next = gofakes3.New(s.memory).Server()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
	for name, value := range credentials() {
		t.Setenv(name, value)
	}
	return s
}

// credentials are what the Secret of a Job has.
func credentials() map[string]string {
	return map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
}

func (s *objectStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		s.mutex.Lock()
		does := s.begins[r.URL.Path]
		delete(s.begins, r.URL.Path)
		s.mutex.Unlock()
		if does != nil {
			does(w)
			return
		}
	}
	s.next.ServeHTTP(w, r)
}

// deny answers that access is denied.
func deny(w http.ResponseWriter) {
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`))
}

// put puts a file into the bucket inputs.
func (s *objectStore) put(key, file string) {
	s.t.Helper()
	store, err := bucket.Open(os.Getenv)
	if err == nil {
		err = store.Put(s.t.Context(), bucket.Name{Bucket: "inputs", Key: key}, file)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// sameBytes compares the tables of two sweeps byte for byte.
func (w *works) sameBytes(one, other string) {
	w.Helper()
	for _, table := range []string{"runs", "resources", "pods", "variants"} {
		for _, kind := range []string{".csv", ".parquet"} {
			a, err := os.ReadFile(filepath.Join(one, table+kind))
			w.make(nil, err)
			b, err := os.ReadFile(filepath.Join(other, table+kind))
			w.make(nil, err)
			if string(a) != string(b) {
				w.Errorf("%s%s is not the same: %d and %d bytes", table, kind, len(a), len(b))
			}
		}
	}
}

// indexOf is which shard a pod plays.
func indexOf(p *corev1.Pod) string { return p.Annotations[batchv1.JobCompletionIndexAnnotation] }

// codes are the exit codes of the pods of a Job that failed, with their shards.
func (w *works) codes(name string) map[string]int32 {
	w.Helper()
	list, err := w.client.CoreV1().Pods("shop").List(w.Context(), metav1.ListOptions{
		LabelSelector: batchv1.JobNameLabel + "=" + name,
	})
	w.make(nil, err)
	codes := map[string]int32{}
	for i := range list.Items {
		p := &list.Items[i]
		if p.Status.Phase == corev1.PodFailed {
			codes[indexOf(p)] = p.Status.ContainerStatuses[0].State.Terminated.ExitCode
			w.Logf("%s: %s", p.Name, w.processes.Printed(p.Name))
		}
	}
	return codes
}

// mayRun gives a user only the rights that emit-job needs: to create and get Jobs.
func (w *works) mayRun(user string) {
	w.Helper()
	w.make(w.client.RbacV1().Roles("shop").Create(w.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "schedstep-sweep"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"create", "get"},
		}},
	}, metav1.CreateOptions{}))
	w.make(w.client.RbacV1().RoleBindings("shop").Create(w.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: user, APIGroup: rbacv1.GroupName}},
		RoleRef:    rbacv1.RoleRef{Kind: "Role", Name: "schedstep-sweep", APIGroup: rbacv1.GroupName},
	}, metav1.CreateOptions{}))
}

// ran runs schedstep, which must succeed.
func (w *works) ran(args ...string) (out, told string) {
	w.Helper()
	code, out, told := w.output(args...)
	if code != 0 {
		w.Fatalf("%s: %d\n%s%s", strings.Join(args, " "), code, out, told)
	}
	return out, told
}

// emit is emit-job with --submit.
func (w *works) emit(args ...string) []string {
	return append([]string{
		"sweep", "emit-job", "--image", imageName, "--submit", "-n", "shop", "--poll", "200ms", "--cpu", "1", "--memory",
		"1Gi",
	}, args...)
}

// Sixteen shards, of which one is killed when it has begun and another one is not let into the store: the bytes are
// those of a local run, whether they go through an object store or a claim.
func TestAJobOfAClusterPlaysASweep(t *testing.T) {
	w := working(t)
	demo := filepath.Join("..", "..", "replay", "source", "demo", "preemption.schedstep")
	w.store.put("monday.schedstep", demo)
	w.make(w.client.CoreV1().Secrets("shop").Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "s3"}, StringData: credentials(),
	}, metav1.CreateOptions{}))
	vary := []string{"--vary", "weight.NodeResourcesFit=1..20", "--vary", "percentage=-,50", "--vary", "seed=0..1"}
	w.throughAStore(vary)
	w.throughAClaim(demo, vary)
	w.calledWrongly()
	w.make(nil, w.kubelets.Wrong())
}

func (w *works) throughAStore(vary []string) {
	whole, merged := w.file("whole"), w.file("merged")
	w.ran(append(slices.Clone(vary), "sweep", "s3://inputs/monday.schedstep", "-o", whole, "-q")...)
	emit := w.emit(append(slices.Clone(vary), "--name", "store", "--input", "s3://inputs/monday.schedstep",
		"--secret", "s3", "--parallelism", "4", "--shards", "16", "-o", "s3://sweeps/monday",
		"--collect", merged, "--as", "sweeper")...)
	if code, out, told := w.output(emit...); code != 1 || out != "" ||
		!strings.Contains(told, "you may not create Jobs in the namespace shop") {
		w.Errorf("without rights: %d %s%s", code, out, told)
	}
	w.mayRun("sweeper")
	if out, _ := w.ran(append(emit, "--dry-run")...); !strings.Contains(out, "takes the Job shop/store") {
		w.Errorf("--dry-run: %s", out)
	}
	if jobs, err := w.client.BatchV1().Jobs("shop").List(w.Context(), metav1.ListOptions{}); err != nil ||
		len(jobs.Items) > 0 {
		w.Fatalf("%d Jobs are there, %v", len(jobs.Items), err)
	}
	w.store.begins["/sweeps/monday/shard-5/begun"] = deny
	w.store.begins["/sweeps/monday/shard-11/begun"] = func(http.ResponseWriter) {
		if n := w.processes.Kill(func(p *corev1.Pod) bool { return indexOf(p) == "11" }); n != 1 {
			w.Errorf("%d processes play shard 11", n)
		}
	}
	out, told := w.ran(emit...)
	w.Logf("%s%s", told, out)
	if !strings.Contains(out, "82 runs") || !strings.Contains(told, "16 of 16 shards, 0 pods active, 2 pods failed") {
		w.Errorf("%s%s", told, out)
	}
	w.sameBytes(whole, merged)
	j, err := w.client.BatchV1().Jobs("shop").Get(w.Context(), "store", metav1.GetOptions{})
	w.make(nil, err)
	if j.Status.Succeeded != 16 || j.Status.Failed != 2 || j.Status.CompletedIndexes != "0-15" {
		w.Errorf("%+v", j.Status)
	}
	if codes := w.codes("store"); len(codes) != 2 || codes["5"] != 1 || codes["11"] != 137 {
		w.Errorf("%v", codes)
	}
	if _, told := w.ran(emit...); strings.Contains(told, "was created") { // the Job is there, and has ended
		w.Errorf("%s", told)
	}
}

// throughAClaim has inputs and results on a claim, and a configuration in a ConfigMap.
func (w *works) throughAClaim(demo string, vary []string) {
	const class = "shared"
	many := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	w.make(w.client.CoreV1().PersistentVolumes().Create(w.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "recordings"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: oneGi, AccessModes: many, StorageClassName: class,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: "nfs.example", Path: "/recordings"},
			},
		},
	}, metav1.CreateOptions{}))
	w.make(w.client.CoreV1().PersistentVolumeClaims("shop").Create(w.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "rec"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: many, StorageClassName: new(string(class)),
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{}))
	settings := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n" +
		"- plugins: {multiPoint: {disabled: [{name: DefaultPreemption}]}}\n"
	w.make(w.client.CoreV1().ConfigMaps("shop").Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"calm.yaml": settings},
	}, metav1.CreateOptions{}))
	claim := w.processes.Claim("rec")
	content, err := os.ReadFile(demo)
	w.make(nil, err)
	w.make(nil, os.MkdirAll(claim, 0o700))
	input := filepath.Join(claim, "monday.schedstep")
	w.make(nil, os.WriteFile(input, content, 0o600))
	out, _ := w.ran(w.emit(append(slices.Clone(vary), "--name", "claim", "--input", "pvc:rec/monday.schedstep",
		"--parallelism", "4", "-o", "pvc:rec/out", "--config", "configmap:settings/calm.yaml")...)...)
	if !strings.Contains(out, "all 4 shards are played") {
		w.Errorf("%s", out)
	}
	calm, whole, merged := w.file("calm.yaml"), w.file("whole-of-claim"), w.file("merged-of-claim")
	w.make(nil, os.WriteFile(calm, []byte(settings), 0o600))
	w.ran(append(slices.Clone(vary), "sweep", input, "-o", whole, "-q", "--config", calm)...)
	shards, err := filepath.Glob(filepath.Join(claim, "out", "shard-*"))
	w.make(nil, err)
	slices.Reverse(shards)
	w.ran(append([]string{"sweep", "merge", "-o", merged}, shards...)...)
	w.sameBytes(whole, merged)
}

// calledWrongly has a Job whose command cannot be what it is: it is given up with the first pod.
func (w *works) calledWrongly() {
	code, out, told := w.output(w.emit("--name", "wrong", "--input", "pvc:rec/monday.schedstep", "--vary", "drain=nix",
		"--parallelism", "2", "--retries", "5", "-o", "pvc:rec/wrong")...)
	if code != 1 || out != "" || !strings.Contains(told, "the Job shop/wrong failed: PodFailurePolicy") {
		w.Errorf("%d %s%s", code, out, told)
	}
	if codes := w.codes("wrong"); len(codes) == 0 || len(codes) > 2 || codes["0"]+codes["1"] == 0 {
		w.Errorf("%v", codes)
	}
}
