package session

import (
	"slices"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
)

// ErrNoPod is in the error about the name of a pod that is not there.
var ErrNoPod = phrase.Errorf("there is no pod")

// podWords stand before the name of a pod, as kubectl and -o name write it.
var podWords = []string{"pod", "pods", "po"}

// mostNamed is how many pods an error names.
const mostNamed = 3

// Group is the first pod group that is called so: name, or namespace/name. "" is none.
func (n Names) Group(text string) string {
	at := slices.IndexFunc(n.Groups, func(group string) bool { return strings.HasSuffix(group, "/"+text) })
	if at < 0 {
		return ""
	}
	return n.Groups[at]
}

// Pod is the key of the pod that a user means: namespace/name, or a name that only one pod has.
func (n Names) Pod(text string) (string, error) {
	if slices.Contains(n.Pods, text) {
		return text, nil
	}
	var found []string
	for _, key := range n.Pods {
		if key[strings.LastIndex(key, "/")+1:] == text {
			found = append(found, key)
		}
	}
	if kind, name, is := strings.Cut(text, "/"); is && len(found) == 0 && slices.Contains(podWords, kind) {
		return n.Pod(name)
	}
	switch len(found) {
	case 0:
		return "", phrase.Errorf("%w %q%s", ErrNoPod, text, spelling.HintName(text, n.Pods))
	case 1:
		return found[0], nil
	}
	return "", phrase.Errorf("pod %q: there are %d (%s); write namespace/name", text, len(found), strings.Join(
		found[:min(mostNamed, len(found))], ", ",
	))
}
