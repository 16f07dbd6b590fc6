// Package outside runs a program that schedules: a command of the user's own, with the user's rights. It knows nothing
// of pods and nodes. Nobody calls it unless the command line allowed it.
package outside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Limits of one run.
const (
	limit      = 10 * time.Second
	mostOutput = 16 << 20 // bytes
	mostSaid   = 400      // bytes of standard error that an error repeats
)

// seed is the environment variable that tells a program how often programs were run before, for it to draw its chance
// from: a bash script says RANDOM=$SCHEDSTEP_SEED.
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
		return nil, fmt.Errorf("it took longer than %s", most)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("it failed: %w%s", err, said.told())
	case output.cut:
		return nil, fmt.Errorf("it wrote more than %d bytes", mostOutput)
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

// told is what the program said of its failure, in one line; "": nothing.
func (b *bounded) told() string {
	text := strings.Join(strings.Fields(b.kept.String()), " ")
	if text == "" {
		return ""
	}
	return ": " + text
}
