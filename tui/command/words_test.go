package command_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/tui/command"
)

// TestWhatTakesNoWordsRefusesThem holds it for every verb, and that a verb is found by another name.
func TestWhatTakesNoWordsRefusesThem(t *testing.T) {
	for _, v := range command.All() {
		_, _, err := command.Parse(v.Name + " something")
		if refused := err != nil && strings.Contains(err.Error(), "takes no words"); refused != (v.Usage == "") {
			t.Errorf("%s, whose words are %q: %v", v.Name, v.Usage, err)
		}
	}
	if v, _, err := command.Parse("weight n1"); err != nil || v.Name != "against" {
		t.Errorf("weight is %q: %v", v.Name, err)
	}
}

// TestAVerbIsFoundByWhatItDoes finds verbs that begin otherwise, and none for what is too short or nowhere.
func TestAVerbIsFoundByWhatItDoes(t *testing.T) {
	for word, verb := range map[string]string{"gate": "relax", "GATE": "relax", "request": "set"} {
		if found := command.Saying(words.English, word); !slices.Contains(found, verb) {
			t.Errorf("%s finds %v, not %s", word, found, verb)
		}
	}
	for _, word := range []string{"", "ga", "zebra"} {
		if found := command.Saying(words.English, word); found != nil {
			t.Errorf("%q finds %v", word, found)
		}
	}
}
