package cluster

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Stored is an API object as data of a keyframe.
type Stored struct {
	Kind   Kind            `json:"k"`
	Object json.RawMessage `json:"o"`
	// Nanos has two numbers for each time of the object that is no whole second: which of its times it is, counted from
	// 0, and its nanoseconds. JSON has whole seconds, and a world that acts gives out moments between them.
	Nanos []int `json:"ns,omitempty"`
}

// Packer makes data of what refers to pods and other objects. Every version of a pod is packed once, however many refer
// to it, so that what was one pod is one pod again. The first object that cannot be packed makes all of it invalid.
type Packer struct {
	redact  func(Object) Object
	numbers map[*Pod]int
	pods    []Stored
	err     error
}

// NewPacker packs objects as redact returns them. It must return a copy that knows its kind.
func NewPacker(redact func(Object) Object) *Packer {
	return &Packer{redact: redact, numbers: map[*Pod]int{}}
}

// Pods are those that were packed, by number, and what went wrong so far.
func (p *Packer) Pods() ([]Stored, error) { return p.pods, p.err }

// Pod is the number of a pod.
func (p *Packer) Pod(pod *Pod) int {
	if n, known := p.numbers[pod]; known {
		return n
	}
	n := len(p.pods)
	p.numbers[pod] = n
	p.pods = append(p.pods, p.Object(pod.API))
	return n
}

// podsOf are the numbers of a list of pods.
func (p *Packer) podsOf(pods []*Pod) []int {
	numbers := make([]int, len(pods))
	for i, pod := range pods {
		numbers[i] = p.Pod(pod)
	}
	return numbers
}

// Object packs an object that is no part of a pod.
func (p *Packer) Object(o Object) Stored {
	kind, known := KindOf(o)
	if !known {
		p.fail(fmt.Errorf("%T is of no kind that can be stored", o))
		return Stored{}
	}
	o = p.redact(o)
	text, err := json.Marshal(o)
	if err != nil {
		p.fail(fmt.Errorf("%s %s: %w", kind, Key(o), err))
	}
	s := Stored{Kind: kind, Object: text}
	number := 0
	eachTime(reflect.ValueOf(o), func(t *metav1.Time) {
		if nanos := t.Nanosecond(); nanos != 0 {
			s.Nanos = append(s.Nanos, number, nanos)
		}
		number++
	})
	return s
}

func (p *Packer) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// Unpack is the object again.
func (s Stored) Unpack() (Object, error) {
	row := RowOf(s.Kind)
	if row == nil {
		return nil, fmt.Errorf("kind %q is unknown to this build", s.Kind)
	}
	o := row.Blank()
	if err := json.Unmarshal(s.Object, o); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Kind, err)
	}
	number, rest := 0, s.Nanos
	eachTime(reflect.ValueOf(o), func(t *metav1.Time) {
		if len(rest) > 1 && rest[0] == number {
			t.Time = t.Add(time.Duration(rest[1]))
			rest = rest[2:]
		}
		number++
	})
	if len(rest) > 0 {
		return nil, fmt.Errorf("%s %s: it has only %d times", s.Kind, Key(o), number)
	}
	return o, nil
}

// unpacked is an object of a type that is known.
func unpacked[T Object](s Stored) (T, error) {
	var none T
	o, err := s.Unpack()
	if err != nil {
		return none, err
	}
	typed, is := o.(T)
	if !is {
		return none, fmt.Errorf("%s is stored where %T belongs", s.Kind, none)
	}
	return typed, nil
}

var timeType = reflect.TypeFor[metav1.Time]()

// eachTime calls f with every time of an object that is set, in the order of the fields. Maps hold none.
func eachTime(v reflect.Value, f func(*metav1.Time)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachTime(v.Elem(), f)
		}
	case reflect.Slice:
		if hasTimes(v.Type().Elem()) {
			for i := range v.Len() {
				eachTime(v.Index(i), f)
			}
		}
	case reflect.Struct:
		if v.Type() == timeType {
			if t, is := v.Addr().Interface().(*metav1.Time); is && !t.IsZero() {
				f(t)
			}
			return
		}
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && hasTimes(field.Type) {
				eachTime(v.Field(i), f)
			}
		}
	}
}

// hasTimes reports whether a type can lead to a time.
func hasTimes(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return hasTimes(t.Elem())
	case reflect.Struct:
		return true
	}
	return false
}
