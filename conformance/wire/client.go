package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/schedstep/schedstep/conformance/answer"
)

// Program is an oracle that runs in a process of its own.
type Program struct {
	process *exec.Cmd
	in      io.WriteCloser
	lines   *json.Encoder
	replies *json.Decoder
	broken  error // the first error of the pipe
}

// Start runs a program that Serve answers in.
func Start(ctx context.Context, path string) (*Program, error) {
	p := &Program{process: exec.CommandContext(ctx, path)}
	p.process.Stderr = os.Stderr
	in, err := p.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.lines, p.replies = in, json.NewEncoder(in), json.NewDecoder(out)
	return p, p.process.Start()
}

// Close ends the program.
func (p *Program) Close() error { return errors.Join(p.broken, p.in.Close(), p.process.Wait()) }

// Features lists the feature gates of the release, with their defaults.
func (p *Program) Features() ([]answer.Gate, error) {
	r, err := p.ask(question{Features: true})
	return r.Features, err
}

// Known is an object as the release stores it, without the fields that it does not know; false for an object whose kind
// it has in no or in another version.
func (p *Program) Known(o runtime.Object) (stored runtime.Object, known bool, err error) {
	data, err := encoded(o)
	if err != nil {
		return nil, false, err
	}
	r, err := p.ask(question{Known: data})
	if p.broken != nil {
		return nil, false, p.broken
	}
	if err != nil {
		return nil, false, nil
	}
	stored = reflect.New(reflect.TypeOf(o).Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(r.Object, stored); err != nil {
		return nil, false, err
	}
	stored.GetObjectKind().SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
	return stored, true, nil
}

// Begin is an empty cluster in place of the one before it: kube-scheduler with a configuration (nil: its default) and
// feature gates, as NAME=true,...
func (p *Program) Begin(configuration []byte, gates string) (*Oracle, error) {
	r, err := p.ask(question{Begin: &begin{Configuration: configuration, Gates: gates}})
	if err != nil {
		return nil, err
	}
	return &Oracle{program: p, version: r.Version, kinds: r.Kinds, hinting: r.Hinting, names: map[plugins][]string{}}, nil
}

// ask sends one question and reads its reply.
func (p *Program) ask(q question) (reply, error) {
	var r reply
	if p.broken != nil {
		return r, p.broken
	}
	if err := p.lines.Encode(q); err != nil {
		p.broken = fmt.Errorf("oracle: %w", err)
	} else if err := p.replies.Decode(&r); err != nil {
		p.broken = fmt.Errorf("oracle: %w", err)
	}
	if p.broken != nil {
		return r, p.broken
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// Oracle is an oracle.Oracle in another process. When the pipe is broken and a method cannot return an error, the next
// one that can returns it.
type Oracle struct {
	program *Program
	version string
	kinds   []string
	hinting bool
	change  answer.Change // that the program got last
	names   map[plugins][]string
}

// Close leaves the program to the next Begin.
func (o *Oracle) Close() {}

// Put is oracle.Oracle.Put. Objects of kinds that the release does not read are passed over.
func (o *Oracle) Put(objects ...runtime.Object) error {
	return o.each(objects, func(data []byte) question { return question{Put: data} })
}

// Remove is oracle.Oracle.Remove.
func (o *Oracle) Remove(objects ...runtime.Object) error {
	return o.each(objects, func(data []byte) question { return question{Remove: data} })
}

func (o *Oracle) each(objects []runtime.Object, asked func([]byte) question) error {
	for _, object := range objects {
		kind, err := kindOf(object)
		if err != nil {
			return err
		}
		if !slices.Contains(o.kinds, kind.APIVersion+" "+kind.Kind) {
			continue
		}
		data, err := encoded(object)
		if err != nil {
			return err
		}
		if _, err := o.program.ask(asked(data)); err != nil {
			return err
		}
	}
	return nil
}

// At is oracle.Oracle.At.
func (o *Oracle) At(cycle int64, now time.Time) {
	o.answer(question{At: &at{cycle, now}})
}

// Schedule is oracle.Oracle.Schedule.
func (o *Oracle) Schedule(pod *corev1.Pod) (answer.Answer, error) {
	r, err := o.program.ask(question{Schedule: key(pod)})
	if err != nil {
		return answer.Answer{}, err
	}
	return *r.Answer, nil
}

// Assume is oracle.Oracle.Assume.
func (o *Oracle) Assume(pod *corev1.Pod, node string) error {
	_, err := o.program.ask(question{Assume: key(pod), Node: node})
	return err
}

// Bind is oracle.Oracle.Bind.
func (o *Oracle) Bind(key string) { o.answer(question{Bind: key}) }

// Forget is oracle.Oracle.Forget.
func (o *Oracle) Forget(key string) error {
	_, err := o.program.ask(question{Forget: key})
	return err
}

// Placed is oracle.Oracle.Placed.
func (o *Oracle) Placed() []string { return o.answer(question{Placed: true}).Names }

// Gates is oracle.Oracle.Gates.
func (o *Oracle) Gates(pod *corev1.Pod) []answer.Verdict {
	return o.answer(question{Gates: key(pod)}).Verdicts
}

// Version is linked.Version of the program.
func (o *Oracle) Version() string { return o.version }

// Hinting is oracle.Oracle.Hinting.
func (o *Oracle) Hinting() bool { return o.hinting }

// Events is oracle.Oracle.Events.
func (o *Oracle) Events(pod *corev1.Pod, c answer.Change) []answer.Event {
	if c != o.change {
		var sides change
		for _, side := range []struct {
			object runtime.Object
			into   *object
		}{{c.Before, &sides.Before}, {c.After, &sides.After}} {
			if side.object != nil {
				*side.into, _ = encoded(side.object)
			}
		}
		o.answer(question{Change: &sides})
		o.change = c
	}
	data, err := encoded(pod)
	if err != nil {
		return nil
	}
	return o.answer(question{Events: data}).Events
}

// Plugins is oracle.Oracle.Plugins.
func (o *Oracle) Plugins(profile, point string) []string {
	asked := plugins{profile, point}
	if _, known := o.names[asked]; !known {
		o.names[asked] = o.answer(question{Plugins: &asked}).Names
	}
	return o.names[asked]
}

// Expansion is oracle.Oracle.Expansion.
func (o *Oracle) Expansion(profile string) map[string][]answer.Enabled {
	return o.answer(question{Points: profile}).Points
}

// answer is the reply to a question that only a broken pipe leaves unanswered.
func (o *Oracle) answer(q question) reply {
	r, err := o.program.ask(q)
	if err != nil && o.program.broken == nil {
		o.program.broken = err
	}
	return r
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

// kindOf is the apiVersion and kind of an object's Go type.
func kindOf(o runtime.Object) (runtime.TypeMeta, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return runtime.TypeMeta{}, err
	}
	return runtime.TypeMeta{APIVersion: kinds[0].GroupVersion().String(), Kind: kinds[0].Kind}, nil
}

// encoded is an object with the apiVersion and kind of its Go type, where it lacks one of them itself.
func encoded(o runtime.Object) ([]byte, error) {
	if is := o.GetObjectKind().GroupVersionKind(); is.Kind == "" || is.Version == "" {
		kind, err := kindOf(o)
		if err != nil {
			return nil, err
		}
		o = o.DeepCopyObject()
		o.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind())
	}
	return json.Marshal(o)
}
