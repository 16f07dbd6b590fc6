package cmd

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// checkScreen checks what --tui goes with.
func (f *diffFlags) checkScreen() error {
	switch {
	case len(f.b) == 0:
		return phrase.Errorf("--tui: it plays the input under --a, and --b on a branch: give it --b")
	case f.report != "" || f.output != "table" || len(f.only) > 0:
		return phrase.Errorf("--tui: it is a screen, without -o, --only and --report")
	}
	for _, setting := range f.b {
		if strings.ContainsAny(setting, " ;\t") {
			return phrase.Errorf("--tui: --b %q: the command line of the screen takes no blanks and semicolons in a value", setting)
		}
	}
	return nil
}

// beginning is what the screen does first: B from the beginning on a branch of its own, then the main line, which is A,
// to its end, and the comparison.
func (f *diffFlags) beginning() string {
	lines := []string{"rewind"}
	for _, setting := range f.b {
		lines = append(lines, "set "+edited(setting))
	}
	lines = append(lines, "goto end", "branch main", "goto end", "diff "+strings.Join(f.b, " "))
	return strings.Join(lines, "; ")
}

// edited is a setting of a side as the command set takes it.
func edited(setting string) string {
	name, value, _ := strings.Cut(setting, "=")
	switch name {
	case "kube-version":
		return "release " + value
	case "weight":
		return "weight " + strings.Replace(value, "=", " ", 1)
	}
	return name + " " + value
}
