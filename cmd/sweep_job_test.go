package cmd_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/apiserver"
)

// jobServer is an API server that has Jobs. With each request for a Job it plays the next shard of it, as a kubelet
// would start the container of a pod.
type jobServer struct {
	t        *testing.T
	next     http.Handler
	denied   string // a verb that the user may not
	blind    int    // the code of the answer to each read of a Job; 0: the Job is the answer
	failing  []int  // shards, each of which fails once
	lost     []int  // shards, each of which fails every time
	mu       sync.Mutex
	job      *batchv1.Job
	left     []int
	failed   []int // shards that are not tried again
	tries    map[int]int32
	requests []string
}

// withJobs is a cluster with Jobs, which the programs of the test find.
func withJobs(t *testing.T) *jobServer {
	t.Helper()
	s := &jobServer{t: t, next: apiserver.New(t)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("KUBECONFIG", apiserver.Kubeconfig(t, server.URL))
	return s
}

func (s *jobServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	jobs := strings.HasPrefix(r.URL.Path, "/apis/batch/v1/namespaces/shop/jobs")
	switch {
	case strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews") && s.denied != "":
		body, _ := io.ReadAll(r.Body)
		allowed := !strings.Contains(string(body), s.denied)
		s.answer(w, http.StatusCreated, map[string]any{
			"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
			"status": map[string]bool{"allowed": allowed},
		})
	case jobs && r.Method == http.MethodPost:
		s.create(w, r)
	case jobs && s.blind != 0:
		reasons := map[int]metav1.StatusReason{403: metav1.StatusReasonForbidden, 404: metav1.StatusReasonNotFound}
		s.answer(w, s.blind, metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: int32(s.blind), Message: "jobs.batch: no", Reason: reasons[s.blind],
		})
	case jobs:
		s.mu.Lock()
		s.requests = append(s.requests, r.Method)
		s.mu.Unlock()
		s.play()
		s.answer(w, http.StatusOK, s.job)
	default:
		s.next.ServeHTTP(w, r)
	}
}

func (s *jobServer) answer(w http.ResponseWriter, code int, content any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(content); err != nil {
		s.t.Error(err)
	}
}

func (s *jobServer) create(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, "POST "+r.URL.RawQuery)
	var j batchv1.Job
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = yaml.UnmarshalStrict(body, &j)
	}
	if err != nil {
		s.t.Errorf("%v in %s", err, body)
	}
	switch {
	case r.URL.Query().Get("dryRun") != "":
	case s.job != nil:
		s.answer(w, http.StatusConflict, metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: http.StatusConflict, Reason: metav1.StatusReasonAlreadyExists,
		})
		return
	default:
		s.job = &j
		for i := range int(*j.Spec.Completions) {
			s.left = append(s.left, i)
		}
	}
	s.answer(w, http.StatusCreated, &j)
}

// play plays the next shard, or has it fail. The Job ends as that of a cluster would: with one shard that failed in the
// end it is Failed, even if as many may.
func (s *jobServer) play() {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := func(kind batchv1.JobConditionType, reason string) {
		s.job.Status.Conditions = []batchv1.JobCondition{{Type: kind, Status: corev1.ConditionTrue, Reason: reason}}
	}
	switch {
	case len(s.failed) > int(*s.job.Spec.MaxFailedIndexes):
		ended(batchv1.JobFailed, batchv1.JobReasonMaxFailedIndexesExceeded)
		return
	case len(s.left) == 0 && len(s.failed) > 0:
		ended(batchv1.JobFailed, batchv1.JobReasonFailedIndexes)
		return
	case len(s.left) == 0:
		ended(batchv1.JobComplete, "")
		return
	}
	index := s.left[0]
	s.left = s.left[1:]
	at := slices.Index(s.failing, index)
	if at >= 0 {
		s.failing = slices.Delete(s.failing, at, at+1)
	}
	if at >= 0 || slices.Contains(s.lost, index) {
		s.fail(index)
		return
	}
	if err := os.Setenv("JOB_COMPLETION_INDEX", strconv.Itoa(index)); err != nil {
		s.t.Error(err)
	}
	args := slices.Clone(s.job.Spec.Template.Spec.Containers[0].Args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$(JOB_COMPLETION_INDEX)", strconv.Itoa(index))
	}
	if got := program(s.t, args...); got.code != 0 {
		s.t.Errorf("%q: %+v", args, got)
	}
	s.job.Status.Succeeded++
}

