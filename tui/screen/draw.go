package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/layout"
)

// Draw is one frame of the session on a screen of the given size, in the control sequences that a terminal would get,
// after a person pressed keys, one for each character. The keys may arrange the screen; what needs time, as moving
// does, is not waited for. The theme should be named: there is no terminal whose background could decide.
func Draw(s *session.Session, size layout.Size, keys string, o Options) (string, error) {
	a, err := newApp(context.Background(), s, o)
	if err != nil {
		return "", err
	}
	a.Update(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
	for _, key := range keys {
		a.View() // the panes learn their sizes when they are drawn
		a.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
	}
	return a.View().Content, nil
}
