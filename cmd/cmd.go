// Package cmd is the command line: it reads flags, connects the other packages and prints. It decides nothing about
// scheduling.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
)

// The exit codes.
const (
	exitDone     = 0 // every pod placed, for run and explain
	exitError    = 1
	exitUsage    = 2
	exitUnplaced = 3 // done, and some pod could not be placed
)

// Streams are the program's standard streams.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

// Unwrap is the error behind the wrong usage, which may be printed in another language.
func (u usageError) Unwrap() error { return u.error }

// unplaced is the end of a run that left pods without a node, or that had none.
type unplaced struct{ pods int }

// Error counts the pods.
func (u unplaced) Error() string {
	if u.pods == 0 {
		return "there was no pod to place"
	}
	return words.Count(u.pods, "pod") + " could not be placed"
}

// program is what Main runs.
type program struct {
	args    []string // the first is how the user called the program
	streams Streams
	plugins []config.Plugin
	modules []string // that the plugins are in
	release string   // whose scheduler decides where nothing names another; "": the newest
}

// Option changes what Main runs.
type Option func(*program)

// WithPlugin lets configurations name a plugin besides those of kube-scheduler. It may be given several times.
func WithPlugin(p config.Plugin) Option {
	return func(run *program) { run.plugins = append(run.plugins, p) }
}

// WithModule names a module that has plugins of WithPlugin, whose version the command version prints.
func WithModule(path string) Option {
	return func(run *program) { run.modules = append(run.modules, path) }
}

// WithRelease has the scheduler of a release decide where neither the input nor --kube-version names one.
func WithRelease(version string) Option { return func(run *program) { run.release = version } }

// WithArgs runs another command line than that of the process. The first of args is the name of the program.
func WithArgs(args ...string) Option { return func(run *program) { run.args = args } }

// WithStreams reads and writes other streams than those of the process.
func WithStreams(s Streams) Option { return func(run *program) { run.streams = s } }

// Main runs the command line of the process and returns the exit code.
func Main(options ...Option) int {
	run := &program{args: os.Args, streams: Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}}
	for _, option := range options {
		option(run)
	}
	if err := config.CheckPlugins(run.plugins); err != nil {
		return exitCode(err, run.streams, words.English)
	}
	var speaks atomic.Value // the language, when the command line has been read
	ctx, stop := untilSignal(run.streams.Err, func() words.Language {
		l, _ := speaks.Load().(words.Language)
		return l
	})
	defer stop()
	root := newRoot(displayName(run.args[0]), run.streams, run.plugins)
	run.mark(root)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { speaks.Store(languageOf(c)) }
	root.SetArgs(run.args[1:])
	help := &failing{to: run.streams.Out}
	root.SetOut(help)
	carriedOut, err := root.ExecuteContextC(ctx)
	err = withMeant(carriedOut, err)
	if err == nil {
		err = help.err
	}
	l := languageOf(carriedOut)
	if s, is := signalOf(ctx); is && errors.Is(err, context.Canceled) {
		fmt.Fprintln(run.streams.Err, l.Of("stopped"))
		return s.code()
	}
	return exitCode(err, run.streams, l)
}

// mark gives the commands the release that decides, and the modules whose versions they print.
func (run *program) mark(root *cobra.Command) {
	root.SetVersionTemplate(versions(run.modules))
	for _, c := range root.Commands() {
		if c.Name() == "version" {
			c.RunE = versionCommand(run.streams, run.modules).RunE
		}
		if flag := c.Flags().Lookup("kube-version"); flag != nil && run.release != "" {
			must(flag.Value.Set(run.release))
			flag.DefValue = run.release
		}
	}
}

// failing keeps the first error of a writer. Cobra prints help to it and drops what Write returns.
type failing struct {
	to  io.Writer
	err error
}

// Write passes on what is printed.
func (f *failing) Write(text []byte) (int, error) {
	n, err := f.to.Write(text)
	if f.err == nil {
		f.err = err
	}
	return n, err
}

// displayName is how the user called us: kubectl runs the plugin as kubectl-schedstep.
func displayName(arg0 string) string {
	if strings.HasPrefix(filepath.Base(arg0), "kubectl-") {
		return "kubectl schedstep"
	}
	return "schedstep"
}

