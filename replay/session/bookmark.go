package session

import (
	"context"
	"slices"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Bookmark is a position that a user wants to come back to.
type Bookmark struct {
	ID       int           `json:"id"`
	Branch   string        `json:"branch"`
	Position Position      `json:"position"`
	Note     string        `json:"note,omitempty"` // why, in the words of who made it; may be empty
	Where    phrase.Phrase `json:"where"`          // "cycle 41", "step 7"
}

// Bookmark keeps the position of the cursor for Restart.
func (s *Session) Bookmark(note string) Bookmark {
	s.ids++
	w := walk{Session: s}
	b := Bookmark{ID: s.ids, Branch: s.branch, Position: s.at, Note: note, Where: w.stopped().Text}
	s.bookmarks = append(slices.Clip(s.bookmarks), b)
	return b
}

// Restart puts the cursor on a bookmark, on the branch where that was made.
func (s *Session) Restart(ctx context.Context, id int, progress func(steps int)) (Stop, error) {
	i, err := s.bookmarked(id)
	if err != nil {
		return Stop{}, err
	}
	b := s.bookmarks[i]
	if s.branch != b.Branch {
		if err := s.Switch(b.Branch); err != nil {
			return Stop{}, phrase.Errorf("bookmark %d: %w", id, err)
		}
	}
	return s.Goto(ctx, b.Position, progress), nil
}

// Forget removes a bookmark.
func (s *Session) Forget(id int) error {
	i, err := s.bookmarked(id)
	if err == nil {
		s.bookmarks = slices.Delete(slices.Clone(s.bookmarks), i, i+1)
	}
	return err
}

// Made is how many branches, breakpoints, bookmarks and displayed values a user has made that are there.
func (s *Session) Made() int {
	return len(s.names) - 1 + len(s.breaks) + len(s.bookmarks) + len(s.displays)
}

// bookmarked is where in the list a bookmark is.
func (s *Session) bookmarked(id int) (int, error) {
	i := slices.IndexFunc(s.bookmarks, func(b Bookmark) bool { return b.ID == id })
	if i < 0 {
		return 0, phrase.Errorf("there is no bookmark %d (bookmarks lists them)", id)
	}
	return i, nil
}
