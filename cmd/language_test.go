package cmd_test

import (
	"strings"
	"testing"
)

// TestDataIsTheSameInEveryLanguage holds what programs read to what they would read in English.
func TestDataIsTheSameInEveryLanguage(t *testing.T) {
	for _, line := range []string{
		"run testdata/gang.txt -o json", "run testdata/gang.txt -o jsonl", "run testdata/gang.txt -o name",
		"run testdata/gang.txt --report json", "run testdata/gang.txt --recorded -o json",
		"explain podgroup/train testdata/gang.txt -o json", "explain podgroup/train testdata/gang.txt -o yaml",
		"explain default/t0 testdata/gang.txt -o json", "lint testdata/gang.txt -o json",
		"diff testdata/gang.txt --a kube-version=1.37 --b kube-version=1.37 -o json",
		"export cycle testdata/gang.txt --to json", "export cycle testdata/gang.txt --to csv",
		"export run testdata/gang.txt --to json", "commands", "keys -o markdown", "releases -o markdown",
	} {
		english := program(t, strings.Fields(line)...)
		if len(english.out) < 3 {
			t.Errorf("%s: prints nothing: %s", line, english.err)
		}
		chinese := program(t, append(strings.Fields(line), "--lang", "zh")...)
		if english.out != chinese.out || english.code != chinese.code {
			t.Errorf("%s: exit code %d, in Chinese %d\n%s\n%s", line, english.code, chinese.code, english.out, chinese.out)
		}
	}
}
