// Package outside runs a program that schedules: a command of the user's own, with the user's rights. It knows nothing
// of pods and nodes. It runs only if the command line allowed it.
package outside

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Limits of one run.
const (
	limit      = 10 * time.Second
	mostOutput = 16 << 20 // bytes
	mostSaid   = 400      // bytes of standard error that an error repeats
)

// seed is the environment variable with the number of programs that were run before. A program draws its randomness
// from it: a bash script writes RANDOM=$SCHEDSTEP_SEED.
const seed = "SCHEDSTEP_SEED"

// Run runs a command and returns what it wrote. A command that fails, takes longer than ten seconds or writes more than
// 16 MiB is an error.
func Run(command []string, input []byte, before int) ([]byte, error) {
	return within(limit, command, input, before)
}

func within(most time.Duration, command []string, input []byte, before int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = append(os.Environ(), seed+"="+strconv.Itoa(before))
	c.Stdin = bytes.NewReader(input)
	var output, said bounded
	output.most, said.most = mostOutput, mostSaid
	c.Stdout, c.Stderr = &output, &said
	c.WaitDelay = time.Second // for children of it that keep its output open
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return nil, phrase.Errorf("it took longer than %s", most)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, phrase.Errorf("it failed: %w%s", err, said.told())
	case output.cut:
		return nil, phrase.Errorf("it wrote more than %d bytes", mostOutput)
	}
	return output.kept.Bytes(), nil
}

// bounded keeps the first so many bytes.
type bounded struct {
	kept bytes.Buffer // not embedded: its ReadFrom would take all
	most int
	cut  bool
}

// Write takes all and keeps what there is room for.
func (b *bounded) Write(text []byte) (int, error) {
	n := len(text)
	if room := b.most - b.kept.Len(); n > room {
		b.cut, text = true, text[:room]
	}
	b.kept.Write(text)
	return n, nil
}

// told is what the program printed about its failure, in one line; "": there is none.
func (b *bounded) told() string {
	text := strings.Join(strings.Fields(b.kept.String()), " ")
	if text == "" {
		return ""
	}
	return ": " + text
}
