package plan

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/play/course"
	"github.com/schedstep/schedstep/replay/play/manager"
	"github.com/schedstep/schedstep/replay/session"
)

// At is the fleet at a position of a session. It is another one at each call, so that plans leave the session alone.
func At(k *session.At) (*Fleet, error) {
	if k.Plan() != nil {
		return nil, phrase.Errorf("a plan is carried out on this branch; make another one on the branch it left (branch main)")
	}
	p, err := k.Trial()
	if err != nil {
		return nil, err
	}
	_, objects := k.Workloads()
	return &Fleet{Player: p, Workloads: objects, Timing: manager.DefaultTiming()}, nil
}

// Outcome is a plan that words have named, in short.
type Outcome struct {
	Said   phrase.Phrase
	Course *course.Course
}

// goal is a plan by its name, for a command line of words.
type goal struct {
	name  string
	flags []string // that it takes besides those without a value
	run   func(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error)
}

var goals = []goal{
	{"drain", []string{"-l", "--by"}, workDrain},
	{"lose", []string{"--nodes"}, workLose},
	{"upgrade", []string{"-l", "--max-surge", "--max-unavailable", "--kubelet"}, workUpgrade},
	{"capacity", []string{"--want", "--templates", "--minimize"}, workCapacity},
	{"room", []string{"--want", "--evictions"}, workRoom},
	{"pack", []string{"-l"}, workPack},
}

// Goals are the names of all plans.
func Goals() []string {
	var all []string
	for _, g := range goals {
		all = append(all, g.name)
	}
	return all
}

// FlagsOf are the flags of a plan; none of a name that no plan has.
func FlagsOf(name string) []string {
	i := slices.IndexFunc(goals, func(g goal) bool { return g.name == name })
	if i < 0 {
		return nil
	}
	return append(slices.Clone(goals[i].flags), forced, emptied)
}

// The flags without a value.
const (
	forced  = "--force"
	emptied = "--delete-emptydir-data"
)

// goalWords are the words behind the name of a plan.
type goalWords struct {
	about []string
	flags map[string]string
	read  func(path string) ([]byte, error)
}

// Worked works out the plan that words name, as the command line of the shell takes them: drain n1 --by drain. read
// reads a file that they name; progress (may be nil) is called with the number of runs.
func (f *Fleet) Worked(
	ctx context.Context, words []string, read func(path string) ([]byte, error), progress func(int),
) (Outcome, error) {
	if len(words) == 0 {
		return Outcome{}, phrase.Errorf("plan: which? (%s)", strings.Join(Goals(), ", "))
	}
	i := slices.IndexFunc(goals, func(g goal) bool { return g.name == words[0] })
	if i < 0 {
		return Outcome{}, phrase.Errorf("plan: there is no plan %q%s (there are %s)", words[0],
			spelling.Hint(words[0], Goals()), strings.Join(Goals(), ", "))
	}
	w, err := goals[i].parse(words[1:])
	if err != nil {
		return Outcome{}, err
	}
	w.read = read
	found, err := goals[i].run(ctx, f, w, progress)
	if err == nil && found.Course == nil {
		return Outcome{}, phrase.Errorf("plan %s: there is nothing to step through", strings.Join(words, " "))
	}
	return found, err
}

// parse divides words into flags and the rest.
func (g *goal) parse(words []string) (*goalWords, error) {
	w := &goalWords{flags: map[string]string{}}
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			w.about = append(w.about, words[i])
			continue
		case name == forced || name == emptied:
			w.flags[name] = "true"
			continue
		case !slices.Contains(g.flags, name):
			return nil, phrase.Errorf("plan %s: there is no flag %s%s (it has %s)", g.name, name,
				spelling.Hint(name, FlagsOf(g.name)), strings.Join(FlagsOf(g.name), ", "))
		}
		if !has {
			if i++; i == len(words) {
				return nil, phrase.Errorf("plan %s: %s needs a value", g.name, name)
			}
			value = words[i]
		}
		w.flags[name] = value
	}
	return w, nil
}