// fail has a pod of a shard fail, which is tried again as often as the Job allows.
func (s *jobServer) fail(index int) {
	s.job.Status.Failed++
	if s.tries == nil {
		s.tries = map[int]int32{}
	}
	if s.tries[index]++; s.tries[index] <= *s.job.Spec.BackoffLimitPerIndex {
		s.left = append(s.left, index)
		return
	}
	s.failed = append(s.failed, index)
	slices.Sort(s.failed)
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(s.failed), " ", ","), "[]")
	s.job.Status.FailedIndexes = &text
}

// TestShardsThatMayFailLeaveAPartialResult loses one shard of four for good.
func TestShardsThatMayFailLeaveAPartialResult(t *testing.T) {
	objectStore(t)
	t.Setenv("JOB_COMPLETION_INDEX", "")
	s := withJobs(t)
	s.lost = []int{2}
	merged := filepath.Join(t.TempDir(), "merged")
	emit := strings.Fields("sweep emit-job --input s3://inputs/monday.schedstep --image i --parallelism 4 --poll 1ms " +
		"--vary weight.NodeResourcesFit=1,50 --vary seed=0..1 -o s3://sweeps/partial --submit --retries 1 " +
		"--collect " + merged)
	got := ok(t, append(emit, "--failing", "1")...)
	if !strings.Contains(got.out, "runs are missing") || !strings.Contains(got.err, "the shards 2 failed in the end") {
		t.Errorf("%+v", got)
	}
	if got := ok(t, "sweep", "report", merged); !strings.Contains(got.out, "of 6 runs have figures") ||
		strings.Contains(got.out, "6 of 6") {
		t.Errorf("%s", got.out)
	}
	s.job, s.left, s.failed, s.tries = nil, nil, nil, nil // another cluster, and no shard may fail
	if got := program(t, emit...); got.code != 1 || !strings.Contains(got.err, "failed: MaxFailedIndexesExceeded:  (2)") {
		t.Errorf("%+v", got)
	}
}

func TestAJobPlaysASweepAndItsResultsAreMerged(t *testing.T) {
	objectStore(t)
	t.Setenv("JOB_COMPLETION_INDEX", "")
	s := withJobs(t)
	s.failing = []int{1, 2}
	vary := []string{"--vary", "weight.NodeResourcesFit=1,50", "--vary", "seed=0..1"}
	whole, merged := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "merged")
	ok(t, append(vary, "sweep", "s3://inputs/monday.schedstep", "-o", whole)...)
	emit := append(vary, "sweep", "emit-job", "--input", "s3://inputs/monday.schedstep",
		"--image", "registry/schedstep:v1", "--parallelism", "4", "-o", "s3://sweeps/monday", "--submit", "--poll", "1ms")
	if got := ok(t, append(emit, "--dry-run")...); !strings.Contains(got.out, "takes the Job shop/schedstep-sweep") ||
		s.job != nil {
		t.Errorf("%+v", got)
	}
	emit = append(emit, "--collect", merged)
	got := ok(t, emit...)
	for _, want := range []string{"was created with 4 shards", "3 of 4 shards", "2 pods failed"} {
		if !strings.Contains(got.err, want) {
			t.Errorf("want %s in\n%s", want, got.err)
		}
	}
	if !strings.Contains(got.out, "6 runs") {
		t.Errorf("%s", got.out)
	}
	sameTables(t, whole, merged)
	if got = ok(t, emit...); strings.Contains(got.err, "was created") { // the Job is there, and has ended
		t.Errorf("%s", got.err)
	}
	if got = program(t, append(emit, "--cpu", "2")...); got.code != 1 ||
		!strings.Contains(got.err, "another Job shop/schedstep-sweep is there") {
		t.Errorf("%+v", got)
	}
	creates := slices.DeleteFunc(slices.Clone(s.requests), func(r string) bool { return r == "GET" })
	if len(creates) != 4 || slices.ContainsFunc(creates, func(r string) bool { return !strings.HasPrefix(r, "POST ") }) {
		t.Errorf("%q", s.requests)
	}
}

