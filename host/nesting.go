package host

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/schedstep/schedstep/core/framework"
)

// nest is what the scheduler calls in the middle of a call: PodGroupPostFilter has it try the group again, which calls
// plugins of the same instance. All of it runs in the bubble, in the goroutine of the outer call.
type nest struct {
	of      *instance
	entries []*entry
}

// nested is an answer to a plugin for which the scheduler made calls.
type nested struct {
	entries []*entry
	answer  any
}

// tell makes a call in the middle of another call.
func (n *nest) tell(h *home, what string, call func(*instance) any) (any, error) {
	n.of.bubble.alive()
	e := &entry{at: h.around.Now(), what: what, call: call}
	n.entries = append(n.entries, e)
	h.nest = nil
	err := n.of.within(recorder{e, h}, e, func() { e.answer = call(n.of) })
	h.nest = n
	return e.answer, err
}

// within makes a call in the goroutine of the bubble that another call is in, which goes on as before.
func (i *instance) within(s answers, e *entry, f func()) (err error) {
	source, current, asked, pod, waiting, judging := i.source, i.current, i.asked, i.pod, i.waiting, i.judging
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it panicked: " + fmt.Sprintf("%v (%s)", r, panickedAt(string(debug.Stack()))))
		}
		if e != nil && i.pod != nil {
			e.pod = i.pod.Key
		}
		i.source, i.current, i.asked, i.pod, i.waiting, i.judging = source, current, asked, pod, waiting, judging
	}()
	i.source, i.current, i.judging = s, e, nil
	f()
	return nil
}

// inside has the scheduler answer what calls plugins of the instance again.
func inside[A any](i *instance, from func() A) A {
	answer, _ := i.source.inside(i, func() any { return from() }).(A)
	return answer
}

func (r recorder) inside(i *instance, from func() any) any {
	n, shown := &nest{of: i}, i.lister.view
	r.home.nest = n
	answer := from()
	r.home.nest = nil
	i.lister.view = shown
	r.into.heard = append(r.into.heard, nested{n.entries, answer})
	return answer
}

func (r *replayer) inside(i *instance, _ func() any) any {
	was, is := r.hear("", nil).(nested)
	if !is {
		return nil
	}
	shown := i.lister.view
	for _, e := range was.entries {
		if e.broke != "" {
			break
		}
		_ = i.within(&replayer{of: e}, e, func() { e.call(i) })
	}
	i.lister.view = shown
	return was.answer
}

func (nothing) inside(*instance, func() any) any { return nil }

// flat is calls with those that were made within each before it.
func flat(calls []*entry) []*entry {
	var all []*entry
	for _, e := range calls {
		for _, h := range e.heard {
			if n, is := h.(nested); is {
				all = append(all, flat(n.entries)...)
			}
		}
		all = append(all, e)
	}
	return all
}

// Lend has the home look at a copy of the scheduler.
func (h *home) Lend(to framework.Around) (back func()) {
	own := h.around
	h.lookAt(to)
	return func() { h.lookAt(own) }
}

func (h *home) lookAt(around framework.Around) {
	h.around = around
	if h.live != nil && h.live.groups != nil {
		h.live.groups.around = around
	}
}
