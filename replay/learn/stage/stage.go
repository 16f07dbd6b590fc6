// Package stage makes a session of an input that has all that decides: its release, gates, configuration and extenders.
// It opens no file and knows no flags; an input with those is opened in cmd.
package stage

import (
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source/extender"
)

// Session stands before the first step of an input. It fills in the release of about, and how the session reads another
// configuration. A release that this build does not have is the newest.
func Session(in *input.Input, about session.About) (*session.Session, error) {
	decides, known := release.Find(in.Release)
	if !known {
		decides = release.Newest()
	}
	gates, err := config.ParseGatesOf(decides, in.Gates)
	if err != nil {
		return nil, err
	}
	with := config.Options{Gates: gates}
	decided, err := config.LoadOr(in.Config, in.From, with)
	if err != nil {
		return nil, err
	}
	if in.Extenders != nil {
		journal, _ := extender.NewJournal(nil)
		decided = extender.ConnectTo(decided, journal, in.Extenders)
	}
	about.Version = decides.Version
	about.Configure = func(version string, text []byte, source string) (*config.Config, error) {
		with, err := with.For(version)
		if err != nil {
			return nil, err
		}
		if text == nil {
			text, source = in.Config, in.From
		}
		return config.LoadOr(text, source, with)
	}
	return session.New(in.Play(decided, 0, trace.Reported), about), nil
}
