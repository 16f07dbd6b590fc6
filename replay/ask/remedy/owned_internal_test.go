package remedy

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
)

func TestNoChangeIsOfferedThatAControllerUndoes(t *testing.T) {
	for _, test := range []struct{ file, pod, never, want string }{
		{"testdata/label_of_the_selector.yaml", "default/es-data-2", "label ", "add-node new-1"},
		{"testdata/daemonset_pod.yaml", "default/agent-n2", "affinity", "set request default/agent-n2 memory=1Gi"},
		{"testdata/cordoned_with_its_taint.yaml", "default/web", "taint n1", "uncordon n1"},
	} {
		in, err := input.Read(t.Context(), []string{test.file}, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(in.Play(config.Default(), 0, trace.Reported), session.About{Title: "test"})
		s.Move(t.Context(), session.Continue, session.Forward, nil)
		a := found(t, s, test.pod)
		var all []string
		for _, r := range a.Remedies {
			all = append(all, lines(r))
			if strings.Contains(lines(r), test.never) {
				t.Errorf("%s: %s is undone or refused", test.file, lines(r))
			}
		}
		if text := strings.Join(all, "; "); !strings.Contains(text, test.want) {
			t.Errorf("%s: %s, want %s among them", test.file, text, test.want)
		}
	}
}
