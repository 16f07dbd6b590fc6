package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/replay/ask/sweep/job"
)

// usual are options that a Job can be made of.
func usual() job.Options {
	return job.Options{
		Name: "sweep", Image: "registry/schedstep:v1", Shards: 16, Parallelism: 4, Retries: 3,
		CPU: resource.MustParse("1"), Memory: resource.MustParse("2Gi"), Scratch: resource.MustParse("10Gi"),
		Inputs: []string{"s3://inputs/a", "pvc:rec/b+configmap:pods/c.yaml"}, Output: "s3://sweeps/out/",
		Args: []string{"--vary", "do=cordon $(N)"},
	}
}

func TestAJobIsReadBackStrictlyAsItWasMade(t *testing.T) {
	o := usual()
	o.Queue, o.Secret, o.Mounted = "batch", "s3", []string{"configmap:conf/a.yaml"}
	made, err := job.New(o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var read batchv1.Job
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		t.Fatal(err)
	}
	again, err := yaml.Marshal(&read)
	if err != nil || string(again) != string(text) {
		t.Errorf("%v\n%s", err, cmp.Diff(string(text), string(again)))
	}
	c := read.Spec.Template.Spec.Containers[0]
	want := []string{
		"sweep", "s3://inputs/a", "/pvc/rec/b+/configmap/pods/c.yaml", "--vary", "do=cordon $$(N)", "--shards", "16", "-o",
		"s3://sweeps/out/shard-$(JOB_COMPLETION_INDEX)", "-q",
	}
	if !slices.Equal(c.Args, want) {
		t.Errorf("%q", c.Args)
	}
	queue := read.Labels["kueue.x-k8s.io/queue-name"]
	if len(c.VolumeMounts) != 4 || queue != "batch" || c.EnvFrom[0].SecretRef.Name != "s3" {
		t.Errorf("%+v", c)
	}
	if !job.Same(made, &read) {
		t.Error("it is no longer the same")
	}
	o.Shards = 17
	if other, err := job.New(o); err != nil || job.Same(made, other) {
		t.Errorf("with another shard it is the same, %v", err)
	}
}

// What the restricted level of the Pod Security Standards demands, and what a Job needs to be indexed.
func TestPodsMayDoLittle(t *testing.T) {
	made, err := job.New(usual())
	if err != nil {
		t.Fatal(err)
	}
	s := &made.Spec
	if *s.CompletionMode != batchv1.IndexedCompletion || *s.Completions != 16 || *s.Parallelism != 4 ||
		*s.BackoffLimitPerIndex != 3 || *s.MaxFailedIndexes != 0 || s.BackoffLimit != nil {
		t.Errorf("%+v", s)
	}
	pod := &s.Template.Spec
	if pod.RestartPolicy != corev1.RestartPolicyNever || *pod.AutomountServiceAccountToken || pod.HostNetwork ||
		!*pod.SecurityContext.RunAsNonRoot || *pod.SecurityContext.RunAsUser == 0 ||
		pod.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%+v", pod)
	}
	c := &pod.Containers[0]
	if x := c.SecurityContext; *x.AllowPrivilegeEscalation || !*x.ReadOnlyRootFilesystem || *x.Privileged ||
		x.Capabilities.Drop[0] != "ALL" || len(x.Capabilities.Add) > 0 {
		t.Errorf("%+v", x)
	}
	for _, name := range []corev1.ResourceName{"cpu", "memory"} {
		if limit := c.Resources.Limits[name]; limit.IsZero() || c.Resources.Requests[name] != limit {
			t.Errorf("%s has no limit", name)
		}
	}
	for _, v := range pod.Volumes {
		if v.HostPath != nil || v.EmptyDir != nil && v.EmptyDir.SizeLimit == nil {
			t.Errorf("%+v", v)
		}
	}
}

func TestOnlyTheClaimOfTheOutputIsWrittenTo(t *testing.T) {
	o := usual()
	o.Inputs, o.Output = []string{"pvc:rec/in/a", "pvc:other/b"}, "pvc:rec/out"
	made, err := job.New(o)
	if err != nil {
		t.Fatal(err)
	}
	written := []string{}
	for _, m := range made.Spec.Template.Spec.Containers[0].VolumeMounts {
		if !m.ReadOnly {
			written = append(written, m.MountPath)
		}
	}
	if !slices.Equal(written, []string{"/tmp", "/pvc/rec"}) {
		t.Errorf("%q", written)
	}
}

func TestAJobThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*job.Options){
		"--image is missing":                func(o *job.Options) { o.Image = "" },
		"has a space":                       func(o *job.Options) { o.Image = "a b" },
		`--name "Sweep"`:                    func(o *job.Options) { o.Name = "Sweep" },
		"52 characters at the most":         func(o *job.Options) { o.Name = strings.Repeat("a", 53) },
		"--shards and --parallelism":        func(o *job.Options) { o.Parallelism = 0 },
		"--failing 0 to the number":         func(o *job.Options) { o.Failing = 17 },
		"--input is missing":                func(o *job.Options) { o.Inputs = nil },
		"is a file of this machine":         func(o *job.Options) { o.Inputs = []string{"a.json"} },
		`"Rec" is no name of an object`:     func(o *job.Options) { o.Inputs = []string{"pvc:Rec/a"} },
		"has a part that is empty, or dots": func(o *job.Options) { o.Inputs = []string{"pvc:rec/../a"} },
		"results go to s3://":               func(o *job.Options) { o.Output = "configmap:a/b" },
		"--memory and --scratch":            func(o *job.Options) { o.Memory = resource.Quantity{} },
		`--queue "A_"`:                      func(o *job.Options) { o.Queue = "A_" },
		`--secret "A_"`:                     func(o *job.Options) { o.Secret = "A_" },
	} {
		o := usual()
		change(&o)
		if _, err := job.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