func exitCode(err error, s Streams, l words.Language) int {
	var left unplaced
	var other differs
	var lacks lacking
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &left), errors.As(err, &other), errors.As(err, &lacks):
		return exitUnplaced
	case errors.As(err, &usage):
		fmt.Fprintln(s.Err, l.Say("error: %s", clean(l.Error(err))))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(s.Err, l.Of("stopped"))
		return exitError
	}
	fmt.Fprintln(s.Err, l.Say("error: %s", clean(l.Error(err))))
	return exitError
}

// aboutProgram is the help of the program, with the name it was called by.
const aboutProgram = `schedstep is a debugger for kube-scheduler: it runs the whole scheduler over a recorded
cluster and shows every cycle's queue, every filter on every node, every score, the chosen
host and why. Start with:

  %[1]s learn         lessons, from the first pod to preemption; no cluster is needed
  %[1]s demo          a recording that comes with schedstep; no cluster is needed
  %[1]s attach        the cluster of the current context, as it runs; only read

FILE is a file, a folder, a glob or - for standard input: what kubectl get -o yaml|json
prints, kubectl cluster-info dump, a support bundle, manifests, a recording, a scenario, or
demo:NAME, which comes with schedstep. Several are one cluster. Where FILE may be left out, it is
the cluster of the current context.

Exit codes: 0 done (every pod placed, for run, replay and explain); 1 an error, or something a
scheduler reads was lost from the input; 2 wrong usage; 3 done, and some pod could not be placed,
or there was none; 128 and the number of the signal that ended it. --strict: notes about the
input are errors. --fail-on never: 3 becomes 0.`

func newRoot(name string, s Streams, plugins []config.Plugin) *cobra.Command {
	root := &cobra.Command{
		Use:               "schedstep",
		Short:             "Step through Kubernetes scheduling, forwards and backwards",
		Long:              fmt.Sprintf(aboutProgram, name),
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: name},
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              noArgs,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	if strings.HasPrefix(name, "kubectl") {
		attachAlone(root, s, plugins)
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if mistyped := mistypedBelow(c, c.Flags().Args()); mistyped != nil {
			return mistyped // the flag may be one of the command that was meant
		}
		return usageError{phrase.Errorf("%w%s (%s --help lists the flags)", flagError(err), flagMeant(c, err),
			c.CommandPath())}
	})
	addLanguage(root)
	root.Version = versionOfBuild()
	// Made here, as cobra would add -v, which is the level of the log in kubectl.
	root.Flags().Bool("version", false, "Say which version this is, and of whose scheduler")
	root.AddCommand(
		demoCommand(s, plugins), learnCommand(s), classCommand(s, plugins),
		replayCommand(s, plugins), runCommand(s, plugins), explainCommand(s, plugins),
		whatifCommand(s, plugins), planCommand(s, plugins), diffCommand(s, plugins), bisectCommand(s, plugins),
		sweepCommand(s, plugins), reduceCommand(s, plugins), buildCommand(s), pluginsCommand(s, plugins),
		exportCommand(s, plugins),
		convertCommand(s, plugins), lintCommand(s, plugins), recordCommand(s, plugins), attachCommand(s, plugins),
		shadowCommand(s, plugins), driveCommand(s, plugins), authCommand(s, plugins),
		releasesCommand(s), schemaCommand(s), keysCommand(s), themesCommand(s), versionCommand(s, nil),
		commandsCommand(s),
		kubectlCompletionCommand(s), manCommand(),
	)
	root.InitDefaultCompletionCmd("completion")
	for _, c := range root.Commands() {
		c.Example = asCalled(name, c.Example)
		if c.HasSubCommands() && !c.Runnable() {
			c.Args, c.RunE = noneBelow, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
		if c.Name() == "completion" {
			c.Args, c.RunE = noShell, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
	return root
}

// asCalled is an example that begins with the name by which the user called the program.
func asCalled(name, example string) string {
	example = strings.ReplaceAll(example, "kubectl schedstep ", "schedstep ")
	return strings.ReplaceAll(example, "schedstep ", name+" ")
}

// The kinds of values that flags have, in words of ours: the parser names the types of Go.
const (
	textWholeFrom0 = "a whole number from 0"
	textWhole      = "a whole number"
	textLanguage   = "a language that schedstep speaks (en, zh)"
	textDuration   = "a duration (try 90s or 10m)"
	textTruth      = "true or false"
	textCounts     = "NAME=N, N a whole number (try web=3)"
)

// flagError returns what is wrong with a flag.
func flagError(err error) error {
	var wrong *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return phrase.Errorf("unknown flag: --%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return phrase.Errorf("unknown shorthand flag: %s in %s",
			"'"+unknown.GetSpecifiedName()+"'", "-"+unknown.GetSpecifiedShortnames())
	case errors.As(err, &empty) && empty.GetSpecifiedShortnames() == "":
		return phrase.Errorf("flag needs an argument: --%s", empty.GetSpecifiedName())
	case errors.As(err, &empty):
		return phrase.Errorf("flag needs an argument: %s in %s",
			"'"+empty.GetSpecifiedName()+"'", "-"+empty.GetSpecifiedShortnames())
	case !errors.As(err, &wrong):
		return err
	}
	return phrase.Errorf("--%s %q is not %s", wrong.GetFlag().Name, wrong.GetValue(),
		phrase.Phrase{Format: kindOf(wrong.GetFlag())})
}

// kindOf is what the value of a flag has to be; "" of one that takes any.
func kindOf(flag *pflag.Flag) string {
	return map[string]string{
		"uint64": textWholeFrom0, "int64": textWhole, "int32": textWhole, "int": textWhole,
		"language": textLanguage, "duration": textDuration, "bool": textTruth, "stringToInt": textCounts,
	}[flag.Value.Type()]
}

// noneBelow refuses an argument of a command that only has others below it.
func noneBelow(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{phrase.Errorf("unknown command %q%s; %s --help lists them", args[0], belowMeant(c, args),
		c.CommandPath())}
}

// belowMeant is the command below another that was meant by its first argument.
func belowMeant(c *cobra.Command, args []string) phrase.Phrase {
	if len(args) == 0 {
		return phrase.Phrase{}
	}
	var known []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			known = append(known, below.Name())
		}
	}
	return spelling.Hint(args[0], known)
}

