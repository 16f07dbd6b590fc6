package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
)

// savedVersion is the newest version of saved sessions that is read, and the one that is written.
const savedVersion = 1

// saved is a session as data, without its replay: what a user has made of it. Numbers and names stay the same.
type saved struct {
	Version     int           `json:"version"`
	IDs         int           `json:"ids"` // that were given so far
	Branch      string        `json:"branch"`
	Branches    []savedBranch `json:"branches"` // a parent comes before its children
	Breakpoints []savedBreak  `json:"breakpoints,omitempty"`
	Bookmarks   []Bookmark    `json:"bookmarks,omitempty"`
	Displays    []savedValue  `json:"displays,omitempty"`
	There       there         `json:"there"`
}

// savedBranch is a branch: how it came to be, and where the cursor is on it. The main line came to be by itself.
type savedBranch struct {
	Name   string      `json:"name"`
	At     Position    `json:"at"`
	Parent string      `json:"parent,omitempty"`
	Left   int         `json:"left,omitempty"` // the step of the parent after which it begins
	Edit   string      `json:"edit,omitempty"` // the name of the edit that made it
	Deeds  []savedDeed `json:"deeds,omitempty"`
}

// savedBreak is a breakpoint with what it has counted.
type savedBreak struct {
	Breakpoint
	Passed int `json:"passed,omitempty"`
}

// savedValue is a value that is displayed.
type savedValue struct {
	ID int    `json:"id"`
	Of string `json:"of"`
}

// there is what was at the cursor. Where something else is found, the replay has gone another way.
type there struct {
	Time  time.Time `json:"time"`
	Facts string    `json:"facts"` // a hash of the step's facts as text
}

// is reports whether the same was at both places.
func (t there) is(o there) bool { return t.Time.Equal(o.Time) && t.Facts == o.Facts }

// Save writes the session with its replay, so that Restore of another session of that replay comes to the same place.
func (s *Session) Save(to io.Writer) error {
	switch {
	case s.about.Write == nil:
		return phrase.Errorf("only the replay of a file can be saved (schedstep record writes down a cluster as it runs)")
	case s.isLost():
		return errLost
	}
	all, err := s.save()
	if err != nil {
		return err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return phrase.Errorf("session: %w", err)
	}
	return s.about.Write(to, text, s.keyframe())
}

// Standing is where the session stands and what a user has made of it, for Stand of another session of the same replay.
func (s *Session) Standing() ([]byte, error) {
	if s.isLost() {
		return nil, errLost
	}
	all, err := s.save()
	if err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// Stand brings the session to where another one of the same replay stands; what was made of it before is gone.
func (s *Session) Stand(ctx context.Context, standing []byte) error {
	s.clear()
	return s.reopen(ctx, standing, nil)
}

func (s *Session) save() (saved, error) {
	s.line.at = s.at
	all := saved{
		Version: savedVersion, IDs: s.ids, Branch: s.branch, There: s.there(), Bookmarks: s.bookmarks,
	}
	for _, name := range s.names {
		l := s.branches[name]
		b := savedBranch{Name: name, At: l.at, Parent: l.parent, Left: l.left.Step}
		if l.edit != nil {
			deeds, err := save(l.edit.deeds)
			if err != nil {
				return all, phrase.Errorf("branch %s: %w", name, err)
			}
			b.Edit, b.Deeds = l.edit.name, deeds
		}
		all.Branches = append(all.Branches, b)
	}
	for i := range s.breaks {
		all.Breakpoints = append(all.Breakpoints, savedBreak{s.breaks[i], s.breaks[i].passed})
	}
	for _, d := range s.displays {
		all.Displays = append(all.Displays, savedValue{d.id, d.of.text})
	}
	return all, nil
}

// there is what is at the cursor.
func (s *Session) there() there {
	hash := sha256.New()
	for _, fact := range s.facts {
		fmt.Fprintln(hash, fact)
	}
	return there{Time: s.after.Scheduler().Now(), Facts: hex.EncodeToString(hash.Sum(nil)[:8])}
}

// Restore brings a session that has not moved yet to where another one of the same replay was saved. When it cannot, it
// returns why, in its notes too, and the session is at its start, as if nothing had been saved; only where the replay
// comes to something else than it did then, the session is there all the same. A ctx that ended is not in the notes.
func (s *Session) Restore(ctx context.Context, text []byte, progress func(steps int)) error {
	err := s.reopen(ctx, text, progress)
	if err != nil && ctx.Err() == nil {
		s.about.Notes = append(slices.Clip(s.about.Notes), phrase.OfError(err))
	}
	return err
}

func (s *Session) reopen(ctx context.Context, text []byte, progress func(steps int)) error {
	var all saved
	if err := strictly(text, &all); err != nil {
		return phrase.Errorf("the saved session cannot be read: %w", err)
	}
	if all.Version != savedVersion {
		return phrase.Errorf("the saved session is of version %d, and this build reads version %d", all.Version, savedVersion)
	}
	if err := s.shorten(); err != nil {
		s.about.Notes = append(slices.Clip(s.about.Notes), phrase.OfError(err))
	}
	err := s.restore(ctx, &all, progress)
	if s.short != nil && ctx.Err() == nil && (err != nil || !s.there().is(all.There)) {
		s.lengthen(errElsewhere)
		err = s.restore(ctx, &all, progress)
	}
	if err != nil {
		s.lengthen(nil)
		s.clear()
		return phrase.Errorf("the saved session cannot be opened: %w", err)
	}
	if now := s.there(); !now.is(all.There) {
		return phrase.Errorf("the replay is where the session was saved, and comes to something else here: " +
			"another build or configuration decides")
	}
	return nil
}

// strictly reads one JSON value without members that its type does not have.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return phrase.Errorf("more than one value")
	}
	return nil
}

