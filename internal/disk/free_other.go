//go:build !linux && !darwin

package disk

// Free is how many bytes a user may still write below a folder; false: it is not known.
func Free(string) (int64, bool) { return 0, false }
