package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// begin puts a session where something is to be seen: where it was saved, at the newest of a cluster that runs, else at
// the filters of the first cycle.
func (o *opened) begin(ctx context.Context, s Streams, walk *session.Session) error {
	switch {
	case o.live != nil:
		walk.Move(ctx, session.Continue, session.Forward, nil)
	case o.input.Session != nil:
		if err := walk.Restore(ctx, o.input.Session, restoring(s, o.language)); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintln(s.Err, o.language.Say("note: %s", clean(o.language.Error(err))))
		}
	default:
		walk.GotoPhase(ctx, trace.PhaseFilter, nil)
	}
	return nil
}

// restoring prints on a terminal the progress to a saved place; elsewhere it is silent.
func restoring(s Streams, l words.Language) func(steps int) {
	f := terminal(s.Err)
	if f == nil {
		return nil
	}
	return func(steps int) {
		if steps%4096 == 0 {
			drawOver(f, l.Say("to the saved place: %d steps", steps))
		}
	}
}

// writeSession writes the input as a recording with the place of the session, redacted as recordings are.
func (o *opened) writeSession(to io.Writer, saved, keyframe []byte) error {
	if unrecorded(o) > 0 {
		return phrase.Errorf("this scenario holds bindings or evictions, which no file of a session can hold")
	}
	ctx := context.Background() // the rest is played, so that extenders answer what they were not asked before
	h := o.header()
	h.Session = true
	w, err := recording.NewWriter(to, h, recording.Options{})
	if err != nil {
		return err
	}
	if err := o.writeEvents(ctx, w); err != nil {
		return err
	}
	if err := w.Session(saved, keyframe); err != nil {
		return err
	}
	return w.Close()
}

// keyframes are what a session of the input needs to begin at a keyframe, and to write one. A server that answers for
// an extender may answer otherwise the next time, so that there is none then.
func (o *opened) keyframes() *session.Keyframes {
	if o.journal != nil {
		return nil
	}
	return &session.Keyframes{
		Saved: o.input.Keyframe, Basis: o.basis(), Told: func() []byte { return o.input.Digest(o.config, o.basis()) },
		Redact: recording.NewRedactor().Redact,
		Resume: func(k *play.Keyframe) (*play.Player, error) {
			return o.input.PlayFrom(k, o.config, o.seed, trace.Reported)
		},
	}
}

// basis names all that decides besides the events.
func (o *opened) basis() string {
	percentage := "by the configuration"
	if o.input.Percentage != nil {
		percentage = strconv.Itoa(int(*o.input.Percentage))
	}
	hash := sha256.New()
	fmt.Fprintln(hash, versionOfBuild(), o.config.Gates.Release().Patch, o.config.Gates.String(), o.seed, percentage,
		o.input.World, o.input.Until.UTC(), string(config.Kept(o.text)))
	return hex.EncodeToString(hash.Sum(nil))
}
