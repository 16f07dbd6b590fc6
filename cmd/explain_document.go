package cmd

import (
	"strings"
	"time"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/remedy"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/cause"
)

// podPage is the page of a pod, as the JSON of the contract: its last cycle, and what else the page has.
type podPage struct {
	trace.Document
	pageData
}

// pageData is what a page has besides a cycle.
type pageData struct {
	Place   placeData     `json:"place"`   // where the pod is now
	Causes  []cause.Cause `json:"causes"`  // what is behind the reasons; empty where no rule is sure
	WakeUps []wakerData   `json:"wakeUps"` // what keeps it waiting, and the events that may have it tried again
	Flush   float64       `json:"triedAnywayAfterSeconds,omitempty"`
	Changes []changeSet   `json:"changes"` // the smallest that give it a node, the cheapest first; each was run
	Search  *searchData   `json:"search"`  // how far the search for changes went; null: there was none to make
	Victims []victimData  `json:"victims"` // pods that had to leave a node for it
	History []eventData   `json:"history"` // what happened to it, in order
	Holders []holderData  `json:"holders,omitempty"`
	Before  *beforeData   `json:"before,omitempty"` // the pod in the place of which it came
}

// holderData is what holds a resource that the pod lacks; of a cluster's past alone.
type holderData struct {
	Resource string     `json:"resource"`
	Nodes    []string   `json:"nodes"`           // that lack nothing else
	Owner    string     `json:"owner"`           // KIND NAMESPACE/NAME; Pod where it has no controller
	Pods     int        `json:"pods"`            // of it, on these nodes
	Amount   string     `json:"amount"`          // that they request together, as a quantity
	First    *time.Time `json:"first,omitempty"` // when the first of them was bound
	Last     *time.Time `json:"last,omitempty"`
}

// beforeData is a pod of the same name or controller that was deleted before the pod came; of a cluster's past alone.
type beforeData struct {
	Pod   string        `json:"pod"`   // namespace/name
	Node  string        `json:"node"`  // that it was on
	Until time.Time     `json:"until"` // when it was deleted
	Came  []arrivalData `json:"came"`  // pods bound to that node since, which are still there, in order
}

// arrivalData is a pod that was bound to a node.
type arrivalData struct {
	Pod  string    `json:"pod"` // namespace/name
	Time time.Time `json:"time"`
}

// changeSet is a set of changes of which no part is enough.
type changeSet struct {
	Changes  []changeData `json:"changes"`           // in the order in which they are carried out
	Commands []string     `json:"commands"`          // of kubectl, in order; what no command does is in changes alone
	Cost     int          `json:"cost"`              // the more it takes away from others, the more
	Node     string       `json:"node,omitempty"`    // that the pod comes to
	Fit      int          `json:"fit,omitempty"`     // pods of the workload that have a node then
	Late     bool         `json:"late"`              // only when the pod is tried again anyway; no event has it tried
	Others   []otherData  `json:"elsewhere"`         // other pods that end elsewhere than without the changes
	Guarded  bool         `json:"goesAroundAGuard"`  // a cordon, the control plane's taint or a gate is gone around
	WaitsFor float64      `json:"seconds,omitempty"` // how long that is at most, where late
}

// changeData is one change.
type changeData struct {
	Kind    string `json:"kind"`
	Says    string `json:"says"`
	Command string `json:"command"`              // of this debugger
	Kubectl string `json:"kubectl"`              // behind a # where no command of kubectl does it
	Around  string `json:"goesAround,omitempty"` // the guard: cordon, control-plane or gate
}

// otherData is a pod that ends elsewhere.
type otherData struct {
	Pod    string `json:"pod"`                 // namespace/name
	Before string `json:"before"`              // its node without the changes; "": none
	After  string `json:"after"`               // with them
	Gone   bool   `json:"gone"`                // it is deleted, and not created again
	Again  bool   `json:"madeAgain,omitempty"` // it is deleted, and its controller has made another pod, which is on after
}

// searchData is how far a search for changes went.
type searchData struct {
	Taken *roomTaken `json:"roomTaken,omitempty"` // a set of changes that makes room, which others take
	Runs  int        `json:"runs"`                // sets of changes that were carried out
	Whole bool       `json:"whole"`               // all within the bounds were tried, or enough were found
	Needs string     `json:"nodeWithoutChange"`   // the node that it gets without a change; "": none
	Held  []heldNode `json:"heldNodes,omitempty"` // nodes with a taint that a controller takes off
}

