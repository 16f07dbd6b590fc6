//go:build linux || darwin

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// keyByKey has a terminal hand over each key at once, and show none. Ctrl-C and Ctrl-Z stay signals.
func keyByKey(f *os.File) (restore func(), err error) {
	before, err := unix.IoctlGetTermios(int(f.Fd()), getSettings)
	if err != nil {
		return nil, err
	}
	now := *before
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(f.Fd()), setSettings, &now); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(int(f.Fd()), setSettings, before) }, nil
}
