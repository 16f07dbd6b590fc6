package cmd

import (
	_ "embed" // cycle.md
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/screen"
)

func keysCommand(s Streams) *cobra.Command {
	return documented(&cobra.Command{
		Use: "keys", Short: "List the keys and commands of the screen",
	}, s, printKeys, screen.KeysDocument)
}

// documented is a command that prints a list: as a table, or with -o markdown as the page of the documents.
func documented(
	c *cobra.Command, s Streams, table func(io.Writer, words.Language) error, page func() string,
) *cobra.Command {
	var output string
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch output {
		case "markdown":
			_, err := fmt.Fprint(s.Out, page())
			return err
		case "table":
			return table(s.Out, languageOf(c))
		}
		return usageError{phrase.Errorf("-o %q: use table or markdown", output)}
	}
	c.Flags().StringVarP(&output, "output", "o", "table", "table or markdown")
	offer(c, "output", []string{"table", "markdown"})
	return c
}

// printKeys prints the keys group by group, then the commands.
func printKeys(out io.Writer, l words.Language) error {
	rows := aligned{out: out}
	group := ""
	for _, k := range screen.Keys() {
		if k.Group != group {
			if group != "" {
				rows.add("")
			}
			group = k.Group
			rows.add(strings.ToUpper(l.Of(group)))
		}
		keys, verb := "  "+strings.Join(k.Keys, " "), k.Line
		for _, line := range strings.Split(ansi.Wordwrap(l.Of(k.Does), listWidth-besideKeys, ""), "\n") {
			rows.add(keys, verb, line)
			keys, verb = "", ""
		}
	}
	if err := rows.flush(); err != nil {
		return err
	}
	rows = aligned{out: out}
	rows.add("")
	rows.add(l.Each("COMMANDS, AFTER : OR WITH --plain")...)
	for _, v := range command.All() {
		synopsis := "  " + v.Synopsis()
		if ansi.StringWidth(synopsis) > longestSynopsis {
			rows.add(strings.ReplaceAll(ansi.Wordwrap(synopsis, listWidth-6, ""), "\n", "\n      "))
			synopsis = ""
		}
		for _, line := range strings.Split(ansi.Wordwrap(l.Of(v.Does), listWidth-longestSynopsis, ""), "\n") {
			rows.add(synopsis, line)
			synopsis = ""
		}
	}
	return rows.flush()
}

// A list is to fit a terminal of this width. A longer synopsis has a line of its own.
const (
	listWidth       = 100
	longestSynopsis = 36
	besideKeys      = 45 // what is left of the texts of keys
)

func themesCommand(s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "themes", Short: "List the themes", Args: noArgs,
		Long: "List the themes: those that are shipped, and those in the folder schedstep/themes of your folder of configurations.",
		RunE: func(c *cobra.Command, _ []string) error {
			l, rows := languageOf(c), aligned{out: s.Out}
			own := ownThemes()
			for _, name := range themes.Names(own...) {
				p, err := themes.Load(name, own...)
				if err != nil {
					return err
				}
				rows.add(name, word(l, appearance(p)), clean(l.Of(p.About)))
			}
			return rows.flush()
		},
	}
}

// ownModule is the module of this package.
const ownModule = "github.com/schedstep/schedstep"

// versionOfBuild is "v0.3.1", or "development".
func versionOfBuild() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "development"
	}
	version := info.Main.Version
	if info.Main.Path != ownModule {
		version = versionIn(info, ownModule)
	}
	if version == "" || version == "(devel)" {
		return "development"
	}
	return version
}

// versionIn is the version of a module that the program is made of; "": it is not, or a folder has its place.
func versionIn(info *debug.BuildInfo, module string) string {
	for _, d := range info.Deps {
		switch {
		case d.Path != module:
		case d.Replace == nil:
			return d.Version
		case d.Replace.Path == module:
			return d.Replace.Version
		}
	}
	return ""
}

func versionCommand(s Streams, modules []string) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which version this is, and of whose scheduler", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.Out, versions(modules))
			return err
		},
	}
}

// versions is the output of version and --version. modules are those of plugins that were built in.
func versions(modules []string) string {
	text := fmt.Sprintf(
		"schedstep %s\nkube-scheduler %s\n%s %s/%s\n", versionOfBuild(), release.Newest().Version, runtime.Version(),
		runtime.GOOS, runtime.GOARCH,
	)
	info, _ := debug.ReadBuildInfo()
	for _, module := range modules {
		version := "development"
		if info != nil && versionIn(info, module) != "" {
			version = versionIn(info, module)
		}
		text += fmt.Sprintf("%s %s\n", module, version)
	}
	return text
}

// kubectlCompletionCommand prints the script that kubectl runs to complete a plugin's command line.
func kubectlCompletionCommand(s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "kubectl-completion", Short: "Print the script for kubectl to complete `kubectl schedstep`", Args: noArgs,
		Long: `Put the output on PATH as an executable called kubectl_complete-schedstep:

  schedstep kubectl-completion > ~/.local/bin/kubectl_complete-schedstep
  chmod +x ~/.local/bin/kubectl_complete-schedstep`,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.Out, "#!/bin/sh\nexec kubectl schedstep __complete \"$@\"\n")
			return err
		},
	}
}

// commandsCommand prints docs/commands.md.
func commandsCommand(s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "commands", Short: "Print docs/commands.md", Hidden: true, Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(s.Out, commandsDocument(c.Root()))
			return err
		},
	}
}

// cycleDocument is the part of docs/commands.md about the JSON of a cycle.
//
//go:embed cycle.md
var cycleDocument string

// commandsDocument describes every command from the table that runs them.
func commandsDocument(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nMade from the command table by `make generate`; do not edit.\n\n" + root.Long + "\n")
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		describeCommand(&b, c, "##")
	}
	b.WriteString("\n## schedstep completion SHELL\n\nPrint the completion script for bash, zsh, fish or powershell.\n\n" +
		cycleDocument)
	return b.String()
}

// describeCommand describes a command, and those below it under headings one smaller.
func describeCommand(b *strings.Builder, c *cobra.Command, heading string) {
	fmt.Fprintf(b, "\n%s %s\n\n%s.\n", heading, strings.TrimSuffix(c.UseLine(), " [flags]"), c.Short)
	if c.Long != "" {
		b.WriteString("\n" + c.Long + "\n")
	}
	if c.Example != "" {
		b.WriteString("\n```\n" + c.Example + "\n```\n")
	}
	if c.Runnable() && c.HasAvailableLocalFlags() {
		b.WriteString("\n| flag | default | meaning |\n|---|---|---|\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { describeFlag(b, f) })
	}
	for _, below := range c.Commands() {
		describeCommand(b, below, heading+"#")
	}
}

func describeFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Name == "help" {
		return
	}
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	_, usage := pflag.UnquoteUsage(f)
	otherwise := ""
	if f.DefValue != "" {
		otherwise = "`" + f.DefValue + "`"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, otherwise, strings.ReplaceAll(usage, "|", `\|`))
}

// appearance returns the background for which a theme is meant.
func appearance(p themes.Palette) string {
	if p.Appearance == themes.Light {
		return "light"
	}
	return "dark"
}
