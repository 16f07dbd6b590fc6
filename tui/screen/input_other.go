//go:build !unix

package screen

import tea "charm.land/bubbletea/v2"

// guardedInput leaves the console to the library, which reads events there and no bytes.
func guardedInput() []tea.ProgramOption { return nil }
