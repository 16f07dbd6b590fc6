package view

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/room"
)

// Scored are the total scores of the nodes of a cycle, and the range they are in.
type Scored struct {
	Totals      map[string]int64
	Least, Most int64
}

func scoresOf(f *session.Frame) Scored {
	t := f.Try()
	if t == nil || t.Scores == nil || len(t.Scores.Totals) < len(t.Scores.Index) || len(t.Scores.Index) == 0 {
		return Scored{}
	}
	s := Scored{Totals: map[string]int64{}, Least: slices.Min(t.Scores.Totals), Most: slices.Max(t.Scores.Totals)}
	for k, i := range t.Scores.Index {
		s.Totals[t.Scores.Nodes[i]] = t.Scores.Totals[k]
	}
	return s
}

// tilesOf are the nodes of a frame, group by group: by a label, or "" by zone.
func tilesOf(f *session.Frame, by string) []session.Tile {
	tiles := slices.Clone(f.At.Tiles())
	if by != "" {
		for i := range tiles {
			tiles[i].Zone = tiles[i].Label(by)
		}
	}
	slices.SortStableFunc(tiles, func(a, b session.Tile) int {
		return cmp.Or(strings.Compare(a.Zone, b.Zone), strings.Compare(a.Node, b.Node))
	})
	return tiles
}

// ZoneName is a zone in words; "" is that of nodes without one.
func ZoneName(lang words.Language, zone string) string {
	if zone == "" {
		return lang.Of("no zone")
	}
	return lang.Say("zone %s", zone)
}

// GroupTitle is the line above the tiles of a group.
func (p *ClusterNodes) GroupTitle(lang words.Language, tiles []session.Tile) string {
	var used session.Share
	pods, of := 0, cmp.Or(p.Of, "cpu")
	for i := range tiles {
		share := tiles[i].Share(of)
		used = session.Share{Used: used.Used + share.Used, All: used.All + share.All}
		pods += tiles[i].Pods
	}
	name := ZoneName(lang, tiles[0].Zone)
	switch {
	case p.By != "" && tiles[0].Zone == "":
		name = lang.Say("no label %s", p.By)
	case p.By != "":
		name = p.By + "=" + tiles[0].Zone
	}
	return lang.Say("%s: %s, %s, %s %.0f%% requested", name, lang.Count(len(tiles), "node"), lang.Count(pods, "pod"), of,
		100*used.Part())
}

// InWords is a node in one line, with what is requested of a resource; "": of cpu and memory.
func InWords(lang words.Language, t *session.Tile, m Mark, of string) string {
	said := lang.Say("%s: cpu %.0f%%, memory %.0f%% requested, %s", t.Node, 100*t.CPU.Part(), 100*t.Memory.Part(),
		lang.Count(t.Pods, "pod"))
	if share := t.Share(of); of != "" && share.All == 0 {
		said = lang.Say("%s: has no %s, %s", t.Node, of, lang.Count(t.Pods, "pod"))
	} else if of != "" {
		said = lang.Say("%s: %s %.0f%% requested (%s of %s), %s", t.Node, of, 100*share.Part(),
			room.Written(of, share.Used), room.Written(of, share.All), lang.Count(t.Pods, "pod"))
	}
	if t.Cordoned {
		said += lang.Of(", cordoned")
	}
	return Listed(lang, said, m.Words(lang))
}

// Zones are the tiles, zone by zone.
func (p *ClusterNodes) Zones() func(func([]session.Tile) bool) {
	return func(yield func([]session.Tile) bool) {
		for from := 0; from < len(p.Tiles); {
			to := from
			for to < len(p.Tiles) && p.Tiles[to].Zone == p.Tiles[from].Zone {
				to++
			}
			if !yield(p.Tiles[from:to]) {
				return
			}
			from = to
		}
	}
}

// ClusterLines are the nodes in words, a line for each that contains a text; grouped by a label ("": by zone), with
// what is requested of a resource ("": of cpu and memory).
func ClusterLines(f *session.Frame, containing, by, of string) []string {
	p := ClusterNodes{By: ClusterLabel(by), Of: of}
	p.Take(f)
	var lines []string
	i := 0
	for group := range p.Zones() {
		lines = append(lines, p.GroupTitle(f.Language, group))
		for range group {
			line := Listed(f.Language, InWords(f.Language, &p.Tiles[i], p.Marks[i], of), p.ScoreInWords(f.Language, &p.Tiles[i]))
			if strings.Contains(line, containing) {
				on := strings.Join(p.podNames(f.Language, &p.Tiles[i]), " ")
				lines = append(lines, Joined(f.Language.Of("; "), f.Language.Say("node %s", line), on))
			}
			i++
		}
	}
	return lines
}

// ScoreInWords is the total score of a node; "" where it was not scored.
func (p *ClusterNodes) ScoreInWords(lang words.Language, t *session.Tile) string {
	total, is := p.Score.Totals[t.Node]
	if !is {
		return ""
	}
	return lang.Say("score %d", total)
}

// podNames are the pods of a node that request most; victims are marked.
func (p *ClusterNodes) podNames(lang words.Language, t *session.Tile) []string {
	var names []string
	for _, b := range t.Biggest(cmp.Or(p.Of, "cpu")) {
		if p.Goes[b.Pod] {
			b.Name = lang.Say("%s (has to leave)", b.Name)
		}
		names = append(names, b.Name)
	}
	return names
}

// ClusterNodes are the nodes of a frame group by group, with what its cycle made of each.
type ClusterNodes struct {
	By string // the label by which nodes are grouped; "": their zone
	Of string // the resource that fills the nodes; "": cpu and memory

	Tiles []session.Tile  // by zone, then name
	Marks []Mark          // of the tiles
	Score Scored          // of the tiles
	Goes  map[string]bool // pods that have to leave
}

// ClusterLabel is the label by which nodes are grouped; that of zones is "".
func ClusterLabel(label string) string {
	if label == corev1.LabelTopologyZone {
		return ""
	}
	return label
}

// Take takes the nodes of a frame.
func (p *ClusterNodes) Take(f *session.Frame) {
	p.Tiles = tilesOf(f, p.By)
	p.Marks, p.Score, p.Goes = marksOf(f, p.Tiles), scoresOf(f), map[string]bool{}
	if t := f.Try(); t != nil && t.Preemption != nil {
		for _, pod := range t.Preemption.Victims {
			p.Goes[pod] = true
		}
	}
}
