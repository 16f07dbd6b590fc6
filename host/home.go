package host

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/trace"
)

// longestJournal is how many calls are kept. A fork of a home with a longer journal begins with the cluster as it is.
const longestJournal = 300_000

// home is where the hosted plugins of one scheduler live. What they remember is in an instance, which cannot be copied:
// a fork of the home has the same journal of calls and no instance, and makes one at the first call.
type home struct {
	around    framework.Around
	guests    []*guest // in order of profile and name
	infos     *infos
	listed    map[*guest][]framework.Point    // where the profiles list each
	seats     map[string][]filterSeat         // by profile
	extenders map[string][]framework.Extender // by profile

	base     *cluster.State // what the journal begins with; nil: an empty cluster
	past     *entry         // the last call; nil: there was none
	leaves   *entry         // the last call that it shares with what it is a fork of, if it is one for asides
	live     *instance      // nil: not made
	states   int            // numbers the states that checks have
	pod      *cluster.Pod   // that plugins are asked about; nil: none yet
	profile  string         // of the pod
	begun    []string       // UIDs of pods in the states of whose attempts pods to activate may be noted
	nest     *nest          // of the call under way, from which the scheduler calls plugins again; nil: there is none
	beside   *home          // a fork for calls that kube-scheduler would not make; nil: none was needed yet
	repeated int            // calls for such forks
	acts     []framework.Act
	still    stillness
	patience time.Duration // with a call
	heed     *heed
	notes    *notes
	twist    func(what string, answer any) any // of tests: changes answers; nil: none does
}

// entry is a call in the journal, with what plugins were given during it and what it answered.
type entry struct {
	before *entry
	length int
	at     time.Time
	what   string // plugin and extension point
	pod    string // that the plugin was called for
	call   func(*instance) any
	heard  []any
	answer any
	acts   []framework.Act // what plugins did during it
	broke  string          // why the bubble ended with it; "": it did not
}

// found makes the home of guests.
func found(profiles []*framework.Profile, around framework.Around) *home {
	h := &home{around: around, infos: newInfos(), notes: &notes{}, patience: patience, heed: &heed{}}
	for _, p := range profiles {
		for _, g := range p.Guests() {
			if hosted, is := g.(hosted); is {
				h.guests = append(h.guests, hosted.blueprint())
			}
		}
	}
	slices.SortFunc(h.guests, func(a, b *guest) int {
		return cmp.Or(cmp.Compare(a.profile, b.profile), cmp.Compare(a.name, b.name))
	})
	h.look(profiles)
	return h
}

// look finds where the profiles list the guests.
func (h *home) look(profiles []*framework.Profile) {
	h.listed, h.seats = map[*guest][]framework.Point{}, map[string][]filterSeat{}
	h.extenders = map[string][]framework.Extender{}
	for _, p := range profiles {
		h.extenders[p.SchedulerName] = p.Extenders
		for _, f := range p.PreFilter {
			if g, is := f.(hosted); is {
				h.listed[g.blueprint()] = append(h.listed[g.blueprint()], framework.PreFilter)
			}
		}
		for _, f := range p.PreScore {
			if g, is := f.(hosted); is {
				h.listed[g.blueprint()] = append(h.listed[g.blueprint()], framework.PreScore)
			}
		}
		for _, f := range p.Filter {
			seat := filterSeat{name: f.Name()}
			if g, is := f.(hosted); is {
				seat.guest = g.blueprint()
			}
			h.seats[p.SchedulerName] = append(h.seats[p.SchedulerName], seat)
		}
	}
}

// lists reports whether the guest's profile lists it at PreFilter or PreScore.
func (h *home) lists(g *guest, point framework.Point) bool {
	return slices.Contains(h.listed[g], point)
}

// Beside marks the home as what a State carries.
func (h *home) Beside() {}

// Fork is a home with the same past.
func (h *home) Fork(around framework.Around) framework.Home {
	f := *h
	f.around, f.infos, f.live, f.acts, f.nest, f.beside = around, h.infos.fork(), nil, slices.Clone(h.acts), nil, nil
	f.begun = slices.Clone(h.begun)
	if h.past != nil && h.past.length > longestJournal {
		f.notes.add("", "", "the journal of its calls is too long: in a fork it knows the cluster as it was then, and not "+
			"what it learned before")
		f.Refill()
	}
	return &f
}

// mostRepeated is how many calls are repeated for what kube-scheduler would not ask, in all that a home has played: a
// play that keeps all verdicts of thousands of cycles would take hours.
const mostRepeated = 1_000_000

