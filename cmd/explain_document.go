package cmd

import (
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/workload"
)

func workloadDocument(found workload.Answer, first *session.Explanation) map[string]string {
	return map[string]string{}
}
