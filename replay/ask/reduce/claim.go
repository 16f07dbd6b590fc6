package reduce

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/ask/diff"
	"github.com/schedstep/schedstep/replay/play"
)

// Claim is a sentence about a pod at the end of a run.
type Claim struct {
	Pod string // namespace/name
	// Of these, one is set.
	State string // one of states
	Node  string // that the pod is on
	Says  string // part of the message of its last cycle
	// Plugins have rejected the pod in its last cycle; nil: any, or none.
	Plugins []string
}

// Like is the claim that besides the same plugins reject the pod as in a cycle that ended so: without any node a pod is
// unschedulable too.
func (c Claim) Like(end End) Claim {
	if c.State == "unschedulable" || c.State == "preempting" {
		c.Plugins = end.Plugins
	}
	return c
}

const usage = "pod NAME is STATE, pod NAME is on NODE, or pod NAME says TEXT"

// states are what a claim can have a pod be.
func states() []string {
	return []string{"placed", "unschedulable", "preempting", "waiting", "error", "untried"}
}

// outcomes are the ends of a pod's last cycle that a state means. A pod that was never tried, for a gate holds it back
// or its turn did not come, is untried.
var outcomes = map[string]trace.Outcome{
	"placed": trace.Scheduled, "unschedulable": trace.NotSchedulable, "preempting": trace.Preempting,
	"waiting": trace.Waiting, "error": trace.SchedulerError, "untried": "",
}

// ParseClaim reads "pod web-4 is unschedulable", "pod shop/web-4 is on n1" or "pod web-4 says Insufficient cpu".
func ParseClaim(text string) (Claim, error) {
	words, rest := strings.Fields(text), text
	for range min(3, len(words)) {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		rest = rest[max(0, strings.IndexFunc(rest, unicode.IsSpace)):]
	}
	if len(words) < 4 || words[0] != "pod" {
		return Claim{}, phrase.Errorf("%q is no claim: write "+usage, text)
	}
	c := Claim{Pod: words[1]}
	if !strings.Contains(c.Pod, "/") {
		c.Pod = metav1.NamespaceDefault + "/" + c.Pod
	}
	switch {
	case words[2] == "says":
		c.Says = strings.TrimSpace(rest)
		return c, nil
	case words[2] == "is" && words[3] == "on" && len(words) == 5:
		c.Node = words[4]
		return c, nil
	case words[2] == "is" && len(words) == 4:
		if _, known := outcomes[words[3]]; known {
			c.State = words[3]
			return c, nil
		}
		return Claim{}, phrase.Errorf("a pod is no %q%s: it is %s, or on NODE", words[3],
			spelling.Hint(words[3], states()), strings.Join(states(), ", "))
	}
	return Claim{}, phrase.Errorf("%q is no claim: write "+usage, text)
}

// String is the claim as ParseClaim reads it.
func (c Claim) String() string {
	switch {
	case c.Node != "":
		return "pod " + c.Pod + " is on " + c.Node
	case c.Says != "":
		return "pod " + c.Pod + " says " + c.Says
	}
	return "pod " + c.Pod + " is " + c.State
}

// Holds plays to the end and reports whether the claim is true there. The player is taken before its first step.
func (c Claim) Holds(ctx context.Context, player *play.Player) (bool, error) {
	ends, err := Ends(ctx, player)
	if err != nil {
		return false, err
	}
	return c.of(ends[c.Pod], exists(player, c.Pod)), nil
}

func exists(player *play.Player, pod string) bool {
	_, is := player.Scheduler().State().Pod(pod)
	return is
}

func (c Claim) of(end End, exists bool) bool {
	switch {
	case c.Node != "":
		return end.Outcome == trace.Scheduled && end.Node == c.Node
	case c.Says != "":
		return strings.Contains(end.Message, c.Says)
	}
	if c.Plugins != nil && !slices.Equal(c.Plugins, end.Plugins) {
		return false
	}
	return end.Outcome == outcomes[c.State] && (c.State != "untried" || exists)
}

// End is how the last cycle of a pod ended.
type End struct {
	trace.Ended
	Turn int  // the pod was the first to be tried, the second, ...; from 1 on
	Sure bool // no other node was as good as the one that it is on
}

// Ends plays to the end, and returns how the last cycle of each pod ended, by namespace/name.
func Ends(ctx context.Context, player *play.Player) (map[string]End, error) {
	ends := map[string]End{}
	err := diff.Steps(ctx, diff.Side{}, player, func(step play.Step) {
		for _, try := range diff.Tries(&step) {
			pod := try.Entity.Key()
			ends[pod] = End{
				Ended: *try.Ended, Turn: cmp.Or(ends[pod].Turn, len(ends)+1),
				Sure: try.Ended.Feasible == 1 || try.Selected != nil && len(try.Selected.Tied) == 1,
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return ends, nil
}