// apart is a fork for calls that kube-scheduler would not make. Its instance is another one, so that the plugins
// remember nothing of these calls, and what they do in them does not come about. Those that follow one another
// are made in the same fork. False: too much would be repeated.
func (h *home) apart() (*home, bool) {
	if h.beside != nil && h.beside.leaves == h.past {
		return h.beside, true
	}
	if h.past == nil || h.nest != nil {
		return nil, false
	}
	if h.repeated += h.past.length; h.repeated > mostRepeated || h.past.length > longestJournal {
		h.notes.add("", "Filter", "they were called about nodes that kube-scheduler does not call them about, and may "+
			"remember that: there are too many calls to repeat them all in a fork for each cycle")
		return nil, false
	}
	if h.beside != nil && h.beside.live != nil {
		h.beside.live.close()
	}
	h.beside = h.Fork(h.around).(*home)
	h.beside.leaves = h.past
	return h.beside, true
}

// Refill begins again with the State as it is.
func (h *home) Refill() {
	if h.live != nil {
		h.live.close()
	}
	h.base, h.past, h.live = h.around.State().Fork(), nil, nil
}

// Begin puts a new state in the place of what an earlier attempt of the pod left.
func (h *home) Begin(pod *cluster.Pod, profile string, snapshot *cluster.Snapshot) {
	uid, nodes := pod.UID(), h.infos.all(snapshot)
	h.pod, h.profile = pod, profile
	h.begun = append(h.begun, uid)
	_, _ = h.tell("Begin", func(i *instance) any {
		i.begin(uid, nodes)
		return nil
	})
}

// Continue sets the pod that plugins are called for.
func (h *home) Continue(pod *cluster.Pod, profile string) { h.pod, h.profile = pod, profile }

// Heed has a call given up that goes on when done is closed.
func (h *home) Heed(done <-chan struct{}) (before <-chan struct{}) { return h.heed.to(done) }

// See passes a change on to the informers.
func (h *home) See(change *cluster.Change) {
	c := seen{kind: change.Kind, action: change.Action, old: change.Old, new: change.New}
	if change.Action == cluster.Delete {
		c.new = nil
	}
	_, _ = h.tell("See", func(i *instance) any {
		i.see(c)
		return nil
	})
}

// Acts takes what plugins did besides answering.
func (h *home) Acts() []framework.Act {
	for _, uid := range h.begun {
		_, _ = h.tell("activate", func(i *instance) any {
			i.activateNoted(uid)
			return nil
		})
	}
	h.begun = nil
	acts := slices.DeleteFunc(h.acts, func(a framework.Act) bool {
		_, activates := a.(framework.ActivatePods)
		return activates && h.still.over(h)
	})
	h.acts = nil
	return acts
}

// mostActivations is how many times at one moment plugins may have pods tried again past their backoff.
const mostActivations = 1000

// stillness counts them.
type stillness struct {
	at    time.Time
	count int
}

// over counts one, and reports whether it is too many: pods that activate each other would stop the clock for ever.
func (s *stillness) over(h *home) bool {
	if now := h.around.Now(); !s.at.Equal(now) {
		*s = stillness{at: now}
	}
	s.count++
	if s.count <= mostActivations {
		return false
	}
	h.notes.add("", "", fmt.Sprintf("they had pods tried again %d times and no time has passed; from there on they wait out "+
		"their backoff, which in kube-scheduler they would not", mostActivations))
	return true
}

// tell makes a call to the instance and puts it into the journal. The error is why there is no answer: the plugin
// panicked, or its instance does not come to rest.
func (h *home) tell(what string, call func(*instance) any) (any, error) {
	if h.nest != nil {
		return h.nest.tell(h, what, call)
	}
	i, err := h.instance()
	if err != nil {
		return nil, err
	}
	e := &entry{before: h.past, length: 1, at: h.around.Now(), what: what, call: call}
	if h.past != nil {
		e.length += h.past.length
	}
	h.past = e
	if e.broke = h.heed.known(e); e.broke != "" {
		return nil, i.ends(e.broke)
	}
	around := h.around
	if err = i.run(e, h); err != nil {
		h.nest = nil
		h.lookAt(around)
	}
	if i.pod != nil {
		e.pod = i.pod.Key
	}
	i.asked, i.pod = nil, nil // what comes before the next call is no plugin's that was asked
	acts, deleted := i.takeActs()
	for _, v := range deleted {
		for _, p := range h.podsOf([]string{v.key}) {
			acts = append(acts, framework.EvictPod{Plugin: v.plugin, Pod: p, For: v.pod})
		}
	}
	e.acts = acts
	h.acts = append(h.acts, acts...)
	return e.answer, err
}

// podsOf are the pods with these keys that are there.
func (h *home) podsOf(keys []string) []*cluster.Pod {
	return podsIn(h.around.State(), keys)
}

func podsIn(state *cluster.State, keys []string) []*cluster.Pod {
	var pods []*cluster.Pod
	for _, key := range keys {
		if p, assumed := state.Assumed(key); assumed {
			pods = append(pods, p)
		} else if p, there := state.Pod(key); there {
			pods = append(pods, p)
		}
	}
	return pods
}