// roomTaken is a set of changes with which a node would take the pod, and pods that are tried before it take the room.
type roomTaken struct {
	Pods    int          `json:"pods"` // that have a node then, and none without the changes
	Changes []changeData `json:"changes"`
}

// heldNode is a node with a taint that a controller put there.
type heldNode struct {
	Node      string `json:"node"`
	Taint     string `json:"taint"`
	Condition string `json:"condition,omitempty"` // behind the taint: type, status, reason and message
}

// victimData is a pod that had to leave for another one.
type victimData struct {
	Pod   string    `json:"pod"`   // namespace/name
	Node  string    `json:"node"`  // that it had to leave
	Cycle int64     `json:"cycle"` // that decided so
	Time  time.Time `json:"time"`
}

// pageDataOf is what the page of a pod has besides its cycle.
func pageDataOf(e *session.Explanation, found *remedy.Answer) pageData {
	page := pageData{
		Place: placeOf(e.Pod, e.Place, e.Now), Causes: append([]cause.Cause{}, e.Causes...), WakeUps: wakersOf(&e.Place),
		Flush: e.Place.Flush.Seconds(), Changes: []changeSet{}, Victims: []victimData{}, History: []eventData{},
	}
	for _, v := range e.Victims {
		page.Victims = append(page.Victims, victimData{v.Pod, v.Node, v.Cycle, v.At.UTC()})
	}
	for _, h := range e.History {
		page.History = append(page.History, eventData{h.Step, h.Cycle, h.At.UTC(), h.Text.String()})
	}
	page.Holders, page.Before = holdersOf(e.Holders), beforeOf(e.Predecessor)
	if found == nil {
		return page
	}
	page.Search = &searchData{Runs: found.Runs, Whole: found.Whole, Needs: found.Without}
	if o := found.Outrun; o != nil {
		page.Search.Taken = &roomTaken{o.Pods, setOf(o.Changes, nil).Changes}
	}
	for _, h := range found.Held {
		page.Search.Held = append(page.Search.Held, heldNode{h.Node, h.Taint, h.Condition})
	}
	for i := range found.Remedies {
		r := &found.Remedies[i]
		set := setOf(r.Changes, r.Elsewhere)
		set.Cost, set.Node, set.Late = r.Cost, r.Node, r.Late
		if r.Late {
			set.WaitsFor = r.Patience.Seconds()
		}
		for _, c := range r.Changes {
			set.Commands = append(set.Commands, commandsOf(c.Commands)...)
		}
		page.Changes = append(page.Changes, set)
	}
	return page
}

func holdersOf(all []session.Holder) []holderData {
	var out []holderData
	for i := range all {
		h := &all[i]
		out = append(out, holderData{
			h.Resource, h.Nodes, h.Owner, h.Pods, h.Amount.String(), momentOf(h.First), momentOf(h.Last),
		})
	}
	return out
}

// momentOf is a moment; nil for one that is not known.
func momentOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func beforeOf(p *session.Predecessor) *beforeData {
	if p == nil {
		return nil
	}
	before := &beforeData{Pod: p.Pod, Node: p.Node, Until: p.Until.UTC(), Came: []arrivalData{}}
	for _, a := range p.Came {
		before.Came = append(before.Came, arrivalData{a.Pod, a.At.UTC()})
	}
	return before
}

// wakersOf are the plugins that keep a pod or a group waiting.
func wakersOf(p *session.Place) []wakerData {
	all := []wakerData{}
	for _, w := range p.Wakers {
		waker := wakerData{Plugin: w.Plugin, Events: []string{}}
		for _, event := range w.Events {
			waker.Events = append(waker.Events, event.Label())
		}
		all = append(all, waker)
	}
	return all
}

// setOf are changes and what they do to others, without commands.
func setOf(changes []remedy.Change, elsewhere []session.Elsewhere) changeSet {
	set := changeSet{Changes: []changeData{}, Commands: []string{}, Others: []otherData{}}
	for i := range changes {
		c := &changes[i]
		set.Changes = append(set.Changes, changeData{
			c.Kind.String(), prose.Changing(words.English, *c), c.Line, c.Kubectl().String(), c.Guard.String(),
		})
		set.Guarded = set.Guarded || c.Guard != remedy.Unguarded
	}
	for _, e := range elsewhere {
		set.Others = append(set.Others, otherData{e.Pod, e.Before, e.There, e.Gone, e.Again})
	}
	return set
}

