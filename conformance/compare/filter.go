package compare

import (
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/core/trace"
)

// matrix compares every filter on every node, and which filter is the first to
// reject a node.
func (b *bench) matrix() {
	m := b.Ours.Matrix
	if b.Theirs.PreFilter.Code != success || b.Ours.Nodes == 0 {
		return
	}
	if m == nil || !m.Complete {
		b.same(Difference{What: "PreFilter outcome"}, text(b.Theirs.PreFilter.Verdict), "rejected")
		return
	}
	plugins := m.Plugins
	if m.Extenders {
		plugins = plugins[:len(plugins)-1]
	}
	b.same(Difference{What: "Filter plugins"}, fmt.Sprint(b.Filters), fmt.Sprint(plugins))
	names := make([]string, len(b.Theirs.Nodes))
	for i, node := range b.Theirs.Nodes {
		names[i] = node.Node
	}
	asked := m.Nodes
	if b.Within != nil {
		elsewhere := func(node string) bool { return !slices.Contains(b.Within, node) }
		asked = slices.DeleteFunc(slices.Clone(asked), elsewhere)
	}
	b.same(Difference{What: "snapshot order"}, fmt.Sprint(names), fmt.Sprint(asked))
	if !slices.Equal(names, asked) || !slices.Equal(b.Filters, plugins) {
		return
	}
	for _, node := range b.Theirs.Nodes {
		i := slices.Index(m.Nodes, node.Node)
		b.cells(i, node)
		b.first(i, node)
	}
}

func (b *bench) cells(node int, theirs oracle.NodeAnswer) {
	for _, verdict := range theirs.Filters {
		p := slices.Index(b.Filters, verdict.Plugin)
		ours := success
		switch v, failed := b.Ours.Matrix.Verdict(node, p); {
		case failed:
			ours = textOf(v)
		case b.Ours.Matrix.Skipped[p]:
			ours = trace.Skip.String()
		}
		b.tally.of(verdict.Plugin).verdict(verdict)
		if b.passedBefore(theirs.Framework, p) {
			continue
		}
		b.same(Difference{What: "Filter", Plugin: verdict.Plugin, Node: theirs.Node}, text(verdict), ours)
	}
}

// passedBefore reports that kube-scheduler's cycle ran the p-th filter with the pods nominated to the node, and went on
// to a later one that failed. The filter passed then, even if it would fail without those pods.
func (b *bench) passedBefore(framework oracle.Verdict, p int) bool {
	return framework.Code != success && slices.Index(b.Filters, framework.Plugin) > p
}

// wrapped is a filter's verdict as the framework hands it on: an error gets the prefix that names the plugin.
func wrapped(plugin string, v trace.Verdict) trace.Verdict {
	if v.Code == trace.Error && plugin != "" {
		v.Reasons = []string{fmt.Sprintf("running %q filter plugin: %s", plugin, v.Message())}
	}
	return v
}

// first compares the framework's verdict on a node that its cycle reached.
func (b *bench) first(node int, theirs oracle.NodeAnswer) {
	if theirs.Framework.Code == "" {
		return
	}
	ours := success
	if failures := b.Ours.Matrix.OnNode(node); len(failures) > 0 && int(failures[0].Plugin) < len(b.Filters) {
		plugin := b.Ours.Matrix.Plugins[failures[0].Plugin]
		ours = plugin + " " + textOf(wrapped(plugin, failures[0].Verdict))
	}
	said := success
	if theirs.Framework.Code != success {
		said = theirs.Framework.Plugin + " " + text(theirs.Framework)
	}
	b.tally.Nodes++
	b.same(Difference{What: "first failure", Node: theirs.Node}, said, ours)
}
