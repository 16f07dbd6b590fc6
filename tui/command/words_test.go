package command_test

import (
	"strings"
	"testing"

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
