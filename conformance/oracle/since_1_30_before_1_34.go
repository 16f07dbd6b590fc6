//go:build before_1_34 && !before_1_30

package oracle

import "github.com/schedstep/schedstep/conformance/oracle/fwk"

func matches(registered, event fwk.ClusterEvent) bool { return registered.Match(event) }
