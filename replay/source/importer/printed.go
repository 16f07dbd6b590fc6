package importer

import (
	"bytes"
	"regexp"
)

// The shapes of what kubectl prints for people.
var (
	describedHead = regexp.MustCompile(`^Name: +\S+`)
	describedBody = regexp.MustCompile(`(?m)^(Namespace|Labels|Annotations|Roles|Node|Status|Containers|Taints|Events): *`)
	tableHead     = regexp.MustCompile(`^(NAMESPACE +)?NAME( +[A-Z][A-Z() -]*)+$`)
)

// printedBy is the command that prints texts like this one; "" when it is none for people.
func printedBy(head []byte) string {
	written := bytes.TrimLeft(head, "\ufeff \t\r\n")
	line, _, _ := bytes.Cut(written, []byte{'\n'})
	switch line = bytes.TrimRight(line, " \r"); {
	case tableHead.Match(line):
		return "kubectl get"
	case describedHead.Match(line) && len(describedBody.FindAll(written, 3)) == 3:
		return "kubectl describe"
	}
	return ""
}
