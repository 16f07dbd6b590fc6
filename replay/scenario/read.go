package scenario

import (
	"strconv"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// objectOf reads KIND NAME.
func objectOf(all []kind, c *call) (k *kind, namespace, name string, rest []token, wrong []problem) {
	names, rest, wrong := named(c, 2)
	if len(wrong) > 0 {
		return nil, "", "", nil, wrong
	}
	known := make([]string, len(all))
	for i := range all {
		known[i] = all[i].name
		if all[i].name == names[0] {
			k = &all[i]
		}
	}
	if k == nil {
		near := spelling.Hint(names[0], known)
		what := phrase.Textf("unknown kind %q%s; yaml %s takes every kind", names[0], near, c.name)
		return nil, "", "", nil, []problem{{c.line, what}}
	}
	namespace, name, err := k.split(names[1])
	if err != nil {
		return nil, "", "", nil, []problem{{c.line, phrase.OfError(err)}}
	}
	return k, namespace, name, rest, nil
}

func readUpdate(all []kind) func(*call) (action, []problem) {
	return func(c *call) (action, []problem) {
		k, namespace, name, count, rest, wrong := objectsOf(all, c)
		if len(wrong) > 0 {
			return nil, wrong
		}
		change, wrong := k.read(rest)
		return func(r *run) error { return r.update(k, namespace, name, count, change) }, wrong
	}
}

func readDelete(all []kind) func(*call) (action, []problem) {
	return func(c *call) (action, []problem) {
		k, namespace, name, count, rest, wrong := objectsOf(all, c)
		if len(wrong) > 0 {
			return nil, wrong
		}
		return func(r *run) error { return r.remove(k, namespace, name, count) }, nothingLeft(rest)
	}
}

// objectsOf is objectOf, and how many objects of such names a command is about.
func objectsOf(
	all []kind, c *call,
) (k *kind, namespace, name string, count int, rest []token, wrong []problem) {
	k, namespace, name, rest, wrong = objectOf(all, c)
	if len(wrong) > 0 {
		return k, namespace, name, 0, nil, wrong
	}
	count, rest, err := counted(rest)
	if err != nil {
		wrong = []problem{{c.line, phrase.OfError(err)}}
	}
	return k, namespace, name, count, rest, wrong
}

func readYAML(c *call) (action, []problem) {
	verb := cluster.Add
	switch {
	case len(c.words) == 0:
	case c.words[0].text == "update":
		verb = cluster.Update
	case c.words[0].text == "delete":
		verb = cluster.Delete
	default:
		return nil, []problem{{c.line, phrase.Textf("unknown word %q (want update, delete or nothing)", c.words[0].text)}}
	}
	objects, wrong := manifests(c)
	if len(c.words) > 1 {
		wrong = append(wrong, nothingLeft(c.words[1:])...)
	}
	return func(r *run) error { return r.manifests(verb, objects) }, wrong
}

func readAdvance(c *call) (action, []problem) {
	names, rest, wrong := named(c, 1)
	if len(wrong) > 0 {
		return nil, []problem{{c.line, "advance wants a length of time (10s, 5m30s)"}}
	}
	d, err := duration(names[0])
	if err != nil {
		return nil, []problem{{c.line, phrase.OfError(err)}}
	}
	return func(r *run) error { r.advance(d); return nil }, nothingLeft(rest)
}

func scheduleMany(r *run, text string) error {
	n := 1
	if text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n > most {
			return phrase.Errorf("%q is no number of cycles from 1 to %d", text, most)
		}
	}
	for range n {
		more, err := r.schedule()
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	return nil
}

func runFor(r *run, text string) error {
	var d time.Duration
	if text != "" {
		var err error
		if d, err = duration(text); err != nil {
			return err
		}
	}
	return r.runFor(d)
}

func readExpect(c *call) (action, []problem) {
	names, rest, wrong := named(c, 2)
	if len(wrong) > 0 {
		return nil, wrong
	}
	where := names[1]
	want := ""
	switch {
	case where == "nowhere":
	case (where == "on" || where == "in") && len(rest) > 0:
		want, rest = rest[0].text, rest[1:]
	default:
		return nil, []problem{{c.line, "want: expect POD on NODE, in QUEUE, or nowhere"}}
	}
	if where == "in" {
		if _, known := queueNames[want]; !known {
			return nil, []problem{
				{c.line, phrase.Textf("unknown queue %q (want active, backoff, unschedulable, gated or flight)", want)},
			}
		}
	}
	return func(r *run) error { return r.expect(names[0], where, want) }, nothingLeft(rest)
}