// number is the value of a flag.
func (w *goalWords) number(flag string, otherwise int) (int, error) {
	text, given := w.flags[flag]
	if !given {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostReplicas {
		return 0, phrase.Errorf("%s %q: it must be a number from 0 to %d", flag, text, mostReplicas)
	}
	return n, nil
}

// choice is the value of a flag, one of a few.
func (w *goalWords) choice(flag string, words ...string) (string, error) {
	text, given := w.flags[flag]
	if !given {
		return words[0], nil
	}
	if !slices.Contains(words, text) {
		return "", phrase.Errorf("%s %q: use %s", flag, text, strings.Join(words, ", "))
	}
	return text, nil
}

// nodes are those that are named, and those that -l chooses, each once.
func (w *goalWords) nodes(f *Fleet) ([]string, error) {
	text, given := w.flags["-l"]
	if !given {
		return f.Chosen(w.about, nil)
	}
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, phrase.Errorf("-l %q: %w", text, err)
	}
	return f.Chosen(w.about, selector)
}

// Chosen are the nodes that are named, and those that a selector of labels chooses (nil: none does), by name, each
// once.
func (f *Fleet) Chosen(named []string, selector labels.Selector) ([]string, error) {
	var chosen []string
	for _, n := range f.Player.Scheduler().State().Snapshot().Nodes {
		if selector != nil && n.API != nil && selector.Matches(labels.Set(n.API.Labels)) {
			chosen = append(chosen, n.Name)
		}
	}
	if selector != nil && len(chosen) == 0 {
		return nil, phrase.Errorf("no node has %s", selector.String())
	}
	slices.Sort(chosen)
	var once []string
	for _, n := range slices.Concat(named, chosen) {
		if !slices.Contains(once, n) {
			once = append(once, n)
		}
	}
	return once, nil
}

// one is the one word that a plan is about.
func (w *goalWords) one(goal, what string) (string, error) {
	if len(w.about) != 1 {
		return "", phrase.Errorf("plan %s: it needs one %s", goal, what)
	}
	return w.about[0], nil
}

func workDrain(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error) {
	nodes, err := w.nodes(f)
	if err != nil {
		return Outcome{}, err
	}
	by, err := w.choice("--by", "pod", "drain")
	switch {
	case err != nil:
		return Outcome{}, err
	case len(nodes) == 0:
		return Outcome{}, phrase.Errorf("plan drain: it needs a NODE or -l SELECTOR")
	}
	p, err := f.Drain(ctx, Drain{
		Nodes: nodes, AtOnce: by == "drain", Force: w.flags[forced] != "", EmptyDir: w.flags[emptied] != "",
	}, progress)
	return Outcome{p.InWords(), p.Course()}, err
}

func workLose(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error) {
	what, err := w.one("lose", "KEY=VALUE")
	if err != nil {
		return Outcome{}, err
	}
	nodes, err := w.choice("--nodes", "gone", "stay")
	if err != nil {
		return Outcome{}, err
	}
	l, err := f.Lose(ctx, Loss{What: what, Stays: nodes == "stay"}, progress)
	if err != nil {
		return Outcome{}, err
	}
	last := l.Moments[len(l.Moments)-1]
	return Outcome{phrase.New("%s: %d nodes and %d pods are lost; at the end %d pods wait and %d are stuck",
		l.Goal, len(l.Nodes), l.Pods, last.Pending, last.Stuck), l.Course()}, nil
}

func workUpgrade(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error) {
	of := UpgradeOf{
		New: NewNode{Release: w.flags["--kubelet"]}, Starts: NodeStarts, Force: w.flags[forced] != "",
		EmptyDir: w.flags[emptied] != "",
	}
	var err error
	if of.Nodes, err = w.nodes(f); err != nil {
		return Outcome{}, err
	}
	if of.Surge, err = w.number("--max-surge", 1); err != nil {
		return Outcome{}, err
	}
	if of.Unavailable, err = w.number("--max-unavailable", 0); err != nil {
		return Outcome{}, err
	}
	if len(of.Nodes) == 0 {
		return Outcome{}, phrase.Errorf("plan upgrade: it needs a NODE or -l SELECTOR")
	}
	u, err := f.Upgrade(ctx, of, progress)
	return Outcome{u.InWords(), u.Course()}, err
}

