// Package wire speaks with the oracle of another release of kube-scheduler, which cannot be linked with this one: a
// program of its own that answers on lines of JSON. It knows how to carry questions and answers, and not what they
// mean.
package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/schedstep/schedstep/conformance/oracle"
)

// question is a line to the oracle: one field beside Object is set.
type question struct {
	Begin    bool            `json:"begin,omitempty"`    // a cluster with nothing in it; the default configuration
	Put      json.RawMessage `json:"put,omitempty"`      // an object with its apiVersion and kind
	Remove   json.RawMessage `json:"remove,omitempty"`   // the same
	Schedule json.RawMessage `json:"schedule,omitempty"` // a pod that was put
}

// reply is a line from it, one for each question.
type reply struct {
	Error  string         `json:"error,omitempty"`
	Answer *oracle.Answer `json:"answer,omitempty"`
}

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

type server struct{ oracle *oracle.Oracle }

func (s *server) close() {
	if s.oracle != nil {
		s.oracle.Close()
	}
}

func (s *server) answer(q *question, r *reply) error {
	if q.Begin {
		s.close()
		var err error
		s.oracle, err = oracle.New(nil, oracle.Options{})
		return err
	}
	if s.oracle == nil {
		return fmt.Errorf("there is no cluster yet: begin")
	}
	switch {
	case q.Put != nil:
		return on(q.Put, func(o runtime.Object) error { return s.oracle.Put(o) })
	case q.Remove != nil:
		return on(q.Remove, func(o runtime.Object) error { return s.oracle.Remove(o) })
	case q.Schedule != nil:
		return on(q.Schedule, func(o runtime.Object) error {
			pod, is := o.(*corev1.Pod)
			if !is {
				return fmt.Errorf("schedule wants a pod, not %T", o)
			}
			answer, err := s.oracle.Schedule(pod)
			r.Answer = &answer
			return err
		})
	}
	return fmt.Errorf("nothing is asked")
}

// on decodes an object for f. One of a version that the release does not know is an error.
func on(data []byte, f func(runtime.Object) error) error {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return err
	}
	return f(object)
}
