// Package course is what was done to a managed cluster from outside during a plan, as data: requests in their order,
// and what the cluster was left to do before each. A player that follows a course takes the steps that the plan took.
// It plans nothing and judges nothing.
package course

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/play/request"
)

// Course is what is done, in order, by a clock that begins when the course does. The zero value does nothing.
type Course struct {
	Goal      string           // "drain n1"
	Steps     []Step           // of the plan
	Timing    manager.Timing   // of the controllers
	Workloads []cluster.Object // that no scheduler reads
	Acts      []Act
	Ends      time.Duration // what comes later is not done

	waits []waiting // steps that are printed before they are carried out
}

// Step is a step of the plan as its report has it.
type Step struct {
	Command phrase.Text `json:"command"`
	After   float64     `json:"after"` // seconds of virtual time after the start
	Comes   []Landing   `json:"comes,omitempty"`
	Refused phrase.Text `json:"refused,omitempty"`
}

// Landing is a pod that a step has moved, and where it comes to in the run that the course is of.
type Landing struct {
	Pod  string `json:"pod"`
	Node string `json:"node,omitempty"` // "": it has no node
	// Sure is "certain", or why another run shows another node; Among are the nodes of all runs then.
	Sure  string   `json:"sure"`
	Among []string `json:"among,omitempty"`
}

// Act is one thing that is done at one moment. At most one of Request, Add and Delete is there; without any nothing is
// done but waiting.
type Act struct {
	Until   time.Duration    // everything is done first that is due up to this moment; negative: nothing is waited for
	Wait    bool             // the clock goes on to that moment in any case
	Says    []Said           // the steps of the plan that it carries out
	Request *request.Request // that is sent to the API server, which may refuse it
	Add     []cluster.Object // that join: nodes with their drivers, or pods
	Silence []string         // nodes whose kubelets are silent from now on
	Delete  []string         // nodes whose objects are deleted
}

// Said is a step of the plan.
type Said struct {
	Number  int         `json:"number"`
	Command phrase.Text `json:"command"`
	Refused phrase.Text `json:"refused,omitempty"` // without a request to the API server
}

// Until notes that everything is done up to a moment after the start.
func (c *Course) Until(at time.Duration, wait bool) {
	if n := len(c.Acts); n > 0 && c.Acts[n-1].isEmpty() && c.Acts[n-1].Until == at && !c.Acts[n-1].Wait {
		c.Acts[n-1].Wait = wait
		return
	}
	c.Acts = append(c.Acts, Act{Until: at, Wait: wait})
}

// Do notes an act that follows what was done until now.
func (c *Course) Do(a Act) {
	a.Until = -1
	if n := len(c.Acts); n > 0 && c.Acts[n-1].isEmpty() {
		a.Until, a.Wait = c.Acts[n-1].Until, c.Acts[n-1].Wait
		c.Acts = c.Acts[:n-1]
	}
	own := 1
	if a.Request == nil {
		own = max(len(a.Delete), 1)
	}
	for ; own > 0 && len(c.waits) > 0 && a.carriesOut(&c.waits[0]); own-- {
		a.Says, c.waits = append(a.Says, c.waits[0].Said), c.waits[1:]
	}
	c.Acts = append(c.Acts, a)
}

// carriesOut reports whether an act is that of a step that was printed before.
func (a *Act) carriesOut(w *waiting) bool {
	return a.Request == nil || a.Request.Command() == w.command
}

// Step notes a step of the plan: that of the last act with its request which is no step yet, else of the next act.
func (c *Course) Step(number int, q request.Request) {
	said, command := Said{Number: number, Command: CommandOf(&q)}, q.Command()
	for i := range slices.Backward(c.Acts) {
		a := &c.Acts[i]
		if a.Request != nil && a.Request.On == q.On && len(a.Says) == 0 && a.Request.Command() == command {
			a.Says = []Said{said}
			return
		}
	}
	c.waits = append(c.waits, waiting{said, command})
}

// waiting is a step that the next act with its command carries out.
type waiting struct {
	Said
	command phrase.Text
}

// Refuse notes why the step that was noted last is refused without a request.
func (c *Course) Refuse(why phrase.Text) {
	n := len(c.waits)
	if n == 0 {
		return
	}
	said := c.waits[n-1].Said
	said.Refused, c.waits = why, c.waits[:n-1]
	c.Do(Act{Says: []Said{said}})
}

