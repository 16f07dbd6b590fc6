package cmd

import (
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/internal/phrase"
)

// verdictFlags choose what makes the exit code other than 0.
type verdictFlags struct {
	failOn string
	strict bool
}

func (f *verdictFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.failOn, "fail-on", "unplaced", "what makes the exit code 3: unplaced, or never")
	offer(c, "fail-on", []string{"unplaced", "never"})
	c.Flags().BoolVar(&f.strict, "strict", false, "every note about the input is an error: the exit code is 1")
}

func (f *verdictFlags) check() error {
	if f.failOn != "unplaced" && f.failOn != "never" {
		return usageError{phrase.Errorf("--fail-on %q: use unplaced or never", f.failOn)}
	}
	return nil
}

// of is the end of a command that has played an input: losses of the input decide first, and then the pods without a
// node.
func (f *verdictFlags) of(in *opened, e end) error {
	if err := in.complete(); err != nil {
		return err
	}
	if notes := len(in.doubts()); f.strict && notes > 0 {
		if notes == 1 {
			return phrase.Errorf("--strict: there is 1 note about the input")
		}
		return phrase.Errorf("--strict: there are %d notes about the input", notes)
	}
	if f.failOn == "never" || !e.none && e.unplaced() == 0 {
		return nil
	}
	return unplaced{e.unplaced()}
}