func TestAJobIsRefusedBeforeItIsCreated(t *testing.T) {
	objectStore(t)
	s := withJobs(t)
	base := "sweep emit-job --image i --parallelism 2 --input s3://inputs/monday.schedstep -o s3://sweeps/a "
	for _, c := range []struct {
		args, denied string
		code         int
		want         string
	}{
		{base, "", 2, "sweep emit-job needs --vary"},
		{base + "--vary percentage=1 --collect x", "", 2, "--collect and --dry-run need --submit"},
		{base + "--vary percentage=1 --submit", "", 2, "--submit needs --collect FOLDER"},
		{base + "--vary percentage=1 --input a.json", "", 2, "a.json is a file of this machine"},
		{base + "--vary percentage=1 --config a.yaml", "", 2, "--config a.yaml is a file of this machine"},
		{base + "--vary config=a.yaml", "", 2, "--vary config=a.yaml is a file of this machine"},
		{base + "--vary percentage=1 -o s3://", "", 2, `-o "s3://" is no name of an object`},
		{base + "--vary percentage=1 -o s3://b/../c", "", 2, `-o "s3://b/../c" has a part that is empty, or dots`},
		{base + "--vary percentage=1 --input pvc:a/b+s3://b//c", "", 2, `--input "s3://b//c" has a part that is empty`},
		{base + "--vary percentage=1 --parallelism 9", "", 2, "there are 2 runs, and 9 shards are more"},
		{base + "--vary percentage=1 --shards 3", "", 2, "there are 2 runs, and 3 shards are more"},
		{base + "--vary percentage=1 --cpu x", "", 2, `--cpu "x" is no quantity`},
		{base + "--vary percentage=1..9 --where percentage>9", "", 2, "the product is empty"},
		{base + "--vary percentage=1..9 --most-runs 5", "", 2, "there are 9 variants, and 5 is the most"},
		{base + "--vary percentage=1 --submit --collect OUT", "create", 1, "you may not create Jobs in the namespace shop"},
		{base + "--vary weight.Nope=1 --submit --collect OUT", "", 2, "no profile scores with Nope"},
		{base + "--vary percentage=1 --submit --collect OUT --input s3://inputs/nix", "", 1, "there is no such object"},
	} {
		s.denied = c.denied
		args := strings.Fields(strings.ReplaceAll(c.args, "OUT", filepath.Join(t.TempDir(), "out")))
		if got := program(t, args...); got.code != c.code || !strings.Contains(got.err, c.want) || got.out != "" {
			t.Errorf("%s: %+v, want %s", c.args, got, c.want)
		}
	}
	if s.job != nil {
		t.Errorf("a Job was created: %q", s.requests)
	}
	s.lost = []int{0, 1} // as many as may, and there is nothing to merge
	s.denied = ""
	args := base + "--failing 2 --vary percentage=1 --submit --poll 1ms --collect " + filepath.Join(t.TempDir(), "out")
	if got := program(t, strings.Fields(args)...); got.code != 1 ||
		!strings.Contains(got.err, "the Job shop/schedstep-sweep failed: FailedIndexes") {
		t.Errorf("%+v", got)
	}
}

// TestAJobThatIsThereAndCannotBeRead has a Job of the name in the cluster.
func TestAJobThatIsThereAndCannotBeRead(t *testing.T) {
	objectStore(t)
	for code, want := range map[int]string{
		http.StatusForbidden: "): you may not do this (403 Forbidden): jobs.batch: no",
		http.StatusNotFound:  "the Job shop/schedstep-sweep is gone",
	} {
		s := withJobs(t)
		s.job, s.blind = &batchv1.Job{}, code
		got := program(t, "sweep", "emit-job", "--image", "i", "--parallelism", "2", "--input", "pvc:a/b", "-o", "pvc:a/out",
			"--vary", "percentage=1", "--submit")
		if got.code != 1 || !strings.Contains(got.err, want) {
			t.Errorf("%d: %+v", code, got)
		}
	}
}

func TestAJobIsPrintedAsAManifest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vary.yaml")
	if err := os.WriteFile(file, []byte("vary: {percentage: [5, 50], do: [null, 'cordon n1, x']}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := ok(t, "sweep", "emit-job", "--image", "i", "--parallelism", "2", "--input", "pvc:rec/a.json",
		"-o", "pvc:rec/out", "--vary", file, "--where", "percentage in [5, 50]", "--price", "cpu=1", "--price", "memory=2",
		"-n", "batch", "--replicas", "web=3", "--config", "configmap:conf/a.yaml")
	var j batchv1.Job
	if err := yaml.UnmarshalStrict([]byte(got.out), &j); err != nil || strings.Contains(got.out, "\nstatus:") {
		t.Fatalf("%v\n%s", err, got.out)
	}
	want := []string{
		"sweep", "/pvc/rec/a.json", "--vary", "percentage=5,50", "--vary", "do=-|cordon n1, x", "--config",
		"/configmap/conf/a.yaml", "--price=cpu=1", "--price=memory=2", "--replicas=web=3", "--where=percentage in [5, 50]",
		"--shards", "2", "-o", "/pvc/rec/out/shard-$(JOB_COMPLETION_INDEX)", "-q",
	}
	if c := j.Spec.Template.Spec.Containers[0]; !slices.Equal(c.Args, want) || j.Namespace != "batch" {
		t.Errorf("%q", c.Args)
	}
}
