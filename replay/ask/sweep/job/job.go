// Package job makes the Indexed Job of Kubernetes that plays a sweep in shards: which volumes its inputs are on, and
// what its pods may do, which is little. It sends nothing to a cluster, and knows nothing of variants.
package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Options are what a Job is made of.
type Options struct {
	Name, Namespace string // of the Job; Namespace may be ""
	Image           string
	Queue           string // of Kueue; "": none
	Secret          string // with the variables of the object store; "": none
	Account         string // ServiceAccount; "": the default one, whose token is not handed out
	Shards          int
	Parallelism     int
	Retries         int // of one shard
	Failing         int // shards that may fail in the end before the Job is given up
	CPU, Memory     resource.Quantity
	Scratch         resource.Quantity
	Env             []corev1.EnvVar
	Inputs          []string // as Place reads them
	Output          string   // likewise, but no ConfigMap
	Mounted         []string // further files that Args name, likewise, but not in an object store
	Args            []string // of schedstep sweep, without inputs, output and shards
}

// What a Job of this package is called by, and what Kueue looks at.
const (
	hashAnnotation = "schedstep.dev/sweep"
	queueLabel     = "kueue.x-k8s.io/queue-name"
	containerName  = "sweep"
	scratchFolder  = "/tmp"
	nonroot        = 65532
	usageCode      = 2 // with which schedstep ends when it is called wrongly
)

// Place is where an input or the output is, for pods.
type Place struct {
	Kind string // "s3", "pvc" or "configmap"
	Name string // of the claim or ConfigMap
	Path string // for the command in the pod
}

// PlaceOf reads s3://BUCKET/KEY, pvc:CLAIM/PATH or configmap:NAME/KEY.
func PlaceOf(text string) (Place, error) {
	if strings.HasPrefix(text, "s3://") {
		return Place{Kind: "s3", Path: text}, nil
	}
	kind, rest, _ := strings.Cut(text, ":")
	name, below, _ := strings.Cut(rest, "/")
	if kind != "pvc" && kind != "configmap" {
		return Place{}, phrase.Errorf("%s is a file of this machine, and pods cannot read it: it is s3://BUCKET/KEY, "+
			"pvc:CLAIM/PATH or configmap:NAME/KEY", text)
	}
	if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
		return Place{}, phrase.Errorf("%s: %q is no name of an object: %s", text, name, wrong[0])
	}
	if below != "" && path.Clean("/"+below) != "/"+strings.TrimSuffix(below, "/") {
		return Place{}, phrase.Errorf("%s: the path has a part that is empty, or dots", text)
	}
	return Place{kind, name, path.Join("/", kind, name, below)}, nil
}

// inside is an input as the command in a pod names it: of parts joined by + each where it is mounted.
func inside(input string) (string, []Place, error) {
	var parts []string
	var places []Place
	for _, part := range strings.Split(input, "+") {
		p, err := PlaceOf(part)
		if err != nil {
			return "", nil, err
		}
		parts, places = append(parts, p.Path), append(places, p)
	}
	return strings.Join(parts, "+"), places, nil
}

// namePattern is what a DNS label is; a Job's name has room for the index of a pod behind it.
var namePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

const longestName = 52

// check refuses what an API server would, as far as it is known here.
func (o *Options) check() error {
	switch {
	case o.Image == "":
		return phrase.Errorf("--image is missing: the image that has schedstep (make image makes one)")
	case strings.ContainsAny(o.Image, " \t\n"):
		return phrase.Errorf("--image %q has a space", o.Image)
	case len(o.Name) > longestName || !namePattern.MatchString(o.Name):
		return phrase.Errorf("--name %q: it has small letters, digits and -, and %d characters at the most", o.Name,
			longestName)
	case o.Shards < 1 || o.Shards > 100_000 || o.Parallelism < 1 || o.Parallelism > 100_000:
		return phrase.Errorf("--shards and --parallelism are 1 to 100000")
	case o.Retries < 0 || o.Failing < 0 || o.Failing > o.Shards:
		return phrase.Errorf("--retries is 0 or more, --failing 0 to the number of shards")
	case len(o.Inputs) == 0:
		return phrase.Errorf("--input is missing: s3://BUCKET/KEY, pvc:CLAIM/PATH or configmap:NAME/KEY")
	case o.CPU.Sign() <= 0 || o.Memory.Sign() <= 0 || o.Scratch.Sign() <= 0:
		return phrase.Errorf("--cpu, --memory and --scratch are more than 0")
	}
	for _, named := range []struct{ flag, name string }{
		{"queue", o.Queue}, {"secret", o.Secret}, {"service-account", o.Account},
	} {
		if wrong := validation.IsDNS1123Subdomain(named.name); named.name != "" && len(wrong) > 0 {
			return phrase.Errorf("--%s %q: %s", named.flag, named.name, wrong[0])
		}
	}
	return nil
}