// mistypedBelow refuses a first argument that is no file and nearly the name of a command below; nil: it is none.
func mistypedBelow(c *cobra.Command, args []string) error {
	if len(args) == 0 || !c.HasSubCommands() || strings.ContainsAny(args[0], "/.:+*") {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil || belowMeant(c, args).IsZero() {
		return nil
	}
	return noneBelow(c, args)
}

// flagMeant is the flag that was meant by one that is not there.
func flagMeant(c *cobra.Command, err error) phrase.Phrase {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return phrase.Phrase{}
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if near := spelling.Nearest(unknown.GetSpecifiedName(), known); near != "" {
		return phrase.New(" (did you mean %q?)", "--"+near)
	}
	return phrase.Phrase{}
}

// withMeant adds to a complaint about the value of a flag which of the values that the shell is offered was meant,
// where it has no hint yet.
func withMeant(c *cobra.Command, err error) error {
	var usage usageError
	isHint := func(v any) bool { p, is := v.(phrase.Phrase); return is && !p.IsZero() }
	if !errors.As(err, &usage) || hasValue(usage, isHint) {
		return err
	}
	var hint phrase.Phrase
	c.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		offered, has := c.GetFlagCompletionFunc(f.Name)
		if !has || !hasValue(usage, func(v any) bool { return v == any(value) }) {
			return
		}
		if values, _ := offered(c, nil, ""); !slices.Contains(values, value) {
			hint = spelling.Hint(value, values)
		}
	})
	if hint.IsZero() {
		return err
	}
	return usageError{phrase.Errorf("%w%s", usage.error, hint)}
}

// hasValue reports whether one of the values that an error names, or an error in it, is such.
func hasValue(err error, is func(v any) bool) bool {
	var said *phrase.Error
	return errors.As(err, &said) && slices.ContainsFunc(said.Phrase().Values, func(v any) bool {
		inner, isError := v.(error)
		return is(v) || isError && hasValue(inner, is)
	})
}

// noShell is for completion without the name of a shell, or with one that has no script.
func noShell(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{phrase.Errorf("%s needs a shell: bash, zsh, fish or powershell", c.CommandPath())}
	}
	return usageError{
		phrase.Errorf("%s: there is no script for %q (there are bash, zsh, fish and powershell)", c.CommandPath(), args[0]),
	}
}

// noArgs refuses arguments, and names the commands there are when the root gets one.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasParent() {
		return noneBelow(c, args)
	}
	return usageError{phrase.Errorf("%s takes no arguments, got %q", c.CommandPath(), args[0])}
}

// someFiles wants at least one FILE.
func someFiles(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return usageError{
		phrase.Errorf("%s needs a FILE (a file, a folder, a glob, or - for standard input)", c.CommandPath()),
	}
}
