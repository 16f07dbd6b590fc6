package cmd

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
)

// exportFlags choose the part of a run that becomes one file, and its format.
type exportFlags struct {
	input   inputFlags
	verdict verdictFlags
	about   string // of command's documents
	out     string
	force   bool
	format  string
	html    bool
	pod     string
	cycle   int64
}

func exportCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "Save a cycle or a whole run as one page, or as Markdown, JSON or CSV",
		Long: `export plays FILE to its end and saves what a screen would show as one file that can be sent to
somebody: HTML that needs no network, can be read with scripts off, by daylight and at night, and
whose tables can be sorted and filtered; or Markdown, JSON or CSV.`,
		Args: func(c *cobra.Command, args []string) error {
			return usageError{phrase.Errorf("%s: what? (%s, %s)%s", c.CommandPath(), command.DocumentCycle,
				command.DocumentRun, belowMeant(c, args))}
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cycle := exportFlags{input: inputFlags{plugins: plugins}, about: command.DocumentCycle}
	of := cycle.command(s, "cycle FILE...", textOneCycle)
	of.Example = `  schedstep export cycle bundle/ --pod web-7 -o web-7.html
  schedstep export cycle cluster.yaml --cycle 12 --to csv`
	of.Flags().StringVar(&cycle.pod, "pod", "", "the last cycle about this `pod`; without it and --cycle the last one")
	of.Flags().Int64Var(&cycle.cycle, "cycle", 0, "the cycle of this `number`")
	run := exportFlags{input: inputFlags{plugins: plugins}, about: command.DocumentRun}
	whole := run.command(s, "run FILE...", textWholeRun)
	whole.Example = `  schedstep export run bundle/ -o run.html
  schedstep export run cluster.yaml rollout.yaml --to md`
	c.AddCommand(of, whole)
	return c
}

// What each of the two is about.
const (
	textOneCycle = "One cycle: why, the cluster as a picture, every filter and score, preemption"
	textWholeRun = "A whole run: its figures, the cluster at the end, every cycle"
)

func (f *exportFlags) command(s Streams, use, short string) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: someFiles, RunE: func(c *cobra.Command, args []string) error {
		return f.export(c, s, args)
	}}
	f.input.add(c)
	f.verdict.add(c)
	c.Flags().StringVarP(&f.out, "output", "o", "-", "the `file` to write; - is standard output")
	c.Flags().BoolVar(&f.force, "force", false, "write over a file that is there")
	c.Flags().StringVar(&f.format, "to", "", "one of "+strings.Join(command.DocumentFormats(), ", ")+
		"; without it by the ending of the file, else html")
	c.Flags().BoolVar(&f.html, "html", false, "the same as --to html")
	offer(c, "to", command.DocumentFormats())
	return c
}

func (f *exportFlags) export(c *cobra.Command, s Streams, args []string) error {
	format, err := f.kind()
	if err = errors.Join(err, f.verdict.check(), spare(f.out, f.force)); err != nil {
		return err
	}
	in, err := f.input.openToPlay(c, s, args)
	if err != nil {
		return err
	}
	player := in.input.Play(in.config, in.seed, trace.Summary)
	walk := in.sessionOf(player)
	walk.Move(c.Context(), session.Continue, session.Forward, nil)
	end := choice{labels: labels.Everything()}.end(player)
	if err := f.turn(c, walk); err != nil {
		return err
	}
	text, err := command.Document(command.Call{Context: c.Context(), Session: walk}, f.about, format)
	if err != nil {
		return err
	}
	if err := f.write(s, languageOf(c), text); err != nil {
		return err
	}
	return f.verdict.of(in, end)
}

// kind is the format that is meant.
func (f *exportFlags) kind() (string, error) {
	format := f.format
	if format == "markdown" {
		format = "md"
	}
	switch ending := strings.Replace(strings.TrimPrefix(filepath.Ext(f.out), "."), "markdown", "md", 1); {
	case f.html:
		format = "html"
	case format == "" && slices.Contains(command.DocumentFormats(), ending):
		format = ending
	case format == "":
		format = "html"
	}
	if !slices.Contains(command.DocumentFormats(), format) {
		return "", usageError{phrase.Errorf(
			"--to %q: use one of %s", format, strings.Join(command.DocumentFormats(), ", "),
		)}
	}
	return format, nil
}

// turn goes to the cycle that is meant.
func (f *exportFlags) turn(c *cobra.Command, walk *session.Session) error {
	var stop session.Stop
	switch {
	case f.pod != "":
		key, err := walk.At().PodKey(f.pod)
		if err != nil {
			return err
		}
		number, tried := walk.At().LastCycle(key)
		if !tried {
			return phrase.Errorf("no cycle tried pod %q", key)
		}
		stop = walk.GotoCycle(c.Context(), number, nil)
	case f.cycle != 0:
		stop = walk.GotoCycle(c.Context(), f.cycle, nil)
	}
	if stop.Reason == session.NotFound {
		return phrase.Errorf("%s", stop.Text)
	}
	return nil
}

func (f *exportFlags) write(s Streams, l words.Language, text string) error {
	if f.out == "-" {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	if err := save(f.out, func(to io.Writer) error {
		_, err := io.WriteString(to, text)
		return err
	}); err != nil {
		return err
	}
	if !f.input.quiet {
		fmt.Fprintln(s.Err, l.Say("%s: %d bytes", clean(f.out), len(text)))
	}
	return nil
}
