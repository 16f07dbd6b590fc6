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

	"github.com/schedstep/schedstep/conformance/answer"
)

// Release is a kube-scheduler that answers questions.
type Release interface {
	Version() string          // such as "1.37.1"
	Features() []answer.Gate  // with their defaults
	Kinds() ([]string, error) // of the objects that it watches, as APIVERSION KIND
	// Decode reads an object; an error for one of a version that the release does not know.
	Decode(data []byte) (runtime.Object, error)
	// Begin is an empty cluster, with a configuration (nil: the default) and feature gates as NAME=true,...; end has to
	// be called before the next one begins.
	Begin(configuration []byte, gates string) (scheduler Scheduler, end func(), err error)
}

// Scheduler is a kube-scheduler over one cluster.
type Scheduler interface {
	answer.Scheduler
	Expansion(profile string) map[string][]answer.Enabled
}

// Serve answers questions to a release until there are no more. An error is one of the pipe; the reply holds what is
// wrong with a question.
func Serve(release Release, in io.Reader, out io.Writer) error {
	lines, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	s := server{release: release}
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
	release Release
	oracle  Scheduler
	change  answer.Change
	end     func() // the cluster that is there
}

func (s *server) close() {
	if s.end != nil {
		s.end()
	}
	s.oracle, s.end = nil, nil
}

func (s *server) answer(q *question, r *reply) error {
	switch {
	case q.Begin != nil:
		return s.begin(q.Begin, r)
	case q.Features:
		r.Features = s.release.Features()
		return nil
	case q.Known != nil:
		return s.on(q.Known, func(o runtime.Object) (err error) {
			r.Object, err = json.Marshal(o)
			return err
		})
	case s.oracle == nil:
		return errors.New("there is no cluster yet: begin")
	case q.Put != nil:
		return s.on(q.Put, func(o runtime.Object) error { return s.oracle.Put(o) })
	case q.Remove != nil:
		return s.on(q.Remove, func(o runtime.Object) error { return s.oracle.Remove(o) })
	case q.Change != nil:
		return s.changed(q.Change)
	case q.Events != nil:
		return s.on(q.Events, func(o runtime.Object) error {
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

// cycle answers the questions around a scheduling cycle.
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

func (s *server) begin(b *begin, r *reply) (err error) {
	s.close()
	s.change = answer.Change{}
	if s.oracle, s.end, err = s.release.Begin(b.Configuration, b.Gates); err != nil {
		s.oracle, s.end = nil, nil
		return err
	}
	r.Version, r.Hinting = s.release.Version(), s.oracle.Hinting()
	r.Kinds, err = s.release.Kinds()
	return err
}

func (s *server) changed(c *change) error {
	s.change = answer.Change{}
	for _, side := range []struct {
		data object
		into *runtime.Object
	}{{c.Before, &s.change.Before}, {c.After, &s.change.After}} {
		if side.data == nil {
			continue
		}
		if err := s.on(side.data, func(o runtime.Object) error { *side.into = o; return nil }); err != nil {
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
func (s *server) on(data []byte, f func(runtime.Object) error) error {
	object, err := s.release.Decode(data)
	if err != nil {
		return err
	}
	return f(object)
}
