package importer

import (
	"bytes"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// part is the purpose of a file in a folder or an archive, by the name that its tool gives it.
type part uint8

const (
	anyPart    part = iota
	objectPart      // where known tools keep API objects
	logPart         // what containers and tools have printed
	errorPart       // what a collector could not read
)

// logNames are the names of logs: pod.log, previous.log.gz, logs.txt, container-logs-errors.log, e2e.log.1.
var logNames = regexp.MustCompile(`(\.log(\.\d+)?|(^|[-_])logs?\.txt)(\.gz)?$`)

// objectFolders are where the known layouts keep API objects.
var objectFolders = []string{
	"cluster-resources/", "cluster-scoped-resources/", "namespaces/", "resources/cluster/", "resources/ns/",
	"config/node/", "config/pod/",
}

// partOf decides by a name alone. A file that the user names is read whatever it is called.
func partOf(name string) part {
	name = strings.ToLower(filepath.ToSlash(name))
	folder, base := path.Split(name)
	folder = "/" + folder
	switch {
	case logNames.MatchString(base), strings.Contains(folder, "/podlogs/"), strings.Contains(folder, "/logs/"),
		strings.Contains(folder, "/audit_logs/"), strings.Contains(folder, "/host_service_logs/"):
		return logPart
	case strings.HasSuffix(base, "-errors.json"), strings.Contains(folder, "-errors.json/"):
		return errorPart
	}
	for _, known := range objectFolders {
		if strings.Contains(folder, "/"+known) {
			return objectPart
		}
	}
	return anyPart
}

// mostErrors is how much of a file of errors is read.
const mostErrors = 1 << 20

// errors reports what a collector could not read. An empty file of errors means that nothing failed.
func (r *reading) errors(in io.Reader, f *file) error {
	raw, err := io.ReadAll(io.LimitReader(in, mostErrors))
	kind := strings.TrimSuffix(path.Base(filepath.ToSlash(f.path)), "-errors.json")
	said := sayings(bytes.TrimSpace(raw))
	if len(said) > 0 {
		p := Problem{
			Severity: Notice, Where: f.path,
			What:  phrase.Textf("whoever collected this could not read %s: %q", kind, text.Shorten(said[0], 200)),
			Right: "what depends on them is a guess", like: likeness{path: "errors " + f.path},
		}
		p.More = len(said) - 1
		r.submit(r.note(p))
	}
	return err
}

// sayings are the texts in a JSON value, or the lines of what is none.
func sayings(raw []byte) []string {
	var list []string
	add := func(_, start, end int) bool {
		list = append(list, sayings(raw[start:end])...)
		return true
	}
	switch {
	case len(raw) == 0, string(raw) == "null":
	case raw[0] == '[':
		_ = text.Elements(raw, add)
	case raw[0] == '{':
		_ = text.Members(raw, func(_ []byte, start, end int) bool { return add(0, start, end) })
	case raw[0] == '"':
		if said := text.Unquote(raw); said != "" {
			list = []string{said}
		}
	default:
		list = []string{string(bytes.Join(bytes.Fields(raw), []byte{' '}))}
	}
	return list
}

// saysObjects reports the words that API objects have, for files whose name promises none: a log may have braces and
// dashes at the beginning of its lines too.
func saysObjects(head []byte) bool {
	return bytes.Contains(head, []byte("apiVersion")) && bytes.Contains(head, []byte("kind"))
}

// soften marks a problem that means little where the layout is known: the file is none of those that hold objects.
func (f *file) soften(p Problem) Problem {
	if !f.named && f.part != objectPart {
		p.soft, p.file = "file beside the cluster's objects", f.path
	}
	return p
}