// clear takes back what a user made of the session.
func (s *Session) clear() {
	s.breaks, s.bookmarks, s.displays, s.ids = nil, nil, nil, 0
	for _, name := range slices.Clone(s.names) {
		if l, there := s.branches[name]; there && l.parent != "" {
			_ = s.Drop(name) // it is there and not the main line
		}
	}
	s.turn(mainLine, s.start())
}

func (s *Session) restore(ctx context.Context, all *saved, progress func(steps int)) error {
	if len(all.Branches) == 0 || all.Branches[0].Name != mainLine {
		return phrase.Errorf("its first branch is not %q", mainLine)
	}
	for i := range all.Branches {
		b := &all.Branches[i]
		if err := s.branchAgain(ctx, b, progress); err != nil {
			return phrase.Errorf("branch %q: %w", b.Name, err)
		}
	}
	for i := range all.Branches {
		b := &all.Branches[i]
		s.line.at = s.at
		s.turn(b.Name, s.branches[b.Name].at)
		if err := s.stand(ctx, b.At, progress); err != nil {
			return phrase.Errorf("branch %q: %w", b.Name, err)
		}
	}
	if err := s.Switch(all.Branch); err != nil {
		return err
	}
	if err := s.stopsAgain(all); err != nil {
		return err
	}
	s.ids, s.bookmarks = all.IDs, all.Bookmarks
	return all.checkNumbers()
}

// branchAgain makes a branch as it was made.
func (s *Session) branchAgain(ctx context.Context, b *savedBranch, progress func(steps int)) error {
	if b.Name == mainLine {
		return nil
	}
	if _, taken := s.branches[b.Name]; taken {
		return phrase.Errorf("there are two of that name")
	}
	if err := s.Switch(b.Parent); err != nil {
		return err
	}
	if err := s.stand(ctx, wholeStep(b.Left), progress); err != nil {
		return err
	}
	e, err := together(b.Edit, b.Deeds)
	if err != nil {
		return err
	}
	_, _, err = s.editAs(b.Name, e)
	return err
}

// stand goes to a position whose step must be there. A fact that is not there is the end of its step.
func (s *Session) stand(ctx context.Context, at Position, progress func(steps int)) error {
	s.Goto(ctx, at, progress)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.at.Step != at.Step:
		return phrase.Errorf("step %d is not there", at.Step)
	}
	return nil
}

// stopsAgain sets breakpoints and displays.
func (s *Session) stopsAgain(all *saved) error {
	for i := range all.Breakpoints {
		b := all.Breakpoints[i].Breakpoint
		b.passed = all.Breakpoints[i].Passed
		if err := b.compile(); err != nil {
			return phrase.Errorf("breakpoint %d: %w", b.ID, err)
		}
		s.breaks = append(s.breaks, b)
	}
	for _, d := range all.Displays {
		of, err := parseBelief("display", d.Of)
		if err != nil {
			return phrase.Errorf("display %d: %w", d.ID, err)
		}
		s.displays = append(s.displays, display{d.ID, of})
	}
	return nil
}

// compile makes the checks of facts from the words of a breakpoint.
func (b *Breakpoint) compile() error {
	if err := errors.Join(b.choose(), b.setCondition(b.Cond), b.check()); err != nil {
		return err
	}
	if b.Watch == "" {
		return nil
	}
	of, err := parseBelief("watch", b.Watch)
	b.belief = of
	return err
}

// checkNumbers refuses numbers that the session would give again, or gave twice.
func (a *saved) checkNumbers() error {
	var ids []int
	for i := range a.Breakpoints {
		ids = append(ids, a.Breakpoints[i].ID)
	}
	for _, m := range a.Bookmarks {
		if !slices.ContainsFunc(a.Branches, func(b savedBranch) bool { return b.Name == m.Branch }) {
			return phrase.Errorf("bookmark %d is on the branch %q, which is not there", m.ID, m.Branch)
		}
		ids = append(ids, m.ID)
	}
	for _, d := range a.Displays {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	for i, id := range ids {
		if id < 1 || id > a.IDs || i > 0 && id == ids[i-1] {
			return phrase.Errorf("the number %d is out of range, or there twice", id)
		}
	}
	return nil
}
