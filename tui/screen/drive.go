package screen

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/tui/command"
)

// Driver carries out in the cluster the requests of the session's scheduler. Only Prepare and what it returns may
// block.
type Driver struct {
	Hold    func(on bool)    // keeps requests from the cluster, or no longer does
	Held    func() []string  // the requests that are kept, in words
	Release func()           // sends them
	Refuse  func(why string) // drops them, as a cluster that refuses
	// Prepare makes the request that binds a pod to a node whatever the plugins decide, in words, and the function that
	// sends it.
	Prepare func(ctx context.Context, pod, node string) (request string, send func() error, err error)
}

// driver is nil when nothing is written.
func (a *app) driver() *Driver {
	if a.options.Live == nil {
		return nil
	}
	return a.options.Live.Driver
}

// holdWhileStepping has the cluster wait for the person, unless the scheduler is to go on by itself.
func (a *app) holdWhileStepping() {
	if d := a.driver(); d != nil {
		d.Hold(!a.following && !a.running)
	}
}

// askAboutWrites shows the requests of the last steps that were not sent.
func (a *app) askAboutWrites() {
	d := a.driver()
	if d == nil || a.popup != nil || a.running || a.job != nil {
		return
	}
	if held := d.Held(); len(held) > 0 {
		title := a.language.Say("Not sent yet: %s", a.language.Count(len(held), "request"))
		a.popup = &choice{reader: newPage(command.Page{Title: title, Lines: held}), keys: []answer{
			{"y", "send", func(a *app) tea.Cmd { d.Release(); a.say(a.language.Of("sent")); return nil }},
			{"n", "refuse", func(a *app) tea.Cmd {
				d.Refuse("refused by the user")
				a.say(a.language.Of("refused"))
				return nil
			}},
			{"esc", "later", func(a *app) tea.Cmd {
				a.say(a.language.Of("nothing was sent; the next step asks again"))
				return nil
			}},
		}}
	}
}

// answer is a key that closes a choice.
type answer struct {
	key, does string
	act       func(*app) tea.Cmd
}

// choice is a popup of text with several answers.
type choice struct {
	*reader
	keys []answer
}

func (c *choice) hints() []hint {
	var all []hint
	for _, k := range c.keys {
		all = append(all, hint{k.key, k.does})
	}
	return append(all, hint{"up/down", "scroll"})
}

func (c *choice) click(*app, int, int) tea.Cmd { return nil }

func (c *choice) key(a *app, msg tea.KeyPressMsg) tea.Cmd {
	pressed := msg.String()
	if i := slices.IndexFunc(c.keys, func(k answer) bool { return k.key == pressed }); i >= 0 {
		a.popup = nil
		return c.keys[i].act(a)
	}
	if !c.scroll(pressed) {
		a.refuse(a.language.Say("%s is no answer", pressed))
	}
	return nil
}

// ask opens the popup of a question. A pod that is bound by hand may be bound in the cluster too, when the screen has a
// driver.
func (a *app) ask(q command.Question) tea.Cmd {
	a.pending = nil
	line := strings.Fields(q.Yes)
	if a.options.Live == nil || len(line) < 3 || line[0] != "bind" {
		a.popup = newQuestion(q)
		return nil
	}
	d := a.driver()
	if d == nil {
		q.Lines = append(slices.Clip(q.Lines), a.language.Of("In the cluster itself only attach --drive binds."))
		a.popup = newQuestion(q)
		return nil
	}
	return func() tea.Msg {
		p := prepared{question: q}
		p.request, p.send, p.err = d.Prepare(a.ctx, line[1], line[2])
		return p
	}
}

// prepared is a manual binding that can be sent.
type prepared struct {
	question command.Question
	request  string
	send     func() error
	err      error
}

// openPrepared opens the question where to bind the pod: in the cluster or on a branch.
func (a *app) openPrepared(p prepared) {
	if p.err != nil {
		a.refuse(a.language.Error(p.err))
		return
	}
	page := p.question.Page
	page.Lines = append(slices.Clip(page.Lines), "", a.language.Of("In the cluster:"), p.request)
	a.popup = &choice{reader: newPage(page), keys: []answer{
		{"c", a.language.Of("bind in the cluster"), func(*app) tea.Cmd {
			return func() tea.Msg { return sentByHand{p.question.Title, p.send()} }
		}},
		{"y", a.language.Of("on a branch"), func(a *app) tea.Cmd { return a.do(p.question.Yes) }},
		{"n", "no", func(a *app) tea.Cmd { a.say(a.language.Of("nothing was done")); return nil }},
		{"esc", "no", func(a *app) tea.Cmd { a.say(a.language.Of("nothing was done")); return nil }},
	}}
}

// sentByHand is the result of a manual binding.
type sentByHand struct {
	what string
	err  error
}

func (a *app) tellSent(s sentByHand) {
	if s.err != nil {
		a.refuse(a.language.Say("not bound: %s", s.err))
		return
	}
	a.say(a.language.Say("%s: done", strings.TrimSuffix(s.what, "?")))
}
