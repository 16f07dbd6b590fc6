package cmd

import (
	"io"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestAWrongValueOfAFlagIsRefusedWithWhatItHasToBe gives every flag of every command a value of control characters.
// Where the flag refuses it by itself, there are words for what it takes.
func TestAWrongValueOfAFlagIsRefusedWithWhatItHasToBe(t *testing.T) {
	refuse := 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Set("\x01") == nil {
				return
			}
			if refuse++; kindOf(f) == "" {
				t.Errorf("%s --%s: nothing is said of what a %s is", c.CommandPath(), f.Name, f.Value.Type())
			}
		})
		for _, of := range c.Commands() {
			walk(of)
		}
	}
	walk(newRoot("schedstep", Streams{Out: io.Discard, Err: io.Discard}, nil))
	if refuse < 100 {
		t.Errorf("only %d flags refuse it", refuse)
	}
}
