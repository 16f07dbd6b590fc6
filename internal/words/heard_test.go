package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/words"
)

// composed are sentences that the program puts together from shorter texts.
var composed = []string{
	`%s: Invalid value: %q: kube-scheduler 1.22 was the last to read a Policy (--kube-version %s plays one that does); ` +
		`this build is kube-scheduler %s and needs its settings as %s`,
	`unknown command %q (did you mean %q?)`,
	`unknown word %q (did you mean %q?)`,
	`unknown option %q (did you mean %q?)`,
	`unknown kind %q (did you mean %q?); yaml %s takes every kind`,
	`want: %s`,
	`no Kubernetes objects in it: %s`,
	`no Kubernetes objects in it; it begins %q (%s)`,
	`it is what %s prints for people, and does not hold what a scheduler reads (%s)`,
	`an object without kind, and neither the file's name nor its fields tell which; it is left out (%s)`,
	`feature gate %q decides nothing in kube-scheduler %d.%d (this build has both settings of %d gates; completion of --feature-gates lists them)`,
	`%s: Invalid value: %q: is no scheduler configuration (want %s)`,
	`%s line %d: %s`,
	`%s: %q is no quantity (want one like 500m, 2 or 1Gi)`,
	`recording %s: %s`,
	`its header cannot be read: %s`,
	`its header: %s`,
	`%s cannot be read: %s`,
	`file %s: %s`,
	`pattern %s: %s`,
	`%s: no Kubernetes objects in it; it begins %q`,
	`%s: it holds a text, not objects: %q`,
	`%s: it holds an answer of the API server, not objects: %q`,
	`%s: the file cannot be read: %s`,
	`%s: nothing in it is of a kind the scheduler reads; %s`,
	`%s; and %d more things are wrong`,
	`%s; and 1 more thing is wrong`,
	`%s: this is not JSON; lines %d to %d are left out`,
	`left out: %s`,
	`left out: %s (the scheduler reads none of them)`,
	`%d node without any pod: what is used is unknown`,
	`%d nodes without any pod: what is used is unknown`,
	`made %d pods of %s %s`,
	`made %d pod of %s %s`,
	`%d pods use schedulerName %s; no profile has that name, so nobody here places them`,
	`1 pod uses schedulerName %s; no profile has that name, so nobody here places it`,
	`feature gate %s=%s: kube-scheduler %s locks it to %s`,
	`feature gate %s=%s: this build has kube-scheduler's behaviour with %s=%s only`,
	`its API server says %s`,
	`%s rejects %s; %s: %s; %s: %s`,
	`%s rejects the pod; %s: %s; %s: %s`,
	`other victims; %s: %s; %s: %s`,
	`the message; %s: %s; %s: %s`,
	`another plugin rejects %s first; %s: %s; %s: %s`,
	`%d nodes have the same total; %s takes %s (%s), %s takes %s (%s)`,
	`another release's rule (the nodes are of %s)`,
	`the same nodes for the same reasons, in the words of another release (the nodes are of %s)`,
	`%d taint added`,
	`%d taints added`,
	`%d workload is not in the input: each wants the pods that it has, and rolls by the defaults of the API`,
	`%d workloads are not in the input: each wants the pods that it has, and rolls by the defaults of the API`,
	`%d pods placed`,
	`%d pod placed`,
	`%d nodes added`,
	`%d node added`,
	`%s, which was seen %d event later, has woken it`,
	`%s, which was seen %d events later, has woken it`,
	`the cluster had %d node then, and the input has %d`,
	`the cluster had %d nodes then, and the input has %d`,
	`%q is no command (help lists them)`,
	`PersistentVolumeClaim  is not in the input`,
	`there is no lesson %q (did you mean %q?) (1 to %d, or %s)`,
}

// libraries are sentences that the library of the command line, or the system, says.
var libraries = []string{
	`no such file or directory`,
	`permission denied`,
	`flag needs an argument: %s in %s`,
	`flag needs an argument: --%s`,
	`unknown flag: --%s`,
	`unknown shorthand flag: %s in %s`,
}

// TestEverySentenceOfDataIsStillSaid names the sentences of heard.yaml of which a part between two blanks stands in no
// text of the program any more; of a sentence that is composed, a word.
func TestEverySentenceOfDataIsStillSaid(t *testing.T) {
	said := strings.Join(literals(t), "\x00")
	for _, l := range words.Languages()[1:] {
		sentences := heard(t, l)
		for sentence := range sentences {
			split := blank.Split(sentence, -1)
			if slices.Contains(composed, sentence) {
				split = strings.FieldsFunc(strings.Join(split, " "), isBetweenWords)
			}
			for _, part := range split {
				if part = strings.TrimSpace(part); !slices.Contains(libraries, sentence) && !strings.Contains(said, part) {
					t.Errorf("%s: nothing says %q, which is a part of %q", l, part, sentence)
				}
			}
		}
		for _, sentence := range slices.Concat(composed, libraries) {
			if !sentences[sentence] {
				t.Errorf("%s: %q is listed here, and has no translation", l, sentence)
			}
		}
	}
}

func isBetweenWords(r rune) bool { return strings.ContainsRune(" ,;:()?", r) }

// literals are the texts of the program.
func literals(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, room := range []string{"core", "replay", "internal", "cmd", "tui"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
					text, _ := strconv.Unquote(l.Value)
					all = append(all, text)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	themes, err := filepath.Glob(filepath.Join("..", "..", "themes", "*.yaml")) // data, each with a text about it
	if err != nil || len(themes) == 0 {
		t.Fatalf("%d themes, %v", len(themes), err)
	}
	for _, name := range themes {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