// New is the Job.
func New(o Options) (*batchv1.Job, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	pod, err := o.pod()
	if err != nil {
		return nil, err
	}
	labels := map[string]string{"app.kubernetes.io/name": "schedstep", "app.kubernetes.io/component": "sweep"}
	j := &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: o.Namespace, Labels: labels},
		Spec: batchv1.JobSpec{
			Completions: ptr.To(int32(o.Shards)), Parallelism: ptr.To(int32(min(o.Parallelism, o.Shards))),
			CompletionMode: ptr.To(batchv1.IndexedCompletion), BackoffLimitPerIndex: ptr.To(int32(o.Retries)),
			MaxFailedIndexes: ptr.To(int32(o.Failing)), PodFailurePolicy: failures(),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: *pod},
		},
	}
	if o.Queue != "" {
		j.Labels = map[string]string{queueLabel: o.Queue}
		for k, v := range labels {
			j.Labels[k] = v
		}
	}
	text, err := json.Marshal(j.Spec)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	j.Annotations = map[string]string{hashAnnotation: hex.EncodeToString(sum[:8])}
	return j, nil
}

// Same reports whether a Job of a cluster is the one that was made here, whatever the cluster has added to it.
func Same(made, there *batchv1.Job) bool {
	return made.Annotations[hashAnnotation] == there.Annotations[hashAnnotation]
}

// failures have a shard that is evicted played again without counting it, and give the Job up when the command is
// called wrongly: each shard would fail alike.
func failures() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		}},
	}, {
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			ContainerName: ptr.To(containerName), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{usageCode},
		},
	}}}
}

// pod is what plays one shard: no privileges, nothing to write to but the scratch folder and the output.
func (o *Options) pod() (*corev1.PodSpec, error) {
	args, volumes, mounts, err := o.places()
	if err != nil {
		return nil, err
	}
	env := append(slices.Clone(o.Env), corev1.EnvVar{Name: "GOMEMLIMIT", ValueFrom: &corev1.EnvVarSource{
		ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: containerName, Resource: "limits.memory"},
	}})
	amounts := corev1.ResourceList{corev1.ResourceCPU: o.CPU, corev1.ResourceMemory: o.Memory}
	c := corev1.Container{
		Name: containerName, Image: o.Image, Args: args, Env: env, VolumeMounts: mounts,
		Resources: corev1.ResourceRequirements{Requests: amounts, Limits: amounts},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true), Privileged: ptr.To(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	if o.Secret != "" {
		from := corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: o.Secret}}
		c.EnvFrom = []corev1.EnvFromSource{{SecretRef: &from}}
	}
	return &corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{c}, Volumes: volumes,
		ServiceAccountName: o.Account, AutomountServiceAccountToken: ptr.To(false), EnableServiceLinks: ptr.To(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](nonroot), RunAsGroup: ptr.To[int64](nonroot),
			FSGroup: ptr.To[int64](nonroot), FSGroupChangePolicy: ptr.To(corev1.FSGroupChangeOnRootMismatch),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}, nil
}

// shardFolder is where a shard writes below the output: the kubelet puts the index in.
const shardFolder = "shard-$(JOB_COMPLETION_INDEX)"

// places are the arguments of the command, and what has to be mounted for them.
func (o *Options) places() (args []string, volumes []corev1.Volume, mounts []corev1.VolumeMount, err error) {
	scratch := corev1.EmptyDirVolumeSource{SizeLimit: &o.Scratch}
	volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &scratch}}}
	mounts = []corev1.VolumeMount{{Name: "scratch", MountPath: scratchFolder}}
	out, err := PlaceOf(o.Output)
	if err == nil && (out.Kind == "configmap" || out.Path == "") {
		err = phrase.Errorf("%s: results go to s3://BUCKET/PREFIX or pvc:CLAIM/PATH", o.Output)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	all := []Place{out}
	args = []string{"sweep"}
	for _, input := range o.Inputs {
		file, places, err := inside(input)
		if err != nil {
			return nil, nil, nil, err
		}
		args, all = append(args, file), append(all, places...)
	}
	for _, file := range o.Mounted {
		p, err := PlaceOf(file)
		if err != nil {
			return nil, nil, nil, err
		}
		all = append(all, p)
	}
	args = append(args, o.Args...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$(", "$$(") // else the kubelet would put a variable there
	}
	args = append(args, "--shards", strconv.Itoa(o.Shards), "-o", strings.TrimSuffix(out.Path, "/")+"/"+shardFolder, "-q")
	seen := map[string]bool{}
	for _, p := range all {
		at := "/" + p.Kind + "/" + p.Name
		if p.Kind == "s3" || seen[at] {
			continue
		}
		seen[at] = true
		v := corev1.Volume{Name: "files-" + strconv.Itoa(len(volumes))}
		readOnly := true
		if p.Kind == "pvc" {
			readOnly = out.Kind != "pvc" || out.Name != p.Name
			v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: p.Name, ReadOnly: readOnly}
		} else {
			v.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: p.Name}}
		}
		volumes = append(volumes, v)
		mounts = append(mounts, corev1.VolumeMount{Name: v.Name, MountPath: at, ReadOnly: readOnly})
	}
	return args, volumes, mounts, nil
}
