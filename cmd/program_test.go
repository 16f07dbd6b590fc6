package cmd_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/cmd"
)

// samples are files and folders that real clusters and tools wrote; their origins stand beside them.
const samples = "../replay/source/importer/testdata/samples/"

// ended is what the program left behind.
type ended struct {
	code     int
	out, err string
}

// program runs one command line with an empty standard input.
func program(t *testing.T, args ...string) ended {
	t.Helper()
	return called(t, "schedstep", args...)
}

// called is that of a program that was called by a name.
func called(t *testing.T, name string, args ...string) ended {
	t.Helper()
	var out, err bytes.Buffer
	code := cmd.Main(
		cmd.WithArgs(append([]string{name}, args...)...),
		cmd.WithStreams(cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &err}),
	)
	return ended{code, out.String(), err.String()}
}
