package audit

import (
	"bytes"
	"regexp"

	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// deepest is how many wrappings may lie in each other.
const deepest = 6

// own begins an audit entry of Kubernetes' own form, as it is written.
var own = regexp.MustCompile(`^\{\s*"kind"\s*:\s*"Event(List)?"\s*,\s*"apiVersion"\s*:\s*"audit\.k8s\.io/`)

// Members in which log systems keep a line, as a string or as an object, and those in which they keep many.
var (
	single = []string{"message", "@message", "log", "log_s", "properties", "_source", "jsonPayload", "textPayload", "line"}
	many   = []string{"events", "records", "items", "results", "hits", "entries"}
)

// value reads a JSON value: an entry, or something with entries in it.
func (l *Log) value(stream string, raw []byte, depth int) {
	raw = bytes.TrimSpace(raw)
	switch {
	case depth > deepest || len(raw) == 0:
		l.Counts.Broken++
	case own.Match(raw):
		l.event(stream, raw)
	case raw[0] == '[':
		l.each(stream, raw, depth)
	case raw[0] == '{':
		l.object(stream, raw, depth)
	default:
		l.Counts.Broken++
	}
}

func (l *Log) each(stream string, list []byte, depth int) {
	if text.Elements(list, func(_, start, end int) bool {
		l.value(stream, list[start:end], depth+1)
		return !l.Counts.Full
	}) != nil {
		l.Counts.Broken++
	}
}

// object finds out what wraps the entry.
func (l *Log) object(stream string, raw []byte, depth int) {
	version := text.Unquote(text.Member(raw, "apiVersion"))
	switch payload := text.Member(raw, "protoPayload"); {
	case bytes.HasPrefix([]byte(version), []byte("audit.k8s.io/")):
		l.event(stream, raw)
		return
	case payload != nil:
		l.google(stream, raw, payload)
		return
	}
	for _, name := range []string{"logStreamName", "@logStream", "log_stream"} {
		if own := text.Unquote(text.Member(raw, name)); own != "" {
			stream = own
		}
	}
	if pod := text.Unquote(text.Member(raw, "pod")); pod != "" {
		stream = pod
	}
	for _, name := range many {
		if list := text.Member(raw, name); len(list) > 0 && (list[0] == '[' || list[0] == '{') {
			l.value(stream, list, depth+1)
			return
		}
	}
	for _, name := range single {
		inner := text.Member(raw, name)
		if len(inner) == 0 {
			continue
		}
		if inner[0] == '"' {
			inner = []byte(text.Unquote(inner))
		}
		if at := bytes.IndexByte(inner, '{'); at >= 0 {
			l.inner(stream, inner[at:], depth)
			return
		}
	}
	l.Counts.Broken++
}

// inner is the line that a wrapping holds. Amazon cuts those that are too long.
func (l *Log) inner(stream string, line []byte, depth int) {
	if bytes.HasSuffix(bytes.TrimSpace(line), []byte("[Truncated...]")) {
		l.Counts.Truncated++
		return
	}
	l.value(stream, line, depth+1)
}

// Marks of audit logs in the first bytes of a file: plain or as a string in a string, and Google's.
var (
	versioned = regexp.MustCompile(`\\?"apiVersion\\?"\s*:\s*\\?"audit\.k8s\.io/v1`)
	googles   = regexp.MustCompile(`"(methodName|resourceName)"\s*:\s*"(io\.k8s\.|[a-z0-9.]+/v[0-9a-z]+/)`)
	others    = regexp.MustCompile(`\\?"kind\\?"\s*:\s*\\?"(Policy|List|[A-Z][a-zA-Z]+List)\\?"`)
)

// Is reports whether the first bytes of a file, after unpacking, are those of an audit log.
func Is(head []byte) bool {
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	if len(line) == 0 || bytes.IndexByte(line, '{') < 0 && line[0] != '[' {
		return false
	}
	if bytes.Contains(head, []byte(`"protoPayload"`)) && googles.Match(head) {
		return true
	}
	at := versioned.FindIndex(head)
	if at == nil {
		return false
	}
	list := others.FindIndex(head[:at[0]])
	return list == nil || bytes.HasSuffix(head[list[0]:list[1]], []byte(`EventList"`))
}
