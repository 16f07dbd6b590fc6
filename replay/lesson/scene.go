package lesson

import (
	"bytes"
	"context"
	"io/fs"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/extender"
	"github.com/schedstep/schedstep/replay/input"
	"github.com/schedstep/schedstep/replay/session"
)

// stage opens a scene as a session that stands before its first cycle.
func (l *Lesson) stage(ctx context.Context, scene, title string) (*session.Session, error) {
	name := l.path + "/" + scene
	data, err := fs.ReadFile(l.files, scene)
	if err != nil {
		return nil, phrase.Errorf("%s: %w", name, disk.Bare(err))
	}
	in, err := input.ReadScenario(name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	decides, known := release.Find(in.Release)
	if !known {
		decides = release.Newest()
	}
	gates, err := config.ParseGatesOf(decides, in.Gates)
	if err != nil {
		return nil, phrase.Errorf("%s: %w", name, err)
	}
	with := config.Options{Gates: gates}
	decided := config.DefaultWith(with)
	if in.Config != nil {
		if decided, err = config.LoadWith(in.Config, in.From, with); err != nil {
			return nil, phrase.Errorf("%s: %w", name, err)
		}
	}
	if in.Extenders != nil {
		journal, _ := extender.NewJournal(nil)
		decided = extender.ConnectTo(decided, journal, in.Extenders)
	}
	s := session.New(in.Play(decided, 0, trace.Reported), session.About{
		Title: title, Version: decides.Version,
		Configure: func(version string, text []byte, source string) (*config.Config, error) {
			with, err := with.For(version)
			if err != nil {
				return nil, err
			}
			if text == nil {
				text, source = in.Config, in.From
			}
			return config.LoadOr(text, source, with)
		},
	})
	s.GotoPhase(ctx, trace.PhasePop, nil)
	s.Move(ctx, session.Out, session.Backward, nil)
	return s, nil
}