// commandsOf are commands without the remarks.
func commandsOf(all []phrase.Text) []string {
	commands := []string{}
	for _, c := range all {
		if command := c.String(); !strings.HasPrefix(command, "# ") {
			commands = append(commands, command)
		}
	}
	return commands
}

// workloadPage is the page of a workload, as the JSON of the contract.
type workloadPage struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"` // WorkloadPage
	Workload   workloadName   `json:"workload"`
	Time       *time.Time     `json:"time,omitempty"`
	Wants      int            `json:"replicas"`       // pods that it wants
	Fit        int            `json:"fit"`            // of them, those with a node
	Unchanged  int            `json:"fitUnchanged"`   // of them, with a node when all is quiet, unchanged
	Says       []string       `json:"says"`           // the same in sentences
	Pods       []workloadPod  `json:"pods"`           // in the order in which they are tried
	Rejected   []rejectedPods `json:"rejected"`       // the pods without a node, by what kube-scheduler reports
	Denied     []deniedPods   `json:"denied"`         // pods that a quota does not let be made
	Held       []heldBy       `json:"held,omitempty"` // what keeps a workload that wants no pod from making any
	Changes    []changeSet    `json:"changes"`        // with which all have a node; each was run
	Partial    []changeSet    `json:"partialChanges"` // with which more have a node, and not all
	Search     searchData     `json:"search"`
	First      *podPage       `json:"first"` // the page of the first pod without a node; null: all have one
}

// workloadName names a workload.
type workloadName struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// workloadPod is a pod of a workload.
type workloadPod struct {
	Pod  string `json:"pod"`  // namespace/name
	Node string `json:"node"` // "": none
}

// rejectedPods are pods about which kube-scheduler reports the same.
type rejectedPods struct {
	Pods    []string `json:"pods"`
	Message string   `json:"message"` // "": no cycle has tried them
}

// deniedPods are pods that a controller has not made, because a quota does not let it.
type deniedPods struct {
	Missing int    `json:"missing"`
	Message string `json:"message"` // of the API server
	Command string `json:"command"` // which has the quota allow them; "": the pods name too little for the quota
	Fit     int    `json:"fit"`     // pods of the workload with a node after that; it was run
}

// heldBy is what keeps a workload from making pods.
type heldBy struct {
	Holder  string `json:"holder"`  // KIND NAMESPACE/NAME
	Message string `json:"message"` // its own words
}

func workloadDocument(a workload.Answer) workloadPage {
	w, first := &a.Of, a.First
	page := workloadPage{
		APIVersion: "schedstep.dev/v1", Kind: "WorkloadPage", Workload: workloadName{string(w.Kind), w.Namespace, w.Name},
		Wants: w.Want, Fit: w.Fit(), Unchanged: a.By, Says: prose.WorkloadHead(words.English, a), Pods: []workloadPod{},
		Rejected: []rejectedPods{}, Denied: []deniedPods{}, Changes: sets(a.Remedies), Partial: sets(a.Partial),
		Search: searchData{Runs: a.Runs, Whole: a.Whole},
	}
	for _, p := range w.Pods {
		page.Pods = append(page.Pods, workloadPod{p.Key, p.Node})
	}
	for _, r := range a.Rejected {
		page.Rejected = append(page.Rejected, rejectedPods{r.Pods, r.Message})
	}
	for _, d := range a.Denied {
		page.Denied = append(page.Denied, deniedPods{d.Missing, d.Message, words.English.Render(d.Command), d.Fit})
	}
	for _, h := range a.Held {
		page.Held = append(page.Held, heldBy(h))
	}
	if first == nil {
		return page
	}
	now := first.Now.UTC()
	page.Time = &now
	if first.Cycle != nil {
		page.First = &podPage{first.Cycle.Alone().Document(), pageDataOf(first, nil)}
	}
	return page
}

func sets(all []workload.Remedy) []changeSet {
	out := []changeSet{}
	for i := range all {
		set := setOf(all[i].Changes, all[i].Elsewhere)
		set.Cost, set.Fit = all[i].Cost, all[i].Fit
		set.Commands = commandsOf(all[i].Commands)
		out = append(out, set)
	}
	return out
}
