package live

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Own is what a cluster shows of its own kube-scheduler.
type Own struct {
	Pod    string      // namespace/name; "": the cluster shows none
	Gates  string      // its --feature-gates
	Config []byte      // its KubeSchedulerConfiguration; nil: it has none, or Hidden explains why it cannot be read
	From   string      // where Config was found
	Hidden phrase.Text // why its configuration cannot be read, as the end of a sentence; "": it can, or there is none
}

const (
	systemNamespace = "kube-system"
	schedulerName   = "kube-scheduler"
)

// OwnScheduler looks in kube-system for the pod of kube-scheduler, as kubeadm and others run it, and reads its
// arguments, and its configuration when that is in a config map. Where the user may not read them, the result is empty.
func (c *Cluster) OwnScheduler(ctx context.Context) (Own, error) {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	client, err := c.client(corev1.SchemeGroupVersion)
	if err != nil {
		return Own{}, err
	}
	var pods corev1.PodList
	err = client.Get().Namespace(systemNamespace).Resource("pods").
		VersionedParams(&metav1.ListOptions{}, parameters).Do(ctx).Into(&pods)
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return Own{}, nil
	case err != nil:
		return Own{}, c.sentence(err)
	}
	i := slices.IndexFunc(pods.Items, func(p corev1.Pod) bool {
		return p.Labels["component"] == schedulerName || strings.HasPrefix(p.Name, schedulerName+"-")
	})
	if i < 0 {
		return Own{}, nil
	}
	return c.ownOf(ctx, &pods.Items[i]), nil
}

func (c *Cluster) ownOf(ctx context.Context, p *corev1.Pod) Own {
	own := Own{Pod: p.Namespace + "/" + p.Name}
	for i := range p.Spec.Containers {
		at := &p.Spec.Containers[i]
		words := slices.Concat(at.Command, at.Args)
		if own.Gates == "" {
			own.Gates = argument(words, "feature-gates")
		}
		if file := argument(words, "config"); file != "" {
			own.Config, own.From, own.Hidden = c.mounted(ctx, p, at, file)
		}
	}
	return own
}

// argument is the value of a flag; "" when it is not given.
func argument(words []string, flag string) string {
	for i, word := range words {
		name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case name != flag || !strings.HasPrefix(word, "-"):
		case given:
			return value
		case i+1 < len(words):
			return words[i+1]
		}
	}
	return ""
}

// mounted is a file of a container, when it is one of a config map.
func (c *Cluster) mounted(
	ctx context.Context, p *corev1.Pod, in *corev1.Container, file string,
) (text []byte, from string, hidden phrase.Text) {
	for _, mount := range in.VolumeMounts {
		inside, is := strings.CutPrefix(path.Clean(file), path.Clean(mount.MountPath))
		if !is {
			continue
		}
		v := slices.IndexFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		if v < 0 || p.Spec.Volumes[v].ConfigMap == nil {
			continue
		}
		source := p.Spec.Volumes[v].ConfigMap
		key := strings.Trim(inside, "/")
		if mount.SubPath != "" {
			key = mount.SubPath
		}
		for _, item := range source.Items {
			if item.Path == key {
				key = item.Key
				break
			}
		}
		return c.configMap(ctx, p.Namespace, source.Name, key)
	}
	return nil, "", phrase.Textf("its --config is %s, a file of the node", file)
}

func (c *Cluster) configMap(
	ctx context.Context, namespace, name, key string,
) (text []byte, from string, hidden phrase.Text) {
	client, err := c.client(corev1.SchemeGroupVersion)
	if err != nil {
		return nil, "", phrase.OnOneLine(err)
	}
	var m corev1.ConfigMap
	at := fmt.Sprintf("config map %s/%s", namespace, name)
	if err := client.Get().Namespace(namespace).Resource("configmaps").Name(name).Do(ctx).Into(&m); err != nil {
		return nil, "", phrase.Textf("its --config is in the %s: %s", at, c.reason(err))
	}
	if m.Data[key] == "" {
		return nil, "", phrase.Textf("its --config is to be in the %s, which has no %s", at, key)
	}
	return []byte(m.Data[key]), at + ", " + key, ""
}
