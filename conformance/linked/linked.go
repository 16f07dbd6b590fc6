// Package linked finds the version of kube-scheduler that a program is linked with.
package linked

import (
	"runtime/debug"
	"strings"
)

// Version is the patch of the release, such as "1.37.1"; "" in a test, which does not know what it was built from.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path != "k8s.io/kubernetes" {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return strings.TrimPrefix(m.Version, "v")
	}
	return ""
}
