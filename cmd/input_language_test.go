package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongScenarios are one line each that the format does not take, below a node.
var wrongScenarios = []string{
	"nod n1", "node n1 cpu=2", "node n2 cpu=x", "node n2 zone", "node n2 taint=:NoSchedule", "node n2 taint=a=b:Never",
	"node n2 image=nginx", "node n2 colour=red", "node n2 cpu=2 cpu=3", "pod a phase=Gone", "pod a port=0", "pod a port=80/XYZ",
	"pod a owner=x", "pod a priority=high", "pod a preemption=Perhaps", "pod a affinity=app=web", "pod a tolerate=:NoSchedule",
	"pod a selector=a>b>c",
	"pod a volume=x", "pod a disk=x", "pod a disk=rbd/x", "update pod nobody cpu=1", "delete pod nobody",
	"advance x", "advance -1s", "schedule x", "expect nobody bound", "expect queue sleeping", "storageclass s mode=Later",
	"pv v topology=x", "pv v access=Any", "pv v csi=x", "hold pods", "release 9.9", "allow default/a", "queue x", "why", "back",
	"podgroup g minCount=x", "config score=NodeResourcesFit", "gates X=maybe", "unknownverb", "fork nothing", "pod a gate",
}

// syntaxOfExpect is the syntax of a scenario's expectation, as the format has it.
const syntaxOfExpect = "expect POD on NODE, in QUEUE, or nowhere"

// TestWhatIsWrongWithInputIsSaidInTheLanguage gives wrong scenarios, recordings, files and configurations in Chinese.
func TestWhatIsWrongWithInputIsSaidInTheLanguage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var lines [][]string
	for _, wrong := range wrongScenarios {
		name := write(strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, wrong)+".txt", "# A story.\n\nnode n1 cpu=2\n"+wrong+"\n")
		lines = append(lines, []string{"run", name})
	}
	good := write("good.txt", "# A story.\n\nnode n1 cpu=2\npod a cpu=1\n")
	header := `{"format":"schedstep-recording","version":1}`
	lines = append(
		lines,
		[]string{"run", write("empty.txt", "")},
		[]string{"run", write("words.txt", "Dear reader, nothing is here.\n")},
		[]string{"run", filepath.Join(dir, "nowhere.yaml")},
		[]string{"run", filepath.Join(dir, "*.nothing")},
		[]string{"run", ""},
		[]string{"run", good, good},
		[]string{"run", write("status.json", `{"kind":"Status","apiVersion":"v1","message":"no"}`)},
		[]string{"run", write("cut.schedstep", "\x28\xb5\x2f\xfd")},
		[]string{"run", write("old.jsonl", header+"\n")},
		[]string{"run", write("new.jsonl", strings.Replace(header, "1}", "99}", 1)+"\n")},
		[]string{"run", good, "--expect", "pods"},
		[]string{"run", good, "--feature-gates", "GenericWorkload"},
		[]string{"run", good, "--feature-gates", "Nothing=true"},
		[]string{"run", good, "--config", write("empty.yaml", "")},
		[]string{"run", good, "--config", write("list.yaml", "- a\n")},
		[]string{"run", good, "--config", write("policy.yaml", "apiVersion: v1\nkind: Policy\n")},
		[]string{"run", good, "--config", write("kind.yaml", "apiVersion: v1\nkind: Pod\n")},
		[]string{"run", good, "--config", filepath.Join(dir, "none.yaml")},
		[]string{"convert", good, "-o", "-", "--slice", "b"},
	)
	for _, line := range lines {
		got := program(t, append([]string{"--lang", "zh"}, line...)...)
		if got.code == 0 || got.err == "" {
			t.Errorf("%s: exit code %d, says %q", strings.Join(line, " "), got.code, got.err)
		}
		said := strings.NewReplacer(
			dir, "", "Dear reader, nothing is here", "", "update node n1", "", syntaxOfExpect, "",
		).Replace(got.err)
		for each := range strings.Lines(said) {
			if words := threeWords.FindString(each); words != "" {
				t.Errorf("%s: left in English is %q of %s", strings.Join(line, " "), words, each)
			}
		}
	}
}
