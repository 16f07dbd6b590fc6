package scenario

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// command is a row of the grammar.
type command struct {
	name    string
	form    string // what follows the name
	does    string
	example string
	block   string // what the indented lines below it hold; "": further words
	asks    bool   // it prints something worth expecting
	section section
	rows    []row
	read    func(c *call) (action, []problem)
}

// section is a chapter of the manual.
type section string

const (
	atStart section = "Before everything else"
	events  section = "What happens to the cluster"
	motion  section = "What the scheduler does"
	asking  section = "What can be asked"
)

// commands is the whole language.
func commands() []command {
	list := []command{{
		name: "release", form: "VERSION", section: atStart,
		does: "says which release of kube-scheduler decides; without it the newest. It comes before everything else, " +
			"and where it comes again, the scenario begins anew with an empty cluster.",
		example: "release 1.36", read: readRelease,
	}, {
		name: "gates", form: "NAME=true|false...", section: atStart,
		does:    "sets feature gates of the release of kube-scheduler; it comes before config.",
		example: "gates GenericWorkload=true", read: readGates,
	}, {
		name: "config", form: "[WORD...]", section: atStart,
		block:   "a KubeSchedulerConfiguration, of which apiVersion and kind may be left out",
		does:    "configures the scheduler, in words or in a block.",
		example: "config disable=PodTopologySpread weight=NodeResourcesFit:5", rows: rowsOf(configWords()), read: readConfig,
	}, {
		name: "extender", form: "URL CALL [WORD...]", section: atStart,
		does: "says what an extender of the configuration answers to filter, prioritize, preempt or bind. Without it " +
			"the answer changes nothing; no server is asked.",
		example: "config\n  extenders: [{urlPrefix: \"http://gpu.example\", filterVerb: filter}]\n" +
			"extender http://gpu.example filter \"reject=n1:no GPU is free\"",
		rows: rowsOf(extenderWords()), read: readExtender,
	}, {
		name: "scheduler", form: "NAME [WORD...]", section: atStart,
		block: "a KubeSchedulerConfiguration of its own or, with run, a script",
		does: "adds a scheduler for the pods that name it, with a queue and a cache of its own, beside the first, which " +
			"release, gates and config are about. It may be repeated. At one moment every scheduler that is ready runs a " +
			"cycle before any of them learns what the others bound; a pod that does not fit beside what another one bound is " +
			"refused by the kubelet of its node. Besides these words it takes those of config.",
		example: "scheduler batch release=1.36 weight=NodeResourcesFit:5", rows: rowsOf(ownWords()), read: readScheduler,
	}}
	all := kinds()
	for i := range all {
		list = append(list, all[i].command())
	}
	list = append(list, eventCommands(all)...)
	list = append(list, motionCommands()...)
	return append(list, askingCommands()...)
}

func commandNamed(book []command, name string) (*command, bool) {
	for i := range book {
		if book[i].name == name {
			return &book[i], true
		}
	}
	return nil, false
}

func commandNames(book []command) []string {
	out := make([]string, len(book))
	for i := range book {
		out[i] = book[i].name
	}
	return out
}

func rowsOf[T any](table []word[T]) []row {
	var rows []row
	for _, w := range table {
		rows = append(rows, row{w.form(), w.does, w.many})
	}
	return rows
}

// command is the kind's own command: it adds objects.
func (k kind) command() command {
	form := "NAME [count=N] [WORD...]"
	if k.namespaced {
		form = "[NAMESPACE/]" + form
	}
	return command{
		name: k.name, form: form, does: k.does, example: k.example, section: events, rows: k.rows,
		read: func(c *call) (action, []problem) {
			names, words, wrong := named(c, 1)
			if len(wrong) > 0 {
				return nil, wrong
			}
			count, words, err := counted(words)
			if err != nil {
				return nil, []problem{{c.line, phrase.OfError(err)}}
			}
			namespace, name, err := k.split(names[0])
			if err != nil {
				return nil, []problem{{c.line, phrase.OfError(err)}}
			}
			change, wrong := k.read(words)
			return func(r *run) error { return r.add(&k, namespace, name, count, change) }, wrong
		},
	}
}

// named takes the words off a command that must come first and are no key=value.
func named(c *call, n int) (names []string, rest []token, wrong []problem) {
	if len(c.words) < n {
		return nil, nil, []problem{{c.line, phrase.Textf("%s wants %s", c.name, numbered(n))}}
	}
	for _, w := range c.words[:n] {
		names = append(names, w.text)
	}
	return names, c.words[n:], nil
}

