package audit

import (
	"regexp"
	"strings"
)

// program is the beginning of a user agent: "kube-scheduler/v1.37.1 (linux/amd64)". Programs that were built without a
// version have v0.0.0.
var program = regexp.MustCompile(`^([a-z-]+)/v(1\.\d+)\.`)

// agent remembers the release of a scheduler, and of an API server.
func (l *Log) agent(agent string) {
	if l.Counts.Scheduler != "" || !strings.HasPrefix(agent, "kube-") {
		return
	}
	parts := program.FindStringSubmatch(agent)
	if parts == nil {
		return
	}
	switch parts[1] {
	case "kube-scheduler":
		l.Counts.Scheduler = parts[2]
	case "kube-apiserver":
		l.Counts.Server = parts[2]
	}
}
