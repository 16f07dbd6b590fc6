package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/source/live"
)

// How long drive waits at its end for the answers to its requests: from a server that answers, and from one to which
// the connection is known to be lost.
const (
	endTime     = 5 * time.Second
	endTimeLost = patience / 2
)

// leaving is the end of a drive: requests are under way, and the lease is to be given back.
type leaving struct {
	streams  Streams
	language words.Language
	dryRun   bool                                 // then there is no lease, and nothing was changed
	close    func(ctx context.Context) (all bool) // waits for the requests, at most until ctx ends
}

// wait waits for the answers to the requests. After patience it prints what it waits for; then q, esc or another signal
// ends the wait. state describes what is wrong with the server; zero: it answers. The user's context may have ended
// already.
func (e leaving) wait(user context.Context, state phrase.Phrase) {
	limit := endTime
	if !state.IsZero() {
		limit = endTimeLost
	}
	end, stop := context.WithTimeout(context.WithoutCancel(user), limit)
	defer stop()
	if user.Err() == nil {
		defer context.AfterFunc(user, stop)()
	}
	keys := newQuitKeys(end, e.streams)
	defer keys.quit(nil)
	closed := make(chan bool, 1)
	go func() { closed <- e.close(keys.until) }()
	select {
	case all := <-closed:
		e.tell(keys, all)
		return
	case <-time.After(patience):
	}
	if onTerminal(e.streams) && user.Err() == nil {
		fmt.Fprintln(e.streams.Err, e.language.Of("waiting for the answers to what was asked of the server (q ends it)"))
		keys.listen()
	}
	all := <-closed
	keys.stop()
	e.tell(keys, all)
}

// tell prints, unless all requests were answered, what is left open.
func (e leaving) tell(keys *quitKeys, all bool) {
	switch {
	case all, e.dryRun:
	case keys.quitted(e.language):
		fmt.Fprintln(e.streams.Err, e.language.Say(
			"not waited for: what was under way may have been done or not; the lease ends by itself within %s", live.LeaseTime))
	default:
		fmt.Fprintln(e.streams.Err, e.language.Say(
			"no answer in time: what was under way may have been done or not; the lease ends by itself within %s",
			live.LeaseTime))
	}
}
