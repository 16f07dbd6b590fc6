package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/workload"
	"github.com/schedstep/schedstep/replay/session"
)

// explainWorkload is explain of a workload. The exit code is 3 when one of its pods has no node, or it is kept from
// making any.
func (f *explainFlags) explainWorkload(
	c *cobra.Command, s Streams, in *opened, walk *session.Session, w workload.Workload,
) error {
	defer letGarbageLie()()
	found, err := workload.Find(c.Context(), walk.At(), w, nil)
	if err != nil {
		return err
	}
	if err := f.showWorkload(s, in, found); err != nil {
		return err
	}
	return f.verdict.of(in, end{others: w.Want - w.Fit() + len(found.Held)})
}

func (f *explainFlags) showWorkload(s Streams, in *opened, found workload.Answer) (err error) {
	text := plain(prose.Workload(in.language, found, prose.Extent{All: f.output == "wide", Nearest: f.nearest}))
	switch f.output {
	case "table", "wide":
		_, err = fmt.Fprintln(s.Out, text)
	case "markdown":
		err = writeMarkdown(s.Out, found.Of.String(), text)
	case "name":
		_, err = fmt.Fprintln(s.Out, clean(found.Of.Word()))
	default:
		err = writeData(s.Out, workloadDocument(found), f.output)
	}
	return err
}

// isWorkload reports whether a word names a workload by its kind.
func isWorkload(word string) bool {
	_, _, is := workload.Parse(word)
	return is
}
