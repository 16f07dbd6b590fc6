package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play"
)

// Keyframes are what a session needs to write a keyframe of the main line beside where it stands, and to begin at one:
//
//	start            keyframe      place
//	  |  played when    |  played    |
//	  |  requested      |  at once   |
//
// The steps before the keyframe are played when they are needed (Past), and compared.
type Keyframes struct {
	// Saved is the keyframe of the file that is opened; nil: it has none.
	Saved []byte
	// Basis names all that decides besides the file: the build, the release, the configuration. A keyframe of another
	// basis is not used.
	Basis string
	// Told is what the keyframe keeps for the program that opens the file, a JSON value; nil, or a nil value: nothing.
	Told func() []byte
	// Resume is a player of the same replay at a keyframe.
	Resume func(*play.Keyframe) (*play.Player, error)
	// Redact returns an object as it is to be written.
	Redact func(cluster.Object) cluster.Object
}

// keyframe is a keyframe of the main line with what the line has learned up to there.
type keyframe struct {
	Basis  string          `json:"basis"`
	Told   json.RawMessage `json:"told,omitempty"`
	Step   int             `json:"step"`
	Cycles int64           `json:"cycles"` // that began at or before the step
	Begin  []Usage         `json:"begin,omitempty"`
	Hash   string          `json:"hash"` // of Player
	Player *play.Keyframe  `json:"player"`
}

// short is what is known of the part of the main line before its first step.
type short struct {
	past *line  // from the start, as far as it was played
	hash string // of the keyframe that it leads to
}

// How a step is chosen for a keyframe.
const (
	leastPlayed  = 1024     // the fewest steps that a keyframe must save
	searchedBack = 1024     // steps before the place in which one is looked for
	mostKeyframe = 32 << 20 // bytes; a larger one takes longer to read than many a replay to play
)

// Why a keyframe was not used.
var (
	errChanged   = phrase.Errorf("it was changed, or is read in another way")
	errElsewhere = phrase.Errorf("the saved place was played to: its keyframe leads to something else here")
)

// keyframe is the last keyframe before the place on the main line and before every branch, as text; nil where there is
// none, or where playing on from it does not lead to the same place.
func (s *Session) keyframe() []byte {
	at := s.about.Keyframes
	main := s.branches[mainLine]
	number := main.cycleOf(main.at.Step)
	if at == nil || at.Redact == nil || number <= main.gone {
		return nil
	}
	last := main.stepOf(number) - 1 // the cycle at the place is shown, and so it is played
	for _, l := range s.branches {
		if l.parent == mainLine {
			last = min(last, l.left.Step)
		}
	}
	step, p := main.quietBefore(last)
	if step < leastPlayed {
		return nil
	}
	packed, err := p.Keyframe(at.Redact)
	if err != nil {
		return nil
	}
	k := keyframe{
		Basis: at.Basis, Step: step, Cycles: main.cycleOf(step), Begin: main.begin, Player: packed,
	}
	if at.Told != nil {
		k.Told = at.Told()
	}
	if k.Hash, err = packed.Hash(); err != nil {
		return nil
	}
	text, err := json.Marshal(k)
	if err != nil || len(text) > mostKeyframe || !s.leadsTo(text, p, main.at.Step) {
		return nil
	}
	return text
}

// quietBefore is the last step at or before another that a keyframe can be made of, with a player after it; 0 for none.
func (l *line) quietBefore(last int) (int, *play.Player) {
	step := max(last-searchedBack, l.first())
	if last < step {
		return 0, nil
	}
	at, quiet := 0, (*play.Player)(nil)
	for p := l.playerAt(step, nil, nil); ; step++ {
		if p.Scheduler().Quiet() == nil {
			at, quiet = step, p.Fork()
		}
		if step == last {
			return at, quiet
		}
		if _, more := p.Step(); !more {
			return at, quiet
		}
	}
}

// leadsTo reads a keyframe back and runs it to a step beside the player it was made of, in full detail.
func (s *Session) leadsTo(text []byte, p *play.Player, step int) bool {
	k, again, err := s.resumed(text)
	if err != nil {
		return false
	}
	p = p.Fork()
	p.Keep(trace.Reasoned)
	again.Keep(trace.Reasoned)
	for n := k.Step; n < step; n++ {
		was, more := p.Step()
		is, goesOn := again.Step()
		if more != goesOn || fmt.Sprint(was.Facts) != fmt.Sprint(is.Facts) {
			return false
		}
		if !more {
			break
		}
	}
	return true
}

