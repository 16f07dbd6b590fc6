//go:build !linux && !darwin

package disk

import "os"

// Hold keeps a file for the process that opened it until it is closed; false: another process, or another part of this
// one, holds it. Where a file system has no such locks it is true.
func Hold(*os.File) bool { return true }
