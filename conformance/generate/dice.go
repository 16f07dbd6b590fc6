package generate

import "pgregory.net/rapid"

// dice draws evenly. rapid's own integers lean towards the ends of their
// range, which is right for finding bounds and wrong for mixing features.
// Every draw shrinks towards the first, smallest or absent choice.
type dice struct {
	t       *rapid.T
	weights Weights
}

// bitsBeyond makes the unevenness of below smaller than 1/2^bitsBeyond.
const bitsBeyond = 6

// below is a number in [0,n).
func (d *dice) below(n int) int {
	if n <= 1 {
		return 0
	}
	bits := bitsBeyond
	for limit := 1; limit < n; limit <<= 1 {
		bits++
	}
	value := 0
	for range bits {
		value <<= 1
		if rapid.Bool().Draw(d.t, "bit") {
			value++
		}
	}
	return value * n >> bits
}

// between is a number in [low,high].
func (d *dice) between(low, high int) int { return low + d.below(high-low+1) }

// percent happens with the given chance.
func (d *dice) percent(chance int) bool {
	if chance <= 0 {
		return false
	}
	return d.below(100) >= 100-chance
}

// has draws one appearance of a feature.
func (d *dice) has(f Feature) bool { return d.percent(d.weights[f]) }

// often is for what pods request: where a feature is in play at all, most nodes have something to offer.
func (d *dice) often(f Feature) bool { return d.weights[f] > 0 && d.percent(85) }

func pick[T any](d *dice, list []T) T { return list[d.below(len(list))] }

// some is a non-empty part of list, in its order, of at most limit elements.
func some[T any](d *dice, list []T, limit int) []T {
	want := d.between(1, min(limit, len(list)))
	start := d.below(len(list) - want + 1)
	return append([]T(nil), list[start:start+want]...)
}
