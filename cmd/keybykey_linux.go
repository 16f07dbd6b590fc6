package cmd

import "golang.org/x/sys/unix"

// The requests by which a terminal's settings are read and set.
const (
	getSettings = unix.TCGETS
	setSettings = unix.TCSETS
)
