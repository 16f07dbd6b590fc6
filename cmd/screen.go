package cmd

import (
	"errors"
	"fmt"
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/cause"
	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

func replayCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	in := inputFlags{plugins: plugins, resumes: true, acts: true}
	var screen screenFlags
	var verdict verdictFlags
	c := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Step through a recording, a dump or a scenario on the screen",
		Long: `replay opens FILE on the screen. When the user quits, it ends with the exit code that run would
have ended with: the replay goes on to its end first, without what was tried out on branches.`,
		Args: someFiles,
		RunE: func(c *cobra.Command, args []string) error {
			if err := errors.Join(screen.check(), verdict.check()); err != nil {
				return err
			}
			o, err := in.openToPlay(c, s, args)
			if err != nil {
				return err
			}
			walk := o.session()
			if err := screen.show(c, s, o, walk); err != nil {
				return err
			}
			end, err := walk.Finish(c.Context())
			if err != nil {
				return err
			}
			return verdict.of(o, choice{labels: labels.Everything()}.end(end))
		},
	}
	in.add(c)
	in.addPeriod(c)
	in.addNodes(c)
	screen.add(c)
	verdict.add(c)
	return c
}

func demoCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	in := inputFlags{plugins: plugins}
	var screen screenFlags
	var list bool
	c := &cobra.Command{
		Use:   "demo [NAME]",
		Short: "Step through an embedded recording: no cluster, no files",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{phrase.Errorf("%s takes one NAME, got %q", c.CommandPath(), args)}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return demo.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if list {
				return listDemos(s, languageOf(c))
			}
			name := demo.Names()[0]
			if len(args) > 0 {
				name = args[0]
			}
			return showDemo(c, s, name, &in, &screen)
		},
	}
	c.Flags().BoolVar(&list, "list", false, "name the demos")
	in.addDeciding(c)
	screen.add(c)
	return c
}

func listDemos(s Streams, l words.Language) error {
	for _, d := range demo.All() {
		if _, err := fmt.Fprintf(s.Out, "%-22s %s\n", d.Name, clean(l.Of(d.About))); err != nil {
			return err
		}
	}
	return nil
}

func showDemo(c *cobra.Command, s Streams, name string, f *inputFlags, screen *screenFlags) error {
	if err := screen.check(); err != nil {
		return err
	}
	if _, err := f.options(s); err != nil {
		return err
	}
	d, err := demo.Open(name)
	if err != nil {
		return usageError{err}
	}
	defer d.Close()
	in, err := input.ReadRecording(name, d)
	if err != nil {
		return err
	}
	o, err := f.configure(c, in)
	if err != nil {
		return err
	}
	return screen.show(c, s, o, o.session())
}

// session is a walk through the input.
func (o *opened) session() *session.Session {
	player := o.input.Play(o.config, o.seed, trace.Reported)
	player.Scheduler().Observe(o.observe)
	return o.sessionOf(player)
}

// sessionOf is a session at the start of a player's replay of the input.
func (o *opened) sessionOf(player *play.Player) *session.Session {
	about := o.about()
	about.Unjudged, about.Notes, about.Hindsight = o.unjudged(), o.notes(), o.beside
	about.Configure, about.Regate = o.reconfigure, o.regate
	about.Means, about.Shown = o.means, o.shown
	if o.live == nil {
		about.Write, about.Keyframes = o.writeSession, o.keyframes()
	}
	s := session.New(player, about)
	s.Speak(o.language)
	return s
}

// about is what a session knows of every input. A session on a screen knows more.
func (o *opened) about() session.About {
	version := o.config.Gates.Release().Version
	about := session.About{Title: o.input.Title, Story: o.input.Story, Version: version, Records: o.input.Records(version)}
	about.Workloads, about.Objects = o.workloads(), o.input.Workloads
	about.Happened = o.input.World == input.Recorded
	for _, h := range o.input.Holders {
		about.Holders = append(about.Holders, cause.Holder(h))
	}
	return about
}

// show opens the session where begin puts it.
func (f *screenFlags) show(c *cobra.Command, s Streams, o *opened, walk *session.Session) error {
	game, err := f.game(o, walk.Language())
	if err != nil {
		return err
	}
	plain := f.plain || !onTerminal(s)
	// On the screen, so that the way there is seen.
	reopens := !plain && game == nil && o.live == nil && o.input.Session != nil
	if game == nil && !reopens {
		if err := o.begin(c.Context(), s, walk); err != nil {
			return err
		}
	}
	var saved []byte
	if reopens {
		saved = o.input.Session
	}
	return f.open(c, s, o, walk, game, saved)
}

// open shows a session from where it is; saved is a place that it is brought to on the screen.
func (f *screenFlags) open(
	c *cobra.Command, s Streams, o *opened, walk *session.Session, game *predict.Game, saved []byte,
) error {
	if f.plain || !onTerminal(s) {
		if begin := f.begin(); begin != "" {
			if more, err := prompt.Begin(c.Context(), walk, begin, s.Out); err != nil || !more {
				return err
			}
		}
		if game != nil {
			return prompt.Predict(c.Context(), walk, game, s.In, s.Out)
		}
		return prompt.Run(c.Context(), walk, s.In, s.Out)
	}
	options := f.options()
	options.Live, options.Game, options.Saved = o.live, game, saved
	return onWindow(s, func() error { return screen.Run(c.Context(), walk, options) })
}

// game is the game of --predict; nil: none.
func (f *screenFlags) game(o *opened, l words.Language) (*predict.Game, error) {
	switch {
	case !f.predict:
		return nil, nil
	case o.live != nil:
		return nil, usageError{phrase.Errorf("--predict: it is for recordings, not for a cluster that runs")}
	}
	return predict.New(lesson.WordsIn(l.String())), nil
}

// onWindow shows something; the terminal keeps the title of its window, and gives it back.
func onWindow(s Streams, show func() error) error {
	fmt.Fprint(s.Out, ansi.WindowOp(pushTitle, titleOfWindow))
	defer fmt.Fprint(s.Out, ansi.WindowOp(popTitle, titleOfWindow))
	return show()
}

// Window operations of xterm that others know too.
const (
	pushTitle     = 22
	popTitle      = 23
	titleOfWindow = 2
)

// onTerminal reports whether a screen can be drawn.
func onTerminal(s Streams) bool {
	in, inFile := s.In.(*os.File)
	out, outFile := s.Out.(*os.File)
	return inFile && outFile && term.IsTerminal(in.Fd()) && term.IsTerminal(out.Fd()) && os.Getenv("TERM") != "dumb"
}
