//go:build !unix

package screen

import tea "charm.land/bubbletea/v2"

// suspendable does nothing where processes cannot be stopped from outside.
func suspendable(*tea.Program) (stop func()) { return func() {} }

// canSuspend reports whether a process can be stopped and go on.
const canSuspend = false

// suspend does nothing, as it is never called.
func suspend() tea.Msg { return nil }
