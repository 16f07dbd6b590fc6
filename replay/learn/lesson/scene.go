package lesson

import (
	"bytes"
	"context"
	"io/fs"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/learn/stage"
	"github.com/schedstep/schedstep/replay/play/input"
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
	s, err := stage.Session(in, session.About{Title: title})
	if err != nil {
		return nil, phrase.Errorf("%s: %w", name, err)
	}
	s.GotoPhase(ctx, trace.PhasePop, nil)
	s.Move(ctx, session.Out, session.Backward, nil)
	return s, nil
}
