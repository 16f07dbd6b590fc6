package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	resourcehelper "k8s.io/kubernetes/pkg/api/v1/resource"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

// Processes run the container of a pod as a process of this machine, with what a kubelet hands to it: arguments,
// variables and volumes, and nothing else. A program stands for each image, and a folder for each volume; there are no
// mounts, so that in arguments the folder is put in the place of the path where the volume would be mounted.
type Processes struct {
	client   kubernetes.Interface
	programs map[string]string // by image
	folder   string            // of volumes, and of what processes print

	mutex    sync.Mutex
	children map[types.UID]*child
}

// child is the process of a pod.
type child struct {
	pod     *corev1.Pod
	command *exec.Cmd
	gone    chan struct{} // closed when it has ended
}

// NewProcesses has a program for each image. What processes write goes below the folder.
func NewProcesses(client kubernetes.Interface, folder string, programs map[string]string) *Processes {
	return &Processes{client: client, programs: programs, folder: folder, children: map[types.UID]*child{}}
}

// Claim is the folder that stands for the volume of a claim.
func (r *Processes) Claim(name string) string { return filepath.Join(r.folder, "claims", name) }

// Printed is what the process of a pod has printed.
func (r *Processes) Printed(pod string) string {
	text, err := os.ReadFile(r.log(pod))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (r *Processes) log(pod string) string { return filepath.Join(r.folder, "logs", pod+".log") }

// Kill kills the processes of the pods that are chosen, as the system does when memory runs out, and waits for their
// end. It returns how many there were.
func (r *Processes) Kill(chosen func(*corev1.Pod) bool) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	killed := 0
	for _, c := range r.children {
		if c.ended() || !chosen(c.pod) {
			continue
		}
		if c.command.Process.Kill() == nil {
			killed++
		}
		<-c.gone
	}
	return killed
}

// ended reports whether the process has ended.
func (c *child) ended() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// killedCode is the exit code that a kubelet reports of a process which was killed.
const killedCode = 137

// code is the exit code of a process that has ended, as a kubelet reports it.
func (c *child) code() int32 {
	if code := c.command.ProcessState.ExitCode(); code >= 0 {
		return int32(code)
	}
	return killedCode
}

// attend does for a pod what there is to do now: it starts its process, or writes how it ended. The process dies with
// the context.
func (r *Processes) attend(ctx context.Context, p *corev1.Pod) error {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return nil
	}
	c, err := r.started(ctx, p)
	switch {
	case err != nil:
		return fmt.Errorf("the process of %s: %w", p.Name, err)
	case !c.ended() && p.Status.Phase == corev1.PodRunning:
		return nil
	}
	now := metav1.Now()
	if p.Status.StartTime == nil {
		p.Status.StartTime = &now
	}
	state, ready := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}, corev1.ConditionTrue
	p.Status.Phase = corev1.PodRunning
	if c.ended() {
		state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: c.code(), StartedAt: *p.Status.StartTime, FinishedAt: now,
		}}
		p.Status.Phase, ready = corev1.PodSucceeded, corev1.ConditionFalse
		if c.code() != 0 {
			p.Status.Phase = corev1.PodFailed
		}
	}
	setReady(p, ready, now.Time)
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: p.Spec.Containers[0].Name, Image: p.Spec.Containers[0].Image, State: state, Ready: !c.ended(),
	}}
	_, err = r.client.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{})
	return err
}

// started is the process of a pod, which it starts if there was none. A list of pods may be older than a process.
func (r *Processes) started(ctx context.Context, p *corev1.Pod) (*child, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if c := r.children[p.UID]; c != nil {
		return c, nil
	}
	c, err := r.start(ctx, p)
	if err != nil {
		return nil, err
	}
	r.children[p.UID] = c
	return c, nil
}

