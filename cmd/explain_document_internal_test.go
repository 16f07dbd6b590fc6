package cmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/internal/phrase"
)

func TestACommandIsOneWhateverItsValuesHold(t *testing.T) {
	patch := "kubectl patch pod web -p '{\"value\":\"a && # b\"}'"
	got := commandsOf([]phrase.Text{phrase.Verbatim(patch), "# one more node like n1", "kubectl delete pod web"})
	if diff := cmp.Diff([]string{patch, "kubectl delete pod web"}, got); diff != "" {
		t.Error(diff)
	}
}
