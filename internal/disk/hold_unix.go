//go:build linux || darwin

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Hold keeps a file for the process that opened it until it is closed; false: another process, or another part of this
// one, holds it. Where a file system has no such locks it is true.
func Hold(file *os.File) bool {
	return !errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