func (r *Processes) start(ctx context.Context, p *corev1.Pod) (*child, error) {
	of := &p.Spec.Containers[0]
	program, known := r.programs[of.Image]
	switch {
	case !known:
		return nil, fmt.Errorf("no program stands for the image %s", of.Image)
	case len(p.Spec.Containers) > 1 || len(of.Command) > 0:
		return nil, errors.New("it has several containers, or a command of its own")
	}
	variables, err := r.variables(ctx, p)
	if err != nil {
		return nil, err
	}
	mounted, err := r.mounted(ctx, p)
	if err != nil {
		return nil, err
	}
	args := make([]string, len(of.Args))
	for i, a := range of.Args {
		args[i] = mounted.inside(expansion.Expand(a, expansion.MappingFuncFor(variables)))
	}
	c := &child{pod: p.DeepCopy(), command: exec.CommandContext(ctx, program, args...), gone: make(chan struct{})}
	c.command.Env = []string{"TMPDIR=" + mounted.inside("/tmp")}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		c.command.Env = append(c.command.Env, name+"="+variables[name])
	}
	if err := os.MkdirAll(filepath.Dir(r.log(p.Name)), 0o700); err != nil {
		return nil, err
	}
	log, err := os.Create(r.log(p.Name))
	if err != nil {
		return nil, err
	}
	c.command.Dir, c.command.Stdout, c.command.Stderr = r.folder, log, log
	if err := c.command.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		defer close(c.gone)
		_ = c.command.Wait() // its state has how it ended
		_ = log.Close()      // it is complete
	}()
	return c, nil
}

// variables are the environment of a container, by the rules of kubelets.
func (r *Processes) variables(ctx context.Context, p *corev1.Pod) (map[string]string, error) {
	all, c := map[string]string{}, &p.Spec.Containers[0]
	for _, from := range c.EnvFrom {
		if from.SecretRef == nil {
			return nil, errors.New("its variables are from something else than a Secret")
		}
		secret, err := r.client.CoreV1().Secrets(p.Namespace).Get(ctx, from.SecretRef.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for name, value := range secret.Data {
			all[name] = string(value)
		}
	}
	for _, v := range c.Env {
		value, err := expansion.Expand(v.Value, expansion.MappingFuncFor(all)), error(nil)
		switch from := v.ValueFrom; {
		case from == nil:
		case from.FieldRef != nil:
			value, err = fieldpath.ExtractFieldPathAsString(p, from.FieldRef.FieldPath)
		case from.ResourceFieldRef != nil:
			value, err = resourcehelper.ExtractResourceValueByContainerName(from.ResourceFieldRef, p, c.Name)
		default:
			err = errors.New("it is from something that no process here has")
		}
		if err != nil {
			return nil, fmt.Errorf("the variable %s: %w", v.Name, err)
		}
		all[v.Name] = value
	}
	return all, nil
}

// mounts are the folders that stand for volumes, by the paths where these would be mounted.
type mounts map[string]string

// inside is an argument, or a variable, of which paths below a mount are paths below its folder.
func (m mounts) inside(text string) string {
	paths := slices.Sorted(maps.Keys(m))
	for i := range paths {
		paths[i] = regexp.QuoteMeta(paths[i])
	}
	begins := regexp.MustCompile(`(^|[+=,])(` + strings.Join(paths, "|") + `)(/|$)`)
	return begins.ReplaceAllStringFunc(text, func(found string) string {
		part := begins.FindStringSubmatch(found)
		return part[1] + m[part[2]] + part[3]
	})
}

// mounted are the folders for the mounts of a pod, with what belongs into them.
func (r *Processes) mounted(ctx context.Context, p *corev1.Pod) (mounts, error) {
	all := mounts{}
	for _, m := range p.Spec.Containers[0].VolumeMounts {
		at := slices.IndexFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		v := p.Spec.Volumes[at] // the API server takes no mount without its volume
		folder := filepath.Join(r.folder, "pods", p.Name, v.Name)
		content := map[string]string{}
		switch {
		case v.EmptyDir != nil:
		case v.PersistentVolumeClaim != nil:
			folder = r.Claim(v.PersistentVolumeClaim.ClaimName)
		case v.ConfigMap != nil:
			of, err := r.client.CoreV1().ConfigMaps(p.Namespace).Get(ctx, v.ConfigMap.Name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			content = of.Data
		default:
			return nil, fmt.Errorf("no folder stands for the volume %s", v.Name)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		for name, text := range content {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
		all[m.MountPath] = folder
	}
	return all, nil
}
