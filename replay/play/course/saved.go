package course

import (
	"bytes"
	"encoding/json"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/owner"
	"github.com/schedstep/schedstep/replay/play/request"
)

// saved is a course in a file. Names stay the same.
type saved struct {
	Goal      string           `json:"goal"`
	Steps     []Step           `json:"steps,omitempty"`
	Ready     time.Duration    `json:"ready"`
	Stop      time.Duration    `json:"stop"`
	Times     int              `json:"times"`
	Workloads []cluster.Stored `json:"workloads,omitempty"`
	Acts      []savedAct       `json:"acts"`
	Ends      time.Duration    `json:"ends"`
}

type savedAct struct {
	Until   time.Duration    `json:"until"`
	Wait    bool             `json:"wait,omitempty"`
	Says    []Said           `json:"says,omitempty"`
	Request *request.Request `json:"request,omitempty"`
	Add     []cluster.Stored `json:"add,omitempty"`
	Silence []string         `json:"silence,omitempty"`
	Delete  []string         `json:"delete,omitempty"`
}

// Save writes the course as data, with the objects as redact returns them.
func (c *Course) Save(redact func(cluster.Object) cluster.Object) ([]byte, error) {
	all := saved{
		Goal: c.Goal, Steps: c.Steps, Ready: c.Timing.Ready, Stop: c.Timing.Stop, Times: c.Timing.Times, Ends: c.Ends,
	}
	for _, o := range c.Workloads {
		kept, err := storedWorkload(o, redact)
		if err != nil {
			return nil, err
		}
		all.Workloads = append(all.Workloads, kept)
	}
	packer := cluster.NewPacker(redact)
	for i := range c.Acts {
		a := &c.Acts[i]
		of := savedAct{
			Until: a.Until, Wait: a.Wait, Says: a.Says, Request: a.Request, Silence: a.Silence, Delete: a.Delete,
		}
		for _, o := range a.Add {
			of.Add = append(of.Add, packer.Object(o))
		}
		all.Acts = append(all.Acts, of)
	}
	if _, err := packer.Pods(); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// storedWorkload is an object that no scheduler reads, as data: what it makes pods from is redacted as that of a
// ReplicaSet is.
func storedWorkload(o cluster.Object, redact func(cluster.Object) cluster.Object) (cluster.Stored, error) {
	kept, is := o.DeepCopyObject().(cluster.Object)
	if !is {
		return cluster.Stored{}, phrase.Errorf("%T is no object of the API", o)
	}
	kept.SetAnnotations(nil)
	kept.SetManagedFields(nil)
	template := func(t *corev1.PodTemplateSpec) {
		if rs, is := redact(&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Template: *t}}).(*appsv1.ReplicaSet); is {
			*t = rs.Spec.Template
		}
	}
	var kind cluster.Kind
	switch w := kept.(type) {
	case *appsv1.Deployment:
		kind = owner.KindDeployment
		template(&w.Spec.Template)
	case *appsv1.DaemonSet:
		kind = owner.KindDaemonSet
		template(&w.Spec.Template)
	case *batchv1.Job:
		kind = owner.KindJob
		template(&w.Spec.Template)
	case *corev1.ResourceQuota:
		kind = request.KindQuota
	default:
		return cluster.Stored{}, phrase.Errorf("%T is no workload that can be saved", o)
	}
	text, err := json.Marshal(kept)
	return cluster.Stored{Kind: kind, Object: text}, err
}

// Read is the course that Save has written.
func Read(text []byte) (*Course, error) {
	var all saved
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, phrase.Errorf("the course of a plan: %w", err)
	}
	c := &Course{
		Goal: all.Goal, Steps: all.Steps, Ends: all.Ends,
		Timing: manager.Timing{Ready: all.Ready, Stop: all.Stop, Times: all.Times},
	}
	for _, s := range all.Workloads {
		o, err := workload(s)
		if err != nil {
			return nil, err
		}
		c.Workloads = append(c.Workloads, o)
	}
	for i := range all.Acts {
		of := &all.Acts[i]
		a := Act{
			Until: of.Until, Wait: of.Wait, Says: of.Says, Request: of.Request, Silence: of.Silence, Delete: of.Delete,
		}
		for _, s := range of.Add {
			o, err := s.Unpack()
			if err != nil {
				return nil, phrase.Errorf("the course of a plan: %w", err)
			}
			a.Add = append(a.Add, o)
		}
		c.Acts = append(c.Acts, a)
	}
	return c, nil
}

// workload is an object that no scheduler reads.
func workload(s cluster.Stored) (cluster.Object, error) {
	var o cluster.Object
	switch s.Kind {
	case owner.KindDeployment:
		o = &appsv1.Deployment{}
	case owner.KindDaemonSet:
		o = &appsv1.DaemonSet{}
	case owner.KindJob:
		o = &batchv1.Job{}
	case request.KindQuota:
		o = &corev1.ResourceQuota{}
	default:
		return nil, phrase.Errorf("the course of a plan: kind %q is unknown to this build", s.Kind)
	}
	if err := json.Unmarshal(s.Object, o); err != nil {
		return nil, phrase.Errorf("the course of a plan: %s: %w", s.Kind, err)
	}
	return o, nil
}
