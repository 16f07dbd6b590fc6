package short

import (
	"strings"
	"testing"
)

func TestEveryShortFormIsThatOfOnePlugin(t *testing.T) {
	by := map[string]string{}
	for plugin, form := range names {
		if other, taken := by[strings.ToLower(form)]; taken {
			t.Errorf("%s and %s are both %s", plugin, other, form)
		}
		by[strings.ToLower(form)] = plugin
		if got := Long(strings.ToUpper(form)); got != plugin {
			t.Errorf("%s is the short form of %q, want %s", form, got, plugin)
		}
		if got, known := Known(plugin); !known || got != form {
			t.Errorf("%s has the short form %q, want %s", plugin, got, form)
		}
	}
	if got := Long("Nothing"); got != "" {
		t.Errorf("Nothing is the short form of %s", got)
	}
}
