package view

import (
	"github.com/schedstep/schedstep/core/trace"

	"github.com/schedstep/schedstep/internal/words"
)

// StandingOf is the result for a node in a matrix, in a few words: fits, or the plugins that reject it.
func StandingOf(lang words.Language, m *trace.Matrix, node int) string {
	failures := m.OnNode(node)
	if len(failures) == 0 {
		return lang.Of("fits")
	}
	plugins := make([]string, len(failures))
	for i, f := range failures {
		plugins[i] = m.Plugins[f.Plugin]
	}
	return lang.Say("rejected by %s", ShortAll(plugins))
}