// resumed is the content of a keyframe, and a player there.
func (s *Session) resumed(text []byte) (*keyframe, *play.Player, error) {
	var k keyframe
	if amount.MayBeEndless(text) {
		return nil, nil, errChanged
	}
	if err := strictly(text, &k); err != nil {
		return nil, nil, err
	}
	at := s.about.Keyframes
	switch {
	case k.Basis != at.Basis:
		return nil, nil, phrase.Errorf("it is of another build, release or configuration")
	case k.Player == nil || k.Step < 0 || k.Cycles < 0:
		return nil, nil, phrase.Errorf("it is not whole")
	}
	p, err := at.Resume(k.Player)
	if err != nil {
		return nil, nil, err
	}
	packed, err := p.Keyframe(at.Redact)
	if err != nil {
		return nil, nil, err
	}
	if hash, err := packed.Hash(); err != nil || hash != k.Hash {
		return nil, nil, errChanged
	}
	return &k, p, nil
}

// shorten has the main line begin at the keyframe that was saved, where there is one. The error is why it does not.
func (s *Session) shorten() error {
	at := s.about.Keyframes
	main := s.branches[mainLine]
	if at == nil || at.Saved == nil || s.short != nil || main.first() > 0 || main.steps > 0 {
		return nil
	}
	k, p, err := s.resumed(at.Saved)
	if err != nil {
		return phrase.Errorf("the saved place was played to: its keyframe cannot be used (%w)", err)
	}
	p.Keep(trace.Reported)
	l := newLine(p, &s.about)
	l.checkpoints[0].step, l.steps, l.gone, l.loaded, l.begin = k.Step, k.Step, k.Cycles, k.Cycles > 0, k.Begin
	s.short = &short{past: newLine(main.checkpoints[0].player.Fork(), &s.about), hash: k.Hash}
	s.branches[mainLine] = l
	s.turn(mainLine, wholeStep(k.Step))
	return nil
}

// lengthen has the main line begin at the start again, and forgets where it was. why (nil: it is no news) is noted.
func (s *Session) lengthen(why error) {
	if s.short == nil {
		return
	}
	if why != nil {
		s.about.Notes = append(slices.Clip(s.about.Notes), phrase.OfError(why))
	}
	past := s.short.past
	s.short, s.last = nil, lastCycle{}
	s.clear()
	s.branches[mainLine] = past
	s.turn(mainLine, Position{})
}

// leads reports whether a stride back may come to what was not played yet.
func (s *Session) leads(stride Stride) bool {
	if s.short == nil || s.line.first() == 0 {
		return false
	}
	return stride == Continue || stride == Next && s.number <= s.line.gone+1 || s.at.Step-1 <= s.line.first()
}

// Past plays the steps before the keyframe that the session began at, if it began at one, so that everything since the
// start is there. The error means that ctx ended before: the steps played until then stay. Where the past leads to
// something else than the keyframe, the session is played from the start to where it stands, and a note reports that.
func (s *Session) Past(ctx context.Context, progress func(steps int)) error {
	if s.short == nil {
		return nil
	}
	past, main := s.short.past, s.branches[mainLine]
	for first := main.first(); past.steps < first; {
		if past.steps%reportEvery == 0 {
			if progress != nil {
				progress(past.steps)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if _, more := past.extend(); !more {
			break
		}
	}
	if !s.leadsHere(past, main) {
		standing, err := s.Standing()
		if err != nil {
			return err
		}
		s.lengthen(errElsewhere)
		return s.reopen(ctx, standing, progress)
	}
	s.short = nil
	for _, l := range s.branches {
		l.prepend(past)
	}
	s.number = s.line.cycleOf(s.at.Step)
	return nil
}

// leadsHere reports whether the past comes to the very state that the main line began at.
func (s *Session) leadsHere(past, main *line) bool {
	if past.steps != main.first() || past.count() != main.gone {
		return false
	}
	packed, err := past.tip.Keyframe(s.about.Keyframes.Redact)
	if err != nil {
		return false
	}
	hash, err := packed.Hash()
	return err == nil && hash == s.short.hash
}

// prepend puts what was played before the first step of a line in its place.
func (l *line) prepend(past *line) {
	before := past.checkpoints
	if n := len(before); n > 0 && before[n-1].step >= l.first() {
		before = before[:n-1]
	}
	l.checkpoints = slices.Concat(before, l.checkpoints)
	l.cycles, l.glances = slices.Concat(past.cycles, l.cycles), slices.Concat(past.glances, l.glances)
	l.evictions = slices.Concat(past.evictions, l.evictions)
	l.marks, l.notes = slices.Concat(past.marks, l.marks), slices.Concat(past.notes, l.notes)
	l.trend.Prepend(&past.trend)
	l.gone, l.spacing = 0, max(l.spacing, past.spacing)
	if l.begin == nil {
		l.begin = past.begin
	}
}

// untold is the stop of a move that wanted to go where nothing was played yet, and was ended on the way.
func untold(err error) Stop {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Stop{Reason: StoppedByUser, Text: phrase.New("stopped")}
	}
	return Stop{Reason: StoppedByUser, Text: phrase.OfError(err).Phrase()}
}
