// Package expression describes what is wrong with an expression of the Common Expression Language. It compiles nothing:
// the package that offers expressions decides which variables they may use.
package expression

import (
	"strings"

	"github.com/google/cel-go/cel"
)

// First is the first thing that is wrong: its column, which counts from 1, and a sentence. CEL's sentence about a name
// that it does not know ends with the container it looked in, which no expression here has.
func First(issues *cel.Issues) (column int, sentence string) {
	first := issues.Errors()[0]
	return first.Location.Column() + 1, strings.TrimSuffix(first.Message, " (in container '')")
}
