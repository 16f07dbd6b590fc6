package scenario

import (
	"context"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// manifests reads the block of a yaml command. All of it must be understood: a scenario is written by hand.
func manifests(c *call) ([]importer.Object, []problem) {
	if len(c.block) == 0 {
		return nil, []problem{{c.line, "yaml wants manifests below it, indented"}}
	}
	text := strings.Join(c.block, "\n") + "\n"
	dump, err := importer.Read(context.Background(), []string{"-"}, importer.Options{
		Streams: map[string]io.Reader{"-": strings.NewReader(text)}, Format: importer.YAML, Workers: 1,
		Custom: config.HaveGuests(c.plugins),
	})
	if err != nil {
		return nil, []problem{{c.first, phrase.OnOneLine(err)}}
	}
	var wrong []problem
	for _, p := range dump.Problems {
		if p.Severity != importer.Notice {
			wrong = append(wrong, problem{c.first, phrase.OnOneLine(p)})
		}
	}
	for _, left := range dump.Left {
		if !strings.HasPrefix(left.What, "LimitRange") {
			wrong = append(wrong, problem{c.first, phrase.Textf("nothing here reads %s", left.String())})
		}
	}
	if len(dump.Configs) > 0 {
		wrong = append(wrong, problem{c.first, "a scheduler configuration belongs below config"})
	}
	if len(dump.Objects) == 0 && len(wrong) == 0 {
		wrong = append(wrong, problem{c.first, "there is no object in it"})
	}
	return dump.Objects, wrong
}

// manifests carries out a yaml command.
func (r *run) manifests(verb cluster.Action, objects []importer.Object) error {
	for _, from := range objects {
		api := from.Object.GetObjectKind().GroupVersionKind().Kind
		o, is := from.Object.DeepCopyObject().(cluster.Object)
		if !is {
			return phrase.Errorf("a %s is nothing the API serves", api)
		}
		known, reads := cluster.KindOf(o)
		if !reads && decides(api) {
			r.deciding = append(r.deciding[:len(r.deciding):len(r.deciding)], importer.Object{Object: o})
			continue
		}
		if !reads {
			return phrase.Errorf("the scheduler does not read a %s", api)
		}
		if err := r.manifest(verb, string(known), o); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) manifest(verb cluster.Action, api string, o cluster.Object) error {
	if o.GetNamespace() == "" && isNamespaced(o) {
		o.SetNamespace(metav1.NamespaceDefault)
	}
	old, exists := r.objects[identity(api, cluster.Key(o))]
	switch {
	case exists && verb == cluster.Add:
		return phrase.Errorf("%s %s exists already (want yaml update)", api, cluster.Key(o))
	case !exists && verb != cluster.Add:
		return phrase.Errorf("there is no %s %s", api, cluster.Key(o))
	case verb == cluster.Delete:
		r.deliver(cluster.Event{Action: verb, Object: old})
		return nil
	}
	o, err := r.admit(o, api)
	if err != nil {
		return err
	}
	if exists {
		o.SetUID(old.GetUID())
		o.SetCreationTimestamp(old.GetCreationTimestamp())
	}
	runOnNode(o, r.scheduler().Now())
	if p, is := o.(*corev1.Pod); is && len(p.Spec.Containers) == 0 {
		return phrase.Errorf("pod %s has no container", cluster.Key(o))
	}
	r.deliver(cluster.Event{Action: verb, Object: o})
	return nil
}

// isNamespaced reports whether objects of its kind have a namespace.
func isNamespaced(o cluster.Object) bool {
	kind, _ := cluster.KindOf(o)
	switch kind {
	case cluster.KindPod, cluster.KindService, cluster.KindReplicationController, cluster.KindReplicaSet,
		cluster.KindStatefulSet, cluster.KindDisruptionBudget, cluster.KindVolumeClaim, cluster.KindCSIStorageCapacity,
		cluster.KindResourceClaim, cluster.KindPodGroup:
		return true
	}
	return false
}
