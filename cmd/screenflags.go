package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/bounded"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/themes"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/screen"
)

// screenFlags choose the look of the screen.
type screenFlags struct {
	theme   string
	plain   bool
	ascii   bool
	noColor bool
	noMouse bool
	history string // of attach alone: how much of it is kept
	keys    string // a file; "": the one in the user's folder for configurations, if there is one

	predict bool // a game

	first  string // commands to begin with, divided by semicolons; "": none
	script string // a file of commands to go on with; "": none

	rebound screen.Rebind // the content of the file
}

func (f *screenFlags) add(c *cobra.Command) {
	f.addLooks(c)
	c.Flags().BoolVar(&f.predict, "predict", false, "a game: guess what each cycle comes to before it is shown")
	c.Flags().StringVarP(
		&f.script, "execute", "x", "", "`file` with commands to begin with, as the command source takes it",
	)
}

// addLooks adds the flags for the look of the screen and its keys.
func (f *screenFlags) addLooks(c *cobra.Command) {
	c.Flags().StringVar(&f.theme, "theme", "", "`name` of a theme (schedstep themes lists them)")
	c.Flags().BoolVar(
		&f.plain, "plain", false, "a line-by-line prompt with the same verbs, for screen readers and scripts",
	)
	c.Flags().BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	c.Flags().BoolVar(&f.noColor, "no-color", false, "no colours (as NO_COLOR with any value)")
	c.Flags().BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	c.Flags().StringVar(
		&f.keys, "keys", "", "`file` with keys of your own; without it schedstep/keys.yaml in your folder of configurations",
	)
	must(c.RegisterFlagCompletionFunc("theme", func(
		*cobra.Command, []string, string,
	) ([]string, cobra.ShellCompDirective) {
		return themes.Names(ownThemes()...), cobra.ShellCompDirectiveNoFileComp
	}))
}

// check refuses a theme that does not exist, before anything is read.
func (f *screenFlags) check() error {
	if names := themes.Names(ownThemes()...); f.theme != "" && !slices.Contains(names, f.theme) {
		return usageError{phrase.Errorf("there is no theme %q%s (there are %s)", f.theme, spelling.Hint(f.theme, names),
			strings.Join(names, ", "))}
	}
	return f.readKeys()
}

// ownFolder is where the user's own keys and themes are; without a home it is a folder that does not exist.
func ownFolder() string {
	folder, err := os.UserConfigDir()
	if err != nil {
		folder = os.DevNull
	}
	return filepath.Join(folder, "schedstep")
}

// ownThemes is the folder of the user's own themes, where there is one.
func ownThemes() []fs.FS {
	folder := filepath.Join(ownFolder(), "themes")
	if at, err := os.Stat(folder); err != nil || !at.IsDir() {
		return nil
	}
	return []fs.FS{os.DirFS(folder)}
}

// mostOfKeys is the most bytes of such a file, far more than a person writes.
const mostOfKeys = 1 << 20

// readKeys reads the user's own keys. A file that the user did not name need not be there.
func (f *screenFlags) readKeys() error {
	path := f.keys
	if path == "" {
		path = filepath.Join(ownFolder(), "keys.yaml")
		if _, err := os.Stat(path); err != nil {
			return nil
		}
	}
	text, err := bounded.ReadFile(path, mostOfKeys)
	if err == nil {
		f.rebound, err = screen.ParseKeys(text)
	}
	if err != nil {
		return usageError{phrase.Errorf("keys %s: %w", path, disk.Bare(err))}
	}
	return nil
}

// begin are the commands to begin with, as they are typed; "": none.
func (f *screenFlags) begin() string {
	if f.script == "" {
		return f.first
	}
	return strings.TrimPrefix(f.first+"; source "+f.script, "; ")
}

// options are the screen's options; NO_COLOR counts with any value.
func (f *screenFlags) options() screen.Options {
	return screen.Options{
		Theme: f.theme, Themes: ownThemes(), ASCII: f.ascii, NoColor: f.noColor || os.Getenv("NO_COLOR") != "",
		NoMouse: f.noMouse, Keys: f.rebound, Begin: f.begin(), May: command.Everything,
	}
}

// detailFlag is how much of every cycle is kept.
func detailFlag(c *cobra.Command, into *string) {
	c.Flags().StringVar(
		into, "detail", "", "what a cycle keeps: summary, reported or full; without it full for json, jsonl and yaml",
	)
	offer(c, "detail", []string{"summary", "reported", "full"})
}

// detail is the detail that the user chose, or the one that a format needs.
func detail(word string, otherwise trace.Detail) (trace.Detail, error) {
	if word == "" {
		return otherwise, nil
	}
	d, ok := trace.DetailNamed(word)
	if !ok {
		return d, usageError{phrase.Errorf("--detail %q: use one of summary, reported, full", word)}
	}
	return d, nil
}
