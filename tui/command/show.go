package command

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/tui/view"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/session"
)

// Lines describes a part in labelled lines; of tables only the lines that contain a text.
func Lines(f *session.Frame, p Part, containing string) []string {
	switch p {
	case PartQueue:
		return describeQueue(f)
	case PartFilter:
		return aboutMember(f, func(f *session.Frame) []string { return describeFilter(f, containing) })
	case PartScore:
		return aboutMember(f, describeScores)
	case PartPreemption:
		return describePreemption(f, containing)
	case PartGroup:
		return describeGroup(f, containing)
	case PartBinding:
		return describeFacts(f, BindingPhases()...)
	case PartFacts:
		return describeFacts(f)
	case PartWhy:
		return describeWhy(f)
	case PartTimeline:
		return describeTimeline(f)
	case PartCluster:
		return view.ClusterLines(f, containing, "", "")
	case PartCharts:
		return view.ChartLines(f, containing)
	case PartCache:
		return holding(prose.Plain(prose.Cache(f.Language, f.At.Cache())), containing)
	case PartStart:
		return holding(prose.Plain(prose.Beginning(f.Language, f.At.Beginning())), containing)
	}
	return describe(f)
}

// holding are the lines that contain a text.
func holding(lines []string, text string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, text) })
}

// describeWhy is what the screen's pane Why shows about the cell or the cycle at the cursor.
func describeWhy(f *session.Frame) []string {
	s := view.Selection{NodeIndex: -1, PluginIndex: -1, Placement: -1}
	if t := f.Try(); f.Cell != nil && t != nil && t.Matrix != nil {
		s.Subject, s.NodeIndex, s.PluginIndex = view.OfFilter, f.Cell.Node, f.Cell.Plugin
		s.Node, s.Plugin = t.Matrix.Nodes[f.Cell.Node], t.Matrix.Plugins[f.Cell.Plugin]
	}
	return prose.Plain(view.WhyLines(f, s))
}

// BindingPhases are the phases of a cycle that come after a node was chosen, and its end.
func BindingPhases() []trace.Phase {
	return []trace.Phase{
		trace.PhaseSelect, trace.PhaseReserve, trace.PhasePermit, trace.PhasePreBind, trace.PhaseBind, trace.PhasePostBind,
		trace.PhaseFailure, trace.PhaseEnd,
	}
}

// Selected describes what is selected on the screen, and then where the session is.
func Selected(f *session.Frame, s view.Selection) []string {
	return append(describeSelection(f, s), describe(f)...)
}
