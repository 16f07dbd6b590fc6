package command

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/words"
)

// TestHelpExplainsEveryPluginOfTheDefaultProfile reads the help of all plugins that filter or score.
func TestHelpExplainsEveryPluginOfTheDefaultProfile(t *testing.T) {
	p := config.Default().Profiles[0]
	var names []string
	for _, f := range p.Filter {
		names = append(names, f.Name())
	}
	for _, s := range p.Score {
		names = append(names, s.Name())
	}
	for _, f := range p.PostFilter {
		names = append(names, f.Name())
	}
	if len(names) < 15 {
		t.Fatalf("only %v", names)
	}
	for _, name := range names {
		if page, found := topic(words.English, strings.ToLower(name)); !found || page.Title != name ||
			len(page.Lines[2]) < 20 {
			t.Errorf("help %s: %+v", name, page)
		}
	}
	if _, err := HelpOn(words.English, []string{"TaintTolleration"}); err == nil ||
		!strings.Contains(err.Error(), "TaintToleration") {
		t.Errorf("%v", err)
	}
}