func numbered(n int) string {
	if n == 1 {
		return "a name"
	}
	return strconv.Itoa(n) + " names"
}

// most is how many objects one command makes: enough for every rule of the scheduler that depends on numbers.
const most = 20000

// counted takes count=N out of the words; 0 when it is not there.
func counted(words []token) (int, []token, error) {
	for i, w := range words {
		value, is := strings.CutPrefix(w.text, "count=")
		if !is {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return 0, nil, phrase.Errorf("count: %q is no number from 1 to %d", value, most)
		}
		return n, append(append([]token{}, words[:i]...), words[i+1:]...), nil
	}
	return 0, words, nil
}

// nothingLeft complains of words that a command has no use for.
func nothingLeft(rest []token) []problem {
	var wrong []problem
	for _, w := range rest {
		wrong = append(wrong, problem{w.line, phrase.Textf("unknown word %q", w.text)})
	}
	return wrong
}

// bare makes a command that takes a number of names and nothing else.
func bare(n int, act func(r *run, names []string) error) func(*call) (action, []problem) {
	return func(c *call) (action, []problem) {
		names, rest, wrong := named(c, n)
		if len(wrong) == 0 {
			wrong = nothingLeft(rest)
		}
		return func(r *run) error { return act(r, names) }, wrong
	}
}

// optional makes a command that takes at most one name.
func optional(act func(r *run, name string) error) func(*call) (action, []problem) {
	return func(c *call) (action, []problem) {
		if len(c.words) == 0 {
			return func(r *run) error { return act(r, "") }, nil
		}
		return func(r *run) error { return act(r, c.words[0].text) }, nothingLeft(c.words[1:])
	}
}

func eventCommands(all []kind) []command {
	return []command{
		{
			name: "update", form: "KIND [NAMESPACE/]NAME [WORD...]", section: events,
			does: "changes an object. The words are those of its kind; one that may be repeated replaces what was there, " +
				"except toleration, init and sidecar, which add. With count=N all of that many are changed.",
			example: "update node n1 taint= labels=disk=ssd", read: readUpdate(all),
		},
		{
			name: "delete", form: "KIND [NAMESPACE/]NAME [count=N]", section: events, does: "removes an object.",
			example: "delete pod web", read: readDelete(all),
		},
		{
			name: "yaml", form: "[update|delete]", section: events, block: "manifests",
			does:    "adds (or updates, or deletes) objects of any kind.",
			example: "yaml\n  apiVersion: scheduling.k8s.io/v1\n  kind: PriorityClass\n  metadata: {name: high}\n  value: 1000",
			read:    readYAML,
		},
		{
			name: "bind", form: "[NAMESPACE/]POD NODE", section: events,
			does: "binds a pod, as another scheduler would.", example: "bind web n1",
			read: bare(2, func(r *run, names []string) error { return r.bind(names[0], names[1]) }),
		},
		{
			name: "hold", form: "[bindings|evictions]", section: events,
			does: "makes the world keep the bindings it is asked for, until confirm or refuse; pods stay assumed. Or the " +
				"evictions: those for whom room is made wait.",
			example: "hold", read: optional(func(r *run, what string) error { return r.hold(what) }),
		},
		{
			name: "confirm", form: "[NAMESPACE/]POD", section: events,
			does: "carries out a binding or an eviction that was held.", example: "confirm web",
			read: bare(1, func(r *run, names []string) error { return r.confirm(names[0]) }),
		},
		{
			name: "delay", form: "[NAMESPACE/]POD", section: events,
			does: "makes a binding that was held, and keeps its event back until confirm: kube-scheduler goes on believing " +
				"in the pod, up to 1.19 for 30 s.",
			example: "delay web", read: bare(1, func(r *run, names []string) error { return r.delay(names[0]) }),
		},
		{
			name: "refuse", form: "[NAMESPACE/]POD REASON", section: events,
			does: "turns down a binding or an eviction that was held.", example: `refuse web "node n1 is gone"`,
			read: bare(2, func(r *run, names []string) error { return r.refuse(names[0], names[1]) }),
		},
		{
			name: "allow", form: "[NAMESPACE/]POD PLUGIN", section: events,
			does: "takes a plugin's hold off a pod that waits at Permit.", example: "allow web Doorkeeper",
			read: bare(2, func(r *run, names []string) error { return r.allow(names[0], names[1]) }),
		},
		{
			name: "reject", form: "[NAMESPACE/]POD PLUGIN REASON", section: events,
			does: "ends a pod's wait at Permit against it.", example: `reject web Doorkeeper "full house"`,
			read: bare(3, func(r *run, names []string) error { return r.reject(names[0], names[1], names[2]) }),
		},
	}
}

