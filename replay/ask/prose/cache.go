package prose

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// How much is printed of the cache.
const (
	mostCacheNodes = 60
	mostCacheNames = 20
	mostCacheLines = 30
)

// Cache is what the cache of kube-scheduler holds.
func Cache(lang words.Language, c session.Cache) []Line {
	t := told{language: lang}
	if !c.Read {
		t.add(0, Note, textUnread, c.Version)
	} else {
		t.add(0, Note, textInSource, c.Form.Type.Name, c.Form.Type.File)
	}
	t.cachedNodes(&c)
	t.snapshot(&c)
	t.tree(&c)
	t.assumedPods(&c)
	t.images(&c)
	return t.lines
}

// listed is so many names of a list.
func (t *told) listed(names []string) string {
	text := strings.Join(names[:min(len(names), mostCacheNames)], ", ")
	if more := len(names) - mostCacheNames; more > 0 {
		text += t.language.Say(textMore, more)
	}
	return text
}

// say adds a line whose values are filled in already.
func (t *told) say(level int, role Role, text string) {
	t.lines = append(t.lines, Line{Level: level, Role: role, Text: text})
}

func (t *told) cachedNodes(c *session.Cache) {
	if c.Read && !c.Form.Listed {
		t.add(0, Heading, textCacheMap)
	} else {
		t.add(0, Heading, textCacheNodes)
	}
	for i := range c.Nodes[:min(len(c.Nodes), mostCacheNodes)] {
		n := &c.Nodes[i]
		said := t.language.Say(textOfGeneration, n.Name, n.Generation, t.language.Count(n.Pods, "pod"))
		switch {
		case n.Ghost:
			said += t.language.Of(textGhost)
		case n.Copied:
			said += t.language.Of(textCopied)
		}
		t.say(1, Evidence, said)
	}
	if more := len(c.Nodes) - mostCacheNodes; more > 0 {
		t.say(1, Note, t.language.Say(textMoreNodes, more))
	}
	switch {
	case len(c.Nodes) == 0:
		t.add(1, Note, textNoNodesThere)
	case c.Read && !c.Form.Listed:
		t.add(1, Note, textOwnNumbers)
	default:
		t.add(1, Note, textDryRuns)
	}
}

func (t *told) snapshot(c *session.Cache) {
	if !c.Read {
		return
	}
	t.add(0, Heading, textSnapshot, c.Form.Into)
	var copied []string
	for i := range c.Nodes {
		if c.Nodes[i].Copied {
			copied = append(copied, c.Nodes[i].Name)
		}
	}
	slices.Sort(copied)
	next := t.language.Of(textNothingCopied)
	if len(copied) > 0 {
		next = t.listed(copied)
	}
	switch {
	case c.Taken == 0 && !c.Within:
		t.add(1, Evidence, textNoneTaken)
	case c.Form.Listed && c.Within:
		t.say(1, Evidence, t.language.Say(textTakenNow, c.Taken))
	case c.Form.Listed:
		t.say(1, Evidence, t.language.Say(textTakenLast, c.Taken, c.Newest, next))
	case c.Within:
		t.add(1, Evidence, textMapNow)
	default:
		t.add(1, Evidence, textMapLast, next)
	}
	t.add(1, Note, "%s", c.Form.Update.String())
}

func (t *told) tree(c *session.Cache) {
	if c.Read && c.Form.Tree.Name == "" {
		t.add(0, Heading, textNoTreeHere)
		t.add(1, Note, textNoTree)
	} else {
		t.add(0, Heading, textTree)
	}
	for i := range c.Zones[:min(len(c.Zones), mostCacheLines)] {
		z := &c.Zones[i]
		name := strings.Trim(z.Region+"/"+z.Zone, "/")
		if name == "" {
			name = t.language.Of(textNoZone)
		}
		t.add(1, Evidence, textInZone, name, t.listed(z.Nodes))
	}
	if more := len(c.Zones) - mostCacheLines; more > 0 {
		t.say(1, Note, t.language.Say(textMoreNodes, more))
	}
	if len(c.Order) > 0 {
		t.add(1, Evidence, textOrder, t.listed(c.Order))
	}
	if !c.Read || c.Form.Tree.Name == "" {
		return
	}
	t.add(1, Note, textOneInTurn, c.Form.Tree.String())
	if c.Form.Anew {
		t.add(1, Note, textNextGoesOn)
	} else {
		t.add(1, Note, textListKept)
	}
}

func (t *told) assumedPods(c *session.Cache) {
	t.add(0, Heading, textAssumedPods)
	for _, a := range c.Assumed[:min(len(c.Assumed), mostCacheLines)] {
		switch {
		case !a.Until.IsZero():
			t.add(1, Evidence, textAssumedUntil, a.Pod, a.Node, words.Clock(a.Until))
		case c.Forgets > 0:
			t.add(1, Evidence, textAssumedBinding, a.Pod, a.Node)
		default:
			t.add(1, Evidence, textAssumedThere, a.Pod, a.Node)
		}
	}
	if more := len(c.Assumed) - mostCacheLines; more > 0 {
		t.say(1, Note, t.language.Say(textMoreNodes, more))
	}
	if len(c.Assumed) == 0 {
		t.add(1, Note, textNoneAssumed)
	}
	if c.Forgets > 0 {
		t.add(1, Note, textForgets, Span(c.Forgets))
	} else {
		t.add(1, Note, textNeverForgets)
	}
}

func (t *told) images(c *session.Cache) {
	t.add(0, Heading, textImages)
	if c.Read && !c.Form.Images {
		t.add(1, Note, textNoStates)
		return
	}
	for _, i := range c.Images[:min(len(c.Images), mostCacheLines)] {
		t.add(1, Evidence, textImageOn, i.Name, t.language.Count(i.Nodes, "node"), i.Size.String())
	}
	if more := len(c.Images) - mostCacheLines; more > 0 {
		t.say(1, Note, t.language.Say(textMoreNodes, more))
	}
	if len(c.Images) == 0 {
		t.add(1, Note, textNoImages)
	}
}
