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
var composed = map[string]bool{
	`%s: Invalid value: %q: kube-scheduler 1.22 was the last to read a Policy (--kube-version %s plays one that does); ` +
		`this build is kube-scheduler %s and needs its settings as %s`: true,
	`unknown command %q (did you mean %q?)`:                        true,
	`unknown word %q (did you mean %q?)`:                           true,
	`unknown option %q (did you mean %q?)`:                         true,
	`unknown kind %q (did you mean %q?); yaml %s takes every kind`: true,
	`want: %s`:                        true,
	`no Kubernetes objects in it: %s`: true,
	`no Kubernetes objects in it; it begins %q (%s)`:                                                     true,
	`it is what %s prints for people, and does not hold what a scheduler reads (%s)`:                     true,
	`an object without kind, and neither the file's name nor its fields tell which; it is left out (%s)`: true,
	`feature gate %q decides nothing in kube-scheduler %d.%d (this build offers %s)`:                     true,
	`%s: Invalid value: %q: is no scheduler configuration (want %s)`:                                     true,
	`%s line %d: %s`: true,
	`%s: %q is no quantity (want one like 500m, 2 or 1Gi)`: true,
	`recording %s: %s`:                              true,
	`its header cannot be read: %s`:                 true,
	`its header: %s`:                                true,
	`%s cannot be read: %s`:                         true,
	`file %s: %s`:                                   true,
	`pattern %s: %s`:                                true,
	`%s: no Kubernetes objects in it; it begins %q`: true,
	`%s: it holds a text, not objects: %q`:          true,
	`%s: it holds an answer of the API server, not objects: %q`: true,
	`%s: the file cannot be read: %s`:                           true,
	`%s: nothing in it is of a kind the scheduler reads; %s`:    true,
	`%s; and %d more things are wrong`:                          true,
	`%s; and 1 more thing is wrong`:                             true,
	`%s: this is not JSON; lines %d to %d are left out`:         true,
	`left out: %s`: true,
	`left out: %s (the scheduler reads none of them)`:                                            true,
	`%d node without any pod: what is used is unknown`:                                           true,
	`%d nodes without any pod: what is used is unknown`:                                          true,
	`made %d pods of %s %s`:                                                                      true,
	`made %d pod of %s %s`:                                                                       true,
	`%d pods use schedulerName %s; no profile has that name, so nobody here places them`:         true,
	`1 pod uses schedulerName %s; no profile has that name, so nobody here places it`:            true,
	`feature gate %s=%s: kube-scheduler %s locks it to %s`:                                       true,
	`feature gate %s=%s: this build has kube-scheduler's behaviour with %s=%s only`:              true,
	`its API server says %s`:                                                                     true,
	`%s rejects %s; %s: %s; %s: %s`:                                                              true,
	`%s rejects the pod; %s: %s; %s: %s`:                                                         true,
	`other victims; %s: %s; %s: %s`:                                                              true,
	`the message; %s: %s; %s: %s`:                                                                true,
	`another plugin rejects %s first; %s: %s; %s: %s`:                                            true,
	`%d nodes have the same total; %s takes %s (%s), %s takes %s (%s)`:                           true,
	`another release's rule (the nodes are of %s)`:                                               true,
	`the same nodes for the same reasons, in the words of another release (the nodes are of %s)`: true,
	`%d taint added`:  true,
	`%d taints added`: true,
	`%d pods placed`:  true,
	`%d pod placed`:   true,
	`%d nodes added`:  true,
	`%d node added`:   true,
	`%s, which was seen %d event later, has woken it`:                                                  true,
	`%s, which was seen %d events later, has woken it`:                                                 true,
	`the cluster had %d node then, and the input has %d`:                                               true,
	`the cluster had %d nodes then, and the input has %d`:                                              true,
	`%q is no command (help lists them)`:                                                               true,
	`%s by LeastAllocated, weight %d`:                                                                  true,
	`%s by MostAllocated, weight %d`:                                                                   true,
	`%s by RequestedToCapacityRatio, weight %d`:                                                        true,
	`%s of any namespace in topology %s`:                                                               true,
	`%s still fits and was scored again; %s`:                                                           true,
	`%s: its schedulerName is none of ours now; kube-scheduler drops it when its turn comes`:           true,
	`%s: its schedulerName was none of ours; kube-scheduler does not queue it before it is added anew`: true,
	`PersistentVolumeClaim  is not in the input`:                                                       true,
	`a node that has %s`:                                                                               true,
	`it was bound`:                                                                                     true,
	`placement does not take the group: %s`:                                                            true,
	`placement takes the group: %d members found a node`:                                               true,
	`preemption: %s with %d victims, the only candidate`:                                               true,
	`preemption: %s with 1 victim, the best of %d candidates`:                                          true,
	`reused from cycle %d: %s comes next, %d others follow; %s`:                                        true,
	`terms of the pod in topology %s`:                                                                  true,
	`there is no lesson %q (did you mean %q?) (1 to %d, or %s)`:                                        true,
	`with podgroup/%s`:                                                                                 true,
}

// libraries are sentences that the library of the command line, or the system, says.
var libraries = map[string]bool{
	`no such file or directory`:        true,
	`permission denied`:                true,
	`flag needs an argument: %s in %s`: true,
	`flag needs an argument: --%s`:     true,
	`unknown flag: --%s`:               true,
	`unknown shorthand flag: %s in %s`: true,
}

// TestEverySentenceOfDataIsStillSaid names the sentences of heard.yaml of which a part between two blanks stands in no
// text of the program any more; of a sentence that is composed, a word.
func TestEverySentenceOfDataIsStillSaid(t *testing.T) {
	said := strings.Join(literals(t), "\x00")
	for _, l := range words.Languages()[1:] {
		sentences := heard(t, l)
		for sentence := range sentences {
			split := blank.Split(sentence, -1)
			if composed[sentence] {
				split = strings.FieldsFunc(strings.Join(split, " "), isBetweenWords)
			}
			for _, part := range split {
				if part = strings.TrimSpace(part); !libraries[sentence] && !strings.Contains(said, part) {
					t.Errorf("%s: nothing says %q, which is a part of %q", l, part, sentence)
				}
			}
		}
		for _, listed := range []map[string]bool{composed, libraries} {
			for sentence := range listed {
				if !sentences[sentence] {
					t.Errorf("%s: %q is listed here, and has no translation", l, sentence)
				}
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
