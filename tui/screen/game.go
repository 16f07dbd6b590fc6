package screen

import tea "charm.land/bubbletea/v2"

// gameKeys are those of the game of replay --predict.
func gameKeys() []binding {
	return grouped(textGame, []binding{{
		keys: []string{"P"}, does: "in a game (--predict, or a class): guess, or go to the next cycle to be guessed",
		line: "guess ...", act: (*app).play, unable: (*app).noGame,
	}})
}

// play opens the command line for a guess, or goes on to the next cycle to be guessed.
func (a *app) play() tea.Cmd {
	if a.guessing() != nil || a.options.Game.Open() {
		a.openCommandLine("guess ")
		return nil
	}
	return a.do("deal")
}

func (a *app) noGame() string {
	if a.guessing() != nil {
		return ""
	}
	if a.options.Game == nil {
		return a.language.Of("no game is on (schedstep replay --predict begins one)")
	}
	return a.busy()
}
