package diagnose

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// blackMark is what Troubleshoot writes over values it redacts.
const blackMark = "***HIDDEN***"

// BlackedOut lists the fields a collector blacked out, except for those that no plugin reads.
func BlackedOut(raw []byte) []string {
	if !bytes.Contains(raw, []byte(blackMark)) {
		return nil
	}
	var paths []string
	walkTexts(raw, "", func(path string, value []byte) {
		if bytes.Contains(value, []byte(blackMark)) && !isPrivate(path) {
			paths = append(paths, path)
		}
	})
	return paths
}

// privateFields hold what programs run with, not where.
var privateFields = []string{
	".env", ".command", ".args", ".annotations", ".image", "Probe", ".lifecycle", ".message", ".imageID",
	".containerID", ".volumeHandle", ".parameters", ".podIP", ".hostIP", ".addresses", ".clusterIP",
}

func isPrivate(path string) bool {
	for _, field := range privateFields {
		if strings.Contains(path, field) {
			return true
		}
	}
	return false
}

// walkTexts visits every text of a JSON value.
func walkTexts(raw []byte, path string, visit func(path string, value []byte)) {
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '{':
		_ = text.Members(raw, func(key []byte, start, end int) bool {
			walkTexts(raw[start:end], strings.TrimPrefix(path+"."+string(key), "."), visit)
			return true
		})
	case '[':
		_ = text.Elements(raw, func(i, start, end int) bool {
			walkTexts(raw[start:end], fmt.Sprintf("%s[%d]", path, i), visit)
			return true
		})
	case '"':
		visit(path, raw)
	}
}
