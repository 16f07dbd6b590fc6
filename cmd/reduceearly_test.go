package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/replay/ask/reduce"
)

// TestASearchThatEndsEarlyPrintsWhatItHasInAFormThatShowsIt ends a search before a timed input is small: manifests have
// no time, so a recording is printed.
func TestASearchThatEndsEarlyPrintsWhatItHasInAFormThatShowsIt(t *testing.T) {
	const timed = "node n1 cpu=1\npod first cpu=1\nschedule\nrun 5s\npod web cpu=2\nschedule\n"
	path := filepath.Join(t.TempDir(), "timed.txt")
	if err := os.WriteFile(path, []byte(timed), 0o600); err != nil {
		t.Fatal(err)
	}
	for output, has := range map[string]string{"yaml": `"kind":"Pod"`, "scenario": "run 5s"} {
		var out, told bytes.Buffer
		s := Streams{In: strings.NewReader(""), Out: &out, Err: &told}
		f := reduceFlags{claim: "pod web is unschedulable", output: output}
		c := &cobra.Command{}
		c.SetContext(context.Background())
		c.Flags().String("lang", "en", "")
		f.input.add(c)
		in, err := f.input.open(c, s, []string{path})
		if err != nil {
			t.Fatal(err)
		}
		claim, err := f.claimOf(c, in)
		if err != nil {
			t.Fatal(err)
		}
		found := &reduce.Reduced{Script: in.input.Script, Interrupted: true, Stopped: true}
		if err := f.fallBack(t.Context(), s, in, claim, found); err != nil {
			t.Fatal(err)
		}
		if err := f.print(c, s, in, claim, found); err != nil || !strings.Contains(out.String(), has) {
			t.Errorf("-o %s: %v\n%s%s", output, err, out.String(), told.String())
		}
		if as := strings.Contains(told.String(), "could be written as -o"); as != (output == "yaml") {
			t.Errorf("-o %s: %s", output, told.String())
		}
	}
}

// TestADifferenceThatIsNoChanceStaysNone keeps the pod on n2: without it both nodes are as good under 1.29, so that a
// Go test of what is left would fail there only now and then.
func TestADifferenceThatIsNoChanceStaysNone(t *testing.T) {
	var out bytes.Buffer
	s := Streams{In: strings.NewReader(""), Out: &out, Err: &out}
	root := newRoot("schedstep", s, nil)
	root.SetArgs([]string{"reduce", "testdata/reduced/kk-115587.txt", "--differs", "1.29..1.30", "-q"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "name: busy") {
		t.Error(out.String())
	}
}
