// Package shrink leaves out of a list what a claim does not need: an event of a play, an act of a history. It knows
// nothing of what is claimed; replay/ask/reduce makes the inputs of users small, object by object and field by field.
package shrink

import "slices"

// List leaves out runs of elements, first half of them at once and then ever fewer, for as long as what is left shows
// the claim. Shows is called with a list of its own, as often as tries says at most. It returns what is left, and how
// many tries.
func List[S ~[]E, E any](list S, tries int, shows func(smaller S) bool) (S, int) {
	for size := max(1, len(list)/2); size > 0; size /= 2 {
		for at := 0; at < len(list) && tries > 0; {
			smaller := slices.Delete(slices.Clone(list), at, min(at+size, len(list)))
			tries--
			if shows(smaller) {
				list = smaller
				continue
			}
			at += size
		}
	}
	return list, tries
}