// NumberAll makes a step of the plan of each thing that is done.
func (c *Course) NumberAll() {
	for i := range c.Acts {
		a := &c.Acts[i]
		if a.isEmpty() {
			continue
		}
		said := Said{Number: len(c.Steps) + 1, Command: a.command()}
		a.Says = []Said{said}
		c.Steps = append(c.Steps, Step{Command: said.Command})
	}
}

// Fork is an independent copy.
func (c *Course) Fork() Course {
	f := *c
	f.Acts, f.waits = slices.Clone(c.Acts), slices.Clone(c.waits)
	return f
}

// isEmpty reports whether nothing is done but waiting.
func (a *Act) isEmpty() bool {
	return a.Request == nil && len(a.Says)+len(a.Add)+len(a.Silence)+len(a.Delete) == 0
}

// Touches are the objects that the acts are about, in their order.
func (c *Course) Touches() []request.Object {
	var all []request.Object
	add := func(kind cluster.Kind, name string) { all = append(all, request.Object{Kind: kind, Name: name}) }
	for i := range c.Acts {
		a := &c.Acts[i]
		if a.Request != nil {
			all = append(all, a.Request.On)
		}
		for _, n := range slices.Concat(a.Silence, a.Delete) {
			add(cluster.KindNode, n)
		}
		for _, o := range a.Add {
			kind, _ := cluster.KindOf(o)
			all = append(all, request.Object{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()})
		}
	}
	return all
}

// Follow has controllers act in the world of a player, and the player do what the course holds, from now on. Nothing
// more comes of its log.
func (c *Course) Follow(p *play.Player) {
	p.CutLog()
	start := p.Scheduler().Now()
	p.Manage(manager.New(c.Timing, c.Workloads, p.Scheduler().State()))
	cues := make([]play.Cue, len(c.Acts))
	for i := range c.Acts {
		a := &c.Acts[i]
		cues[i].Wait = a.Wait
		if a.Until >= 0 {
			cues[i].Until = start.Add(a.Until)
		}
		if !a.isEmpty() {
			cues[i].Do = a.do
		}
	}
	p.Cue(cues, start.Add(c.Ends))
}

// do carries an act out.
func (a *Act) do(p *play.Player) (events []cluster.Event, facts []trace.Fact) {
	for _, s := range a.Says {
		facts = append(facts, trace.Requested{Number: s.Number, Command: s.Command, Refused: s.Refused})
	}
	if a.Request != nil {
		return a.send(p, facts)
	}
	if len(a.Silence) > 0 {
		manager.Silence(p, a.Silence...)
	}
	for _, o := range a.Add {
		events = append(events, cluster.Event{Action: cluster.Add, Object: o})
	}
	for _, n := range a.Delete {
		if node, is := p.Scheduler().State().Node(n); is && node.API != nil {
			events = append(events, cluster.Event{Action: cluster.Delete, Object: node.API})
		}
	}
	if len(facts) == 0 {
		facts = []trace.Fact{trace.Requested{Command: a.command()}}
	}
	return events, facts
}

// send sends the request.
func (a *Act) send(p *play.Player, facts []trace.Fact) ([]cluster.Event, []trace.Fact) {
	events, err := a.Request.Do(manager.ObjectsOf(p), p.Scheduler().Now())
	said := trace.Requested{Command: CommandOf(a.Request)}
	if err != nil {
		said.Refused = phrase.OfError(err)
	}
	if len(facts) > 0 {
		if of, is := facts[0].(trace.Requested); is {
			said.Number = of.Number
		}
	}
	return events, []trace.Fact{said}
}

// CommandOf is a request as a table has it: an eviction in two words, others as kubectl takes them.
func CommandOf(q *request.Request) phrase.Text {
	if q.IsEviction() {
		return phrase.Verbatim("evict " + q.On.Key())
	}
	if remark := q.Comment(); remark != "" {
		return remark
	}
	return q.Command()
}

// command is what an act is called that is no step of the plan.
func (a *Act) command() phrase.Text {
	switch {
	case a.Request != nil:
		return CommandOf(a.Request)
	case len(a.Delete) > 0:
		return phrase.Textf("gone: %v", a.Delete)
	case len(a.Silence) > 0:
		return phrase.Textf("silent from now on: %v", a.Silence)
	}
	var names []string
	for _, o := range a.Add {
		names = append(names, cluster.Key(o))
	}
	return phrase.Textf("new: %v", names)
}
