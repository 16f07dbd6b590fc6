//go:build linux || darwin

package disk

import "golang.org/x/sys/unix"

// Free is how many bytes a user may still write below a folder; false: it is not known.
func Free(folder string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
