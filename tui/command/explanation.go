package command

import (
	"strings"

	"github.com/schedstep/schedstep/internal/words"
)

// nodesTold is how many names of a list are part of a sentence.
const nodesTold = 4

// some is the first few of a list of names.
func some(lang words.Language, names []string) string {
	text := strings.Join(names[:min(len(names), nodesTold)], ", ")
	if more := len(names) - nodesTold; more > 0 {
		text += lang.Say(" and %d more", more)
	}
	return text
}