// calls lists the journal, the oldest call first.
func (h *home) calls() []*entry {
	calls := make([]*entry, 0, 64)
	for e := h.past; e != nil; e = e.before {
		calls = append(calls, e)
	}
	slices.Reverse(calls)
	return calls
}

// Parts compares the journals, up to the first call that differs. Where the calls themselves are not the same, or
// plugins did something otherwise between two calls to them, there is none that explains it.
func (h *home) Parts(from framework.Home) (framework.Parting, bool) {
	ours, theirs := flat(h.calls()), flat(from.(*home).calls())
	for k := range min(len(ours), len(theirs)) {
		if ours[k].what != theirs[k].what {
			break
		}
		e := ours[k]
		if sameAnswer(theirs[k].answer, e.answer) && slices.EqualFunc(theirs[k].acts, e.acts, sameAct) {
			continue
		}
		plugin, point, is := strings.Cut(e.what, " ")
		if !is {
			break
		}
		return framework.Parting{Plugin: plugin, Point: framework.Point(point), Pod: e.pod, At: e.at}, true
	}
	return framework.Parting{}, false
}

// instance is the instance of the plugins as the journal left it.
func (h *home) instance() (*instance, error) {
	if h.live != nil {
		return h.live, nil
	}
	i, err := newInstance(h)
	h.live = i
	if err != nil {
		return i, err
	}
	for _, e := range h.calls() {
		if err := i.repeat(e); err != nil {
			return i, err
		}
	}
	i.takeActs()
	return i, nil
}

// ask calls a plugin with an answer of one type, to the method that has the name of its point; broken makes an answer
// of what went wrong.
func ask[A any](h *home, g *guest, point framework.Point, call func(i *instance) A, broken func(string) A) A {
	return askMethod(h, g, point, string(point), call, broken)
}

// askMethod is like ask, for another method of a point.
func askMethod[A any](
	h *home, g *guest, point framework.Point, method string, call func(i *instance) A, broken func(string) A,
) A {
	answer, err := h.tell(g.name+" "+string(point), func(i *instance) any { return call(i) })
	if err != nil {
		return broken(fmt.Sprintf("plugin %q at %s: %v", g.name, point, err))
	}
	if h.twist != nil {
		answer = h.twist(g.name+" "+method, answer)
	}
	return answer.(A)
}

// brokenVerdict is the Error that an answer is made of when there is none.
func brokenVerdict(said string) trace.Verdict {
	return trace.Verdict{Code: trace.Error, Reasons: []string{said}}
}

// sameAnswer reports whether a call that was repeated answered the same.
func sameAnswer(a, b any) bool { return reflect.DeepEqual(a, b) }

// sameAct reports whether plugins did the same. Of pods it compares which they are: what core keeps of a pod goes on
// changing.
func sameAct(a, b framework.Act) bool { return reflect.DeepEqual(plain(a), plain(b)) }

// plain is an act with keys in place of pods.
func plain(act framework.Act) any {
	key := func(p *cluster.Pod) string {
		if p == nil {
			return ""
		}
		return p.Key + " " + p.UID()
	}
	switch a := act.(type) {
	case framework.WriteObject:
		pod := key(a.Pod)
		a.Pod = nil
		return [...]any{a, pod}
	case framework.EvictPod:
		return [...]any{a.Plugin, key(a.Pod), key(a.For)}
	case framework.RecordEvent:
		pod := key(a.Pod)
		a.Pod = nil
		return [...]any{a, pod}
	}
	return act
}

// notes are what a reader of the answers of hosted plugins has to know, each once. Forks share them.
type notes struct {
	mu  sync.Mutex
	all []note
}

// note is one of them. Without plugin it is about all; without point about no extension point.
type note struct{ plugin, point, text string }

// String is the note as a sentence.
func (n note) String() string {
	subject := n.plugin
	if subject == "" {
		subject = "hosted plugins"
	}
	if n.point != "" {
		subject += " at " + n.point
	}
	return subject + ": " + n.text
}

func (n *notes) add(plugin, point, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	one := note{plugin, point, text}
	if !slices.Contains(n.all, one) {
		n.all = append(n.all, one)
	}
}

// about reports whether there is a note about a plugin at a point.
func (n *notes) about(plugin, point string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.all, func(o note) bool { return o.plugin == plugin && o.point == point })
}

// Notes are what a reader has to know, in the order in which it was found out.
func (h *home) Notes() []string {
	h.notes.mu.Lock()
	defer h.notes.mu.Unlock()
	lines := make([]string, len(h.notes.all))
	for k, n := range h.notes.all {
		lines[k] = n.String()
	}
	return lines
}
