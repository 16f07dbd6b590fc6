//go:build !unix

package screen

import tea "charm.land/bubbletea/v2"

// suspendable does nothing where processes cannot be stopped from outside.
func suspendable(*tea.Program) (stop func()) { return func() {} }
