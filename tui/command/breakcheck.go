package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
)

// queueNames are the queues by all the names that users know: kube-scheduler's, and those of the screen.
var queueNames = map[string]string{
	"active": "activeQ", "activeQ": "activeQ", "backoff": "backoffQ", "backoffQ": "backoffQ",
	"unschedulable": "unschedulable", "unschedulablePods": "unschedulable", "gated": "gated",
}

// queueWords are what completion offers of them.
var queueWords = []string{"activeQ", "backoffQ", "unschedulablePods", "gated"}

// outcomes are how a cycle can end.
var outcomes = []string{
	string(trace.Scheduled), string(trace.NotSchedulable), string(trace.Preempting), string(trace.Waiting),
	string(trace.SchedulerError), string(trace.SkippedScheduling),
}

// eventWords are the kinds of objects that events are most often about, and kube-scheduler's labels of what changed.
var eventWords = append([]string{
	"Pod", "Node", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode",
}, session.EventLabels()...)

// checkBreak refuses values that no step can have, and brings the name of a queue to the scheduler's own. A pod, a
// node, a plugin or a kind that is not known yet may still come: caution is the note about it.
func checkBreak(c Call, b *session.Breakpoint) (caution string, err error) {
	if b.Outcome != "" && !slices.Contains(outcomes, string(b.Outcome)) {
		return "", unknown(c.lang(), "break", "outcome", string(b.Outcome), outcomes)
	}
	if b.Queue != "" {
		name, known := queueNames[b.Queue]
		if !known {
			return "", unknown(c.lang(), "break", "queue", b.Queue, queueWords)
		}
		b.Queue = name
	}
	words := VocabularyOf(c.Session, c.Session.Frame(), nil)
	plugins := slices.Concat(words.plugins, words.scorers, c.Session.At().Plugins())
	slices.Sort(plugins)
	plugins = slices.Compact(plugins)
	for _, value := range []struct {
		word, text string
		known      []string
	}{{"plugin", b.Plugin, plugins}, {"event", b.Event, eventWords}} {
		if value.text == "" || slices.Contains(value.known, value.text) {
			continue
		}
		if !spelling.HintName(value.text, value.known).IsZero() || abbreviated(value.text, value.known) != "" {
			return "", unknown(c.lang(), "break", value.word, value.text, value.known)
		}
		caution += c.lang().Say("; no %s %q is known yet", value.word, value.text)
	}
	names := c.Session.At().Names()
	if b.Pod != "" && !strings.ContainsAny(b.Pod, "*?[") {
		if _, err := names.Pod(b.Pod); errors.Is(err, session.ErrNoPod) {
			caution += c.lang().Say("; no such pod yet%s", spelling.HintName(b.Pod, names.Pods))
		}
	}
	if b.Node != "" && !strings.ContainsAny(b.Node, "*?[") && !slices.Contains(names.Nodes, b.Node) {
		caution += c.lang().Say("; no such node yet%s", spelling.HintName(b.Node, names.Nodes))
	}
	return caution, nil
}

// unknown is the error about a value that does not exist: it names what may have been meant, and what there is.
func unknown(lang words.Language, verb, word, text string, known []string) error {
	hint := spelling.HintName(text, known)
	if near := abbreviated(text, known); near != "" {
		hint = phrase.New(" (did you mean %q?)", near)
	}
	if len(known) == 0 {
		return lang.Errorf("%s: there is no %s %q%s", verb, word, text, hint)
	}
	return lang.Errorf("%s: there is no %s %q%s; there are %s", verb, word, text, hint, strings.Join(known, ", "))
}

// abbreviated is the known name that a text is an end or a beginning of, such as Fit of NodeResourcesFit.
func abbreviated(text string, known []string) string {
	for _, name := range known {
		if strings.HasSuffix(strings.ToLower(name), strings.ToLower(text)) ||
			strings.HasPrefix(strings.ToLower(name), strings.ToLower(text)) {
			return name
		}
	}
	return ""
}

// watched is the value to watch, with the whole key of a pod for its name. A pod that is not there yet is looked for in
// the namespace default; caution is the note about it.
func watched(c Call) (value, caution string, err error) {
	text := c.Args[0]
	rest, isPod := strings.CutPrefix(text, "pod.")
	dot := strings.LastIndex(rest, ".")
	if !isPod || dot < 0 || strings.Contains(rest[:dot], "/") {
		return text, "", nil
	}
	key, err := c.Session.At().Names().Pod(rest[:dot])
	if errors.Is(err, session.ErrNoPod) {
		return text, c.lang().Of("; no such pod yet, in namespace default"), nil
	}
	if err != nil {
		return "", "", phrase.Errorf("watch: %w", err)
	}
	return "pod." + key + rest[dot:], "", nil
}
