//go:build unix

package input_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// piped is a pipe, as a shell makes for <(...), that gives a text once.
func piped(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		_, _ = io.WriteString(f, text) // a reader that gives up is the test's to notice
		_ = f.Close()
	}()
	return path
}

// manyNodes is longer than the bytes from which a format is detected.
func manyNodes(n int) string {
	var text strings.Builder
	for i := range n {
		text.WriteString("---\n" + strings.Replace(node, "n1", fmt.Sprintf("node-%04d", i), 1))
	}
	return text.String()
}

func TestAPipeIsReadFromItsFirstByte(t *testing.T) {
	in := readable(t, input.Options{}, manyNodes(2000))
	var packed bytes.Buffer
	w, err := recording.NewWriter(&packed, recording.Header{Start: in.Start}, recording.Options{Packing: recording.Plain})
	if err != nil {
		t.Fatal(err)
	}
	for _, timed := range in.Script {
		if err := w.Write(timed.At, timed.Event); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"manifests": manyNodes(2000), "a recording": packed.String(),
		"a scenario": "# " + strings.Repeat("a long story\n# ", 900) + "\nnode n1\npod web\n",
	} {
		whole := readable(t, input.Options{}, text)
		in, err := input.Read(t.Context(), []string{piped(t, text)}, input.Options{})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got, want := len(in.Script), len(whole.Script); got != want || len(in.Refused) > 0 {
			t.Errorf("%s: %d events, refused %q; a file of the same bytes has %d", what, got, in.Refused, want)
		}
	}
}

func TestAForcedFormatReadsStandardInput(t *testing.T) {
	for format, want := range map[string]string{
		"scenario":  "",
		"recording": "recording standard input: its first line is no header (want {\"format\":\"schedstep.dev/recording\",\"version\":1,...})",
	} {
		_, err := input.Read(t.Context(), []string{"-"}, input.Options{
			Format: format, Stdin: strings.NewReader("node n1\npod web\n"),
		})
		if got := fmt.Sprint(err); got != want && (want != "" || err != nil) {
			t.Errorf("--format %s: %s, want %s", format, got, want)
		}
	}
}

func TestWhatCanBeReadOnceIsReadOnce(t *testing.T) {
	_, err := input.Read(t.Context(), []string{"-", "-"}, input.Options{Stdin: strings.NewReader(node)})
	if want := "standard input is named twice, and can be read once"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = input.Read(t.Context(), []string{"-"}, input.Options{})
	if want := "standard input: nothing is connected to it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() {
		<-asked
		cancel()
	}()
	_, err := input.Read(ctx, []string{"-"}, input.Options{Stdin: told{silent, asked}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// told is a reader that announces its first read.
type told struct {
	io.Reader
	asked chan struct{}
}

func (r told) Read(p []byte) (int, error) {
	close(r.asked)
	return r.Reader.Read(p)
}

func TestByteOrderMarkIsNoPartOfAText(t *testing.T) {
	for _, text := range []string{"\ufeffnode n1\npod web\n", "\ufeff" + node} {
		if in := readable(t, input.Options{}, text); len(in.Refused) > 0 {
			t.Errorf("%q: refused %q", text, in.Refused)
		}
		in, err := input.Read(t.Context(), []string{"-"}, input.Options{Stdin: strings.NewReader(text)})
		if err != nil || len(in.Refused) > 0 {
			t.Errorf("%q on standard input: %v", text, err)
		}
	}
}
