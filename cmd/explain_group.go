package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// explainGroup is explain of a pod group. The exit code is 3 when one of its pods has no node.
func (f *explainFlags) explainGroup(c *cobra.Command, s Streams, in *opened, group string) error {
	walk, err := f.play(c, s, in)
	if err != nil {
		return err
	}
	e, err := walk.At().ExplainGroup(group)
	if err != nil {
		return err
	}
	text := plain(prose.GroupPage(e))
	switch f.output {
	case "table", "wide":
		_, err = fmt.Fprintln(s.Out, text)
	case "markdown":
		err = writeMarkdown(s.Out, e.Group, text)
	case "name":
		_, err = fmt.Fprintln(s.Out, clean(e.Group))
	default:
		err = writeData(s.Out, documentOf(e), f.output)
	}
	if err != nil {
		return err
	}
	end := end{}
	for i := range e.Members {
		if e.Members[i].Place.Node == "" {
			end.others++
		}
	}
	return f.verdict.of(in, end)
}

// groupPage is the page of a pod group, as the JSON of the contract.
type groupPage struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	placeData
	Time     time.Time       `json:"time"`
	Gang     bool            `json:"gang"`
	MinCount int             `json:"minCount"` // so many of its pods must have a node for any to be bound
	Topology string          `json:"topology"` // the node label whose value must be the same for all its pods; "": none
	Wakers   []wakerData     `json:"wakers"`
	Pods     []placeData     `json:"pods"`
	Cycle    *trace.Document `json:"cycle"` // the last about it, without the hash; null: there was none
	History  []eventData     `json:"history"`
}

// placeData is where a pod or a pod group is.
type placeData struct {
	Namespace    string     `json:"namespace"`
	Name         string     `json:"name"`
	Node         string     `json:"node"`  // of a pod; "" while it has none
	Queue        string     `json:"queue"` // where it waits; "" when it is in none
	Since        *time.Time `json:"since"` // since when it waits there
	BackoffUntil *time.Time `json:"backoffUntil"`
	Says         string     `json:"says"` // the same in words
}

// wakerData is a plugin that keeps a group waiting, and the events that may have it tried again; none: any event may.
type wakerData struct {
	Plugin string   `json:"plugin"`
	Events []string `json:"events"`
}

// eventData is one thing that happened to a group.
type eventData struct {
	Step  int       `json:"step"`
	Cycle int64     `json:"cycle"` // 0 between cycles
	Time  time.Time `json:"time"`
	Says  string    `json:"says"`
}

func documentOf(e session.GroupExplanation) groupPage {
	e.Language = words.English // data is the same in every language
	page := groupPage{
		APIVersion: "schedstep.dev/v1", Kind: "PodGroupPage", placeData: placeOf(e.Group, e.Place, e.Now),
		Time: e.Now.UTC(), Gang: e.Gang, MinCount: e.MinCount, Topology: e.Topology,
		Wakers: wakersOf(&e.Place), Pods: []placeData{}, History: []eventData{},
	}
	if e.Place.Queue == "" {
		page.Says = prose.GroupPage(e)[0].Text
	}
	for _, m := range e.Members {
		page.Pods = append(page.Pods, placeOf(m.Pod, m.Place, e.Now))
	}
	if e.Cycle != nil {
		cycle := e.Cycle.Document()
		page.Cycle = &cycle
	}
	for _, h := range e.History {
		page.History = append(page.History, eventData{h.Step, h.Cycle, h.At.UTC(), h.Text.String()})
	}
	return page
}

// placeOf is where the pod or the pod group with a key is.
func placeOf(key string, p session.Place, now time.Time) placeData {
	namespace, name, _ := strings.Cut(strings.TrimPrefix(key, trace.GroupKey("")), "/")
	return placeData{
		Namespace: namespace, Name: name, Node: p.Node, Queue: string(p.Queue), Since: moment(p.Row.Since),
		BackoffUntil: moment(p.Until), Says: prose.Place(words.English, p, now),
	}
}

// moment is a time as data; nil for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