// NodeStarts is how long a new node takes to be there, where nothing else is given.
const NodeStarts = 90 * time.Second

func workCapacity(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error) {
	want, err := w.number("--want", 0)
	if err != nil {
		return Outcome{}, err
	}
	if w.flags["--templates"] != "" {
		return workBuy(ctx, f, w, want, progress)
	}
	what, err := w.one("capacity", "WORKLOAD")
	if err != nil {
		return Outcome{}, err
	}
	c, err := f.Capacity(ctx, what, want, progress)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{phrase.New("%s: %d more fit", c.Goal, c.Placed), c.Course()}, nil
}

func workBuy(ctx context.Context, f *Fleet, w *goalWords, want int, progress func(int)) (Outcome, error) {
	best, err := w.choice("--minimize", "cost", "nodes")
	switch {
	case err != nil:
		return Outcome{}, err
	case len(w.about) > 1 || want > 0 && len(w.about) == 0:
		return Outcome{}, phrase.Errorf("plan capacity: it needs one WORKLOAD")
	}
	of := BuyOf{Workload: strings.Join(w.about, ""), Want: want, Nodes: best == "nodes"}
	if from := w.flags["--templates"]; from == "pools" {
		of.Offers, err = f.PoolsAsOffers()
	} else {
		var text []byte
		if text, err = w.read(from); err == nil {
			of.Offers, err = f.Offers(text)
		}
	}
	if err != nil {
		return Outcome{}, phrase.Errorf("--templates %s: %w", w.flags["--templates"], err)
	}
	b, err := f.Buy(ctx, of, progress)
	if err != nil {
		return Outcome{}, err
	}
	if b.Course() == nil {
		return Outcome{}, phrase.Errorf("%s: no pod waits for a node", b.Goal)
	}
	return Outcome{phrase.New("%s: %d new nodes, price %s; without a node: %d", b.Goal, b.Count, b.Price,
		len(b.Pending)), b.Course()}, nil
}

func workRoom(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error) {
	what, err := w.one("room", "WORKLOAD")
	if err != nil {
		return Outcome{}, err
	}
	of := RoomFor{Workload: what, EmptyDir: w.flags[emptied] != ""}
	if of.Want, err = w.number("--want", 0); err != nil {
		return Outcome{}, err
	}
	if of.Most, err = w.number("--evictions", usualMost); err != nil {
		return Outcome{}, err
	}
	r, err := f.Room(ctx, of, progress)
	if err != nil {
		return Outcome{}, err
	}
	if r.Verdict == Blocked {
		return Outcome{phrase.New("%s: no set of evictions makes room, of those that were tried", r.Goal), r.Course()}, nil
	}
	return Outcome{r.InWords(), r.Course()}, nil
}

func workPack(ctx context.Context, f *Fleet, w *goalWords, progress func(int)) (Outcome, error) {
	nodes, err := w.nodes(f)
	if err != nil {
		return Outcome{}, err
	}
	p, err := f.Pack(ctx, PackOf{Nodes: nodes, Force: w.flags[forced] != "", EmptyDir: w.flags[emptied] != ""}, progress)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{phrase.New("%s: %d nodes can be emptied, one after the other; at most %d by room", p.Goal,
		len(p.Emptied), p.AtMost), p.Course()}, nil
}

// InWords is the verdict in a sentence.
func (p *Plan) InWords() phrase.Phrase {
	for i := range p.Steps {
		if b := p.Steps[i].Refused; b != nil {
			return phrase.New("%s: BLOCKED at step %d by %s: %s", p.Goal, p.Steps[i].N, b.Object, b.Message)
		}
	}
	if p.Verdict == Done {
		return phrase.New("%s: every step is carried out, and no pod is left without a node", p.Goal)
	}
	return phrase.New("%s: every step is carried out, and %d pods are left without a node", p.Goal, len(p.Pending))
}