func motionCommands() []command {
	return []command{
		{
			name: "schedule", form: "[N]", section: motion, asks: true,
			does: "runs one cycle, or N. What the world answers arrives at once. With several schedulers it is one cycle of " +
				"each that is ready, or N of each.",
			example: "schedule",
			read:    optional(scheduleMany),
		},
		{
			name: "run", form: "[DURATION]", section: motion, asks: true,
			does: "runs cycles until nobody is ready; with a duration it lets that much time pass and goes on whenever " +
				"somebody is.",
			example: "run 5m", read: optional(runFor),
		},
		{
			name: "advance", form: "DURATION", section: motion, asks: true,
			does:    "lets time pass without a cycle: backoffs end, timeouts end, evicted pods are deleted.",
			example: "advance 10s", read: readAdvance,
		},
		{
			name: "fork", section: motion, does: "remembers this moment: what follows is a what-if.", example: "fork",
			read: bare(0, func(r *run, _ []string) error { r.fork(); return nil }),
		},
		{
			name: "back", section: motion, does: "returns to the moment of the last fork.", example: "back",
			read: bare(0, func(r *run, _ []string) error { return r.back() }),
		},
		{
			name: "expect", form: "[NAMESPACE/]POD on NODE | in QUEUE | nowhere", section: motion,
			does: "fails unless it is so; -rewrite does not change it. QUEUE is active, backoff, unschedulable, gated or " +
				"flight.",
			example: "expect web on n1", read: readExpect,
		},
	}
}

func askingCommands() []command {
	return []command{
		{
			name: "queue", section: asking, asks: true, does: "who waits where, and why.", example: "queue",
			read: bare(0, func(r *run, _ []string) error { r.printQueue(); return nil }),
		},
		{
			name: "pods", section: asking, asks: true, does: "every pod and its node.", example: "pods",
			read: bare(0, func(r *run, _ []string) error { r.printPods(); return nil }),
		},
		{
			name: "nodes", section: asking, asks: true,
			does: "every node in the order of the snapshot, what is requested of it, and its pods.", example: "nodes",
			read: bare(0, func(r *run, _ []string) error { r.printNodes(); return nil }),
		},
		{
			name: "explain", form: "[[NAMESPACE/]POD]", section: asking, asks: true,
			does: "the last cycle with all evidence, or what a cycle would do with the pod now: every filter that fails " +
				"on every node, and (for a pod) what the scores rest on. What kube-scheduler would not have asked is in " +
				"parentheses.",
			example: "explain web", read: optional(func(r *run, name string) error { return r.explain(name) }),
		},
		{
			name: "matrix", form: "[[NAMESPACE/]POD]", section: asking, asks: true,
			does: "every filter on every node, of the last cycle or for a pod now. What kube-scheduler would not have " +
				"asked is in parentheses.",
			example: "matrix", read: optional(func(r *run, name string) error { return r.matrix(name) }),
		},
		{
			name: "scores", form: "[[NAMESPACE/]POD]", section: asking, asks: true,
			does: "every score, of the last cycle or for a pod now: what the plugin returned, what normalising made of " +
				"it, and the weight.",
			example: "scores", read: optional(func(r *run, name string) error { return r.scores(name) }),
		},
		{
			name: "preemption", section: asking, asks: true,
			does: "what the last cycle found out about making room: the candidates in the order of rank, with the keys " +
				"they are ranked by, and why the other nodes are none.",
			example: "preemption", read: bare(0, func(r *run, _ []string) error { return r.printPreemption() }),
		},
		{
			name: "facts", section: asking, asks: true, does: "every fact of the last command that did something.",
			example: "facts", read: bare(0, func(r *run, _ []string) error { r.printFacts(); return nil }),
		},
		{
			name: "json", section: asking, asks: true,
			does: "the last cycle as the command line prints it with -o json, without the hash.", example: "json",
			read: bare(0, func(r *run, _ []string) error { return r.printJSON() }),
		},
	}
}
