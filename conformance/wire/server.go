package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// Serve answers questions until there are no more. An error is one of the pipe; what is wrong with a question is said
// in its reply.
func Serve(in io.Reader, out io.Writer) error {
	lines, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var s server
	defer s.close()
	for {
		var q question
		if err := lines.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("question: %w", err)
		}
		var r reply
		if err := s.answer(&q, &r); err != nil {
			r.Error = err.Error()
		}
		if err := answers.Encode(r); err != nil {
			return fmt.Errorf("reply: %w", err)
		}
	}
}

type server struct {
	oracle *oracle.Oracle
	change oracle.Change
	back   func() // the feature gates as they were
}

func (s *server) close() {
	if s.oracle != nil {
		s.oracle.Close()
		s.oracle = nil
	}
	if s.back != nil {
		s.back()
		s.back = nil
	}
}

func (s *server) answer(q *question, r *reply) error {
	switch {
	case q.Begin != nil:
		return s.begin(q.Begin, r)
	case q.Features:
		r.Features = oracle.Gates()
		return nil
	case q.Known != nil:
		return on(q.Known, func(o runtime.Object) (err error) {
			r.Object, err = json.Marshal(o)
			return err
		})
	case s.oracle == nil:
		return errors.New("there is no cluster yet: begin")
	case q.Put != nil:
		return on(q.Put, func(o runtime.Object) error { return s.oracle.Put(o) })
	case q.Remove != nil:
		return on(q.Remove, func(o runtime.Object) error { return s.oracle.Remove(o) })
	case q.Change != nil:
		return s.changed(q.Change)
	case q.Events != nil:
		return on(q.Events, func(o runtime.Object) error {
			pod, is := o.(*corev1.Pod)
			if !is {
				return fmt.Errorf("events wants a pod, not %T", o)
			}
			r.Events = s.oracle.Events(pod, s.change)
			return nil
		})
	}
	return s.cycle(q, r)
}

// cycle answers what is asked around a scheduling cycle.
func (s *server) cycle(q *question, r *reply) error {
	switch {
	case q.At != nil:
		s.oracle.At(q.At.Cycle, q.At.Now)
	case q.Schedule != "":
		answer, err := s.oracle.Schedule(named(q.Schedule))
		r.Answer = &answer
		return err
	case q.Assume != "":
		return s.oracle.Assume(named(q.Assume), q.Node)
	case q.Bind != "":
		s.oracle.Bind(q.Bind)
	case q.Forget != "":
		return s.oracle.Forget(q.Forget)
	case q.Placed:
		r.Names = s.oracle.Placed()
	case q.Gates != "":
		r.Verdicts = s.oracle.Gates(named(q.Gates))
	case q.Plugins != nil:
		r.Names = s.oracle.Plugins(q.Plugins.Profile, q.Plugins.Point)
	case q.Points != "":
		r.Points = s.oracle.Expansion(q.Points)
	default:
		return errors.New("nothing is asked")
	}
	return nil
}

func (s *server) begin(b *begin, r *reply) error {
	s.close()
	back, err := oracle.SetGates(b.Gates)
	if err != nil {
		return err
	}
	s.back, s.change = back, oracle.Change{}
	if s.oracle, err = oracle.New(nil, oracle.Options{Configuration: b.Configuration}); err != nil {
		return err
	}
	r.Version, r.Hinting = oracle.Version(), s.oracle.Hinting()
	for _, o := range oracle.Kinds() {
		kinds, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			return err
		}
		r.Kinds = append(r.Kinds, kinds[0].GroupVersion().String()+" "+kinds[0].Kind)
	}
	return nil
}

func (s *server) changed(c *change) error {
	s.change = oracle.Change{}
	for _, side := range []struct {
		data object
		into *runtime.Object
	}{{c.Before, &s.change.Before}, {c.After, &s.change.After}} {
		if side.data == nil {
			continue
		}
		if err := on(side.data, func(o runtime.Object) error { *side.into = o; return nil }); err != nil {
			return err
		}
	}
	return nil
}

// named is a pod with a key and nothing else: the oracle looks it up.
func named(key string) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name, _ = strings.Cut(key, "/")
	return pod
}

// on decodes an object for f. One of a version that the release does not know is an error.
func on(data []byte, f func(runtime.Object) error) error {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return err
	}
	return f(object)
}
