package cluster

import "strings"

// CompoundKey is a key of several parts, each of them a name or another key. Keys sort by their first part, then by
// their second, and so on, because the separator sorts before every character of a name.
type CompoundKey string

// separator stands between the parts of a CompoundKey; no name contains it.
const separator = "\x00"

// Compound makes a key of parts. With an empty last part it is the beginning that all keys with the parts before share.
func Compound(parts ...string) CompoundKey { return CompoundKey(strings.Join(parts, separator)) }

// Triple is Compound of three parts, for keys that are made for every node.
func Triple(first, second, third string) CompoundKey {
	return CompoundKey(first + separator + second + separator + third)
}

// After returns what follows a beginning; false when the key begins otherwise.
func (k CompoundKey) After(beginning CompoundKey) (rest string, is bool) {
	return strings.CutPrefix(string(k), string(beginning))
}
