package importer

import (
	"strings"

	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// serverVersions are the members under which tools keep what an API server answers to /version: itself, as kubectl
// version prints it, and as a support bundle has it.
var serverVersions = []string{"", "serverVersion", "info"}

// version takes over the version of an API server; false for any other object.
func (d *decoder) version(raw []byte) bool {
	for _, member := range serverVersions {
		answer := raw
		if member != "" {
			answer = text.Member(raw, member)
		}
		if len(answer) == 0 || answer[0] != '{' {
			continue
		}
		said := text.Unquote(text.Member(answer, "gitVersion"))
		if strings.HasPrefix(said, "v1.") && len(text.Member(answer, "major")) > 0 {
			d.found.versions = append(d.found.versions, said)
			return true
		}
	}
	return false
}
