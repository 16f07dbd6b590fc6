package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/explain"
	"github.com/schedstep/schedstep/replay/ask/prose"
)

// nodeWord stands before the name of a node, and podWord may stand before that of a pod.
const (
	nodeWord = "node/"
	podWord  = "pod/"
)

// ofNodes are the values of -o that the page of a node has.
var ofNodes = []string{"table", "wide", "markdown", "name"}

// explainNode is explain of a node: what is on it, what is free there that no pod can use, which pods it rejects, and
// its results in every search of the run.
func (f *explainFlags) explainNode(c *cobra.Command, s Streams, in *opened, node string) error {
	if !slices.Contains(ofNodes, f.output) {
		return usageError{phrase.Errorf("-o %s: the page of a node is one of %s", f.output, strings.Join(ofNodes, ", "))}
	}
	walk, err := f.play(c, s, in)
	if err != nil {
		return err
	}
	e, err := explain.Node(c.Context(), walk.At(), node, nil)
	if err != nil {
		return err
	}
	text := plain(prose.Node(e))
	switch f.output {
	case "markdown":
		err = writeMarkdown(s.Out, node, text)
	case "name":
		_, err = fmt.Fprintln(s.Out, nodeWord+clean(node))
	default:
		_, err = fmt.Fprintln(s.Out, text)
	}
	if err != nil {
		return err
	}
	return f.verdict.of(in, end{})
}
