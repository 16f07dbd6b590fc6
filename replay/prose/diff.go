package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/diff"
)

// The texts of a comparison of two settings.
const (
	textDiffAlso      = ", "
	textDiffNominated = "nominated %s"
	textDiffNone      = "%d pod ends as before: nothing differs"
	textDiffNoneOfAll = "%d pods end as before: nothing differs"
	textDiffOne       = "%d of 1 pod ends otherwise: %s; first %s"
	textDiffSome      = "%d of %d pods end otherwise: %s; first %s"
)

// Became is what became of a pod under one of two settings, in a few words.
func Became(lang words.Language, r *diff.Result) string {
	switch {
	case r.EvictedBy != "":
		return lang.Of(string(diff.Evicted))
	case r.Node != "":
		return r.Node
	case r.Gate != "":
		return lang.Of("gated")
	case r.Nominated != "":
		return lang.Say(textDiffNominated, r.Nominated)
	}
	return "-"
}

// DiffSum is a comparison in one line.
func DiffSum(lang words.Language, r *diff.Report) string {
	if len(r.Differences) == 0 {
		return lang.Sentence(r.Pods, textDiffNone, textDiffNoneOfAll)
	}
	var parts []string
	for _, what := range diff.Whats() {
		if n := r.Of(what); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, lang.Of(string(what))))
		}
	}
	ways := strings.Join(parts, lang.Of(textDiffAlso))
	if r.Pods == 1 {
		return lang.Say(textDiffOne, len(r.Differences), ways, r.First)
	}
	return lang.Say(textDiffSome, len(r.Differences), r.Pods, ways, r.First)
}
