package widget

import "strconv"

// Count is a number with its noun: "1 node", "3 nodes".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
