package tui_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/table"
	"github.com/schedstep/schedstep/replay/learn/lesson"
	"github.com/schedstep/schedstep/replay/learn/predict"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/prompt"
	"github.com/schedstep/schedstep/tui/screen"
)

// tried is a verb as a person tries it: what is typed before it, the line with it, and what is there to be seen then,
// on the screen and at the prompt.
type tried struct {
	verb   string
	before []string
	line   string
	screen string
	plain  string
	open   opening // "": the rollout

	refused bool // the verb refuses here
}

// opening is what a verb is tried on.
type opening string

const (
	ofRollout opening = ""
	ofClaim   opening = "a pod whose claim has no volume"
	ofLesson  opening = "a lesson"
	ofGame    opening = "the guessing game"
	ofFile    opening = "a replay that can be saved"

	ofEviction opening = "a pod that evicts others"
)

// onlyAScreen is what the prompt answers to a verb that changes how a screen looks.
const onlyAScreen = "only a screen has that"

// triedVerbs has every verb of the table, except for most questions: see rowsOfQuestions. FILE is a file in a folder of
// its own.
var triedVerbs = []tried{
	{verb: "next", line: "next 2", screen: "cycle 2", plain: "pod default/web-1, attempt 1"},
	{verb: "step", before: []string{"next"}, line: "step 3", screen: "■ paused", plain: "where: cycle 2, at Pop"},
	{verb: "into", before: []string{"next"}, line: "into 4", screen: "■ paused", plain: "where: "},
	{verb: "out", before: []string{"next", "step 4"}, line: "out", screen: "cycle 2", plain: "where: after cycle 2"},
	{verb: "continue", line: "continue", screen: "nothing is left to do", plain: "nothing is left to do"},
	{verb: "back", before: []string{"next 2"}, line: "back", screen: "cycle 2", plain: "where: cycle 2, at Bind"},
	{
		verb: "back-fact", before: []string{"next 2"}, line: "back-fact 2", screen: "cycle 2",
		plain: "where: cycle 2, at Bind",
	},
	{verb: "rev", before: []string{"next 3"}, line: "rev next", screen: "cycle 2", plain: "where: after cycle 2"},
	{verb: "previous", before: []string{"next 3"}, line: "previous", screen: "cycle 2", plain: "where: after cycle 2"},
	{
		verb: "reverse-continue", before: []string{"next 3"}, line: "reverse-continue", screen: "this is the start",
		plain: "this is the start",
	},
	{verb: "goto", line: "goto huge-0", screen: "cycle 5", plain: "cycle: 5, pod default/huge-0"},
	{
		verb: "rewind", before: []string{"next 3"}, line: "rewind", screen: "at the start",
		plain: "at the start of web rollout",
	},

	{verb: "bookmark", before: []string{"next"}, line: "bookmark here", screen: "bookmark 1", plain: "bookmark 1"},
	{verb: "bookmarks", before: []string{"next", "bookmark here"}, line: "bookmarks", screen: "here", plain: "cycle 1"},
	{
		verb: "restart", before: []string{"next", "bookmark here", "next 3"}, line: "restart 1", screen: "cycle 1",
		plain: "where: after cycle 1",
	},
	{verb: "forget", before: []string{"bookmark x"}, line: "forget 1", screen: "bookmark 1", plain: "bookmark 1"},
	{
		verb: "save-session", before: []string{"next"}, line: "save-session FILE.session", screen: "bytes written",
		plain: "bytes written", open: ofFile,
	},

	{verb: "break", line: "break pod huge-0", screen: "breakpoint 1", plain: "breakpoint 1"},
	{verb: "tbreak", line: "tbreak pod huge-0", screen: "breakpoint 1", plain: "breakpoint 1"},
	{verb: "trace", line: "trace pod web-*", screen: "breakpoint 1", plain: "breakpoint 1"},
	{verb: "watch", line: "watch queue.active", screen: "queue.active", plain: "queue.active"},
	{
		verb: "cond", before: []string{"break pod web-*"}, line: "cond 1 hits % 2 == 0", screen: "hits % 2 == 0",
		plain: "hits % 2 == 0",
	},
	{verb: "on", before: []string{"break pod web-*"}, line: "on 1 show queue", screen: "show queue", plain: "show queue"},
	{
		verb: "breakpoints", before: []string{"break pod web-*"}, line: "breakpoints", screen: "pod web-*",
		plain: "pod web-*",
	},
	{
		verb: "toggle", before: []string{"break pod web-*"}, line: "toggle 1", screen: "breakpoint 1 is off",
		plain: "is off",
	},
	{verb: "clear", before: []string{"break pod web-*"}, line: "clear 1", screen: "removed", plain: "removed"},
	{verb: "display", line: "display queue.active", screen: "queue.active = 0", plain: "queue.active is 0"},
	{
		verb: "undisplay", before: []string{"display queue.active"}, line: "undisplay 1", screen: "cycle 0",
		plain: "display 1",
	},
	{verb: "source", line: "source testdata/edit/steps.txt", screen: "cycle 5", plain: "cycle: 5"},

	{verb: "bind", before: []string{"next 5"}, line: "bind huge-0 n2 yes", screen: "what if: bind", plain: "bound to n2"},
	{
		verb: "diff", before: []string{"next 4"}, line: "diff kube-version=1.31", screen: "B: kube-version=1.31",
		plain: "B: kube-version=1.31",
	},
	{
		verb: "branches", before: []string{"next", "cordon n3"}, line: "branches", screen: "cordon",
		plain: "after cycle 1 (0 on it)",
	},
	{
		verb: "branch", before: []string{"next", "cordon n3"}, line: "branch main", screen: "on branch main",
		plain: "branch main",
	},
	{verb: "redo", before: []string{"next", "cordon n2"}, line: "redo", screen: "cycle 1", plain: "cycle: 1"},
	{verb: "undo", before: []string{"next", "cordon n3"}, line: "undo", screen: "is forgotten", plain: "is forgotten"},
	{
		verb: "cordon", before: []string{"next"}, line: "cordon n3", screen: "node n3 is cordoned",
		plain: "node n3 is cordoned",
	},
	{
		verb: "uncordon", before: []string{"next", "cordon n3"}, line: "uncordon n3", screen: "node n3 is uncordoned",
		plain: "node n3 is uncordoned",
	},
	{verb: "drain", before: []string{"next"}, line: "drain n2", screen: "node n2 is drained", plain: "node n2 is drained"},
	{
		verb: "taint", before: []string{"next"}, line: "taint n3 a=b:NoSchedule", screen: "node n3 is tainted",
		plain: "node n3 is tainted",
	},
	{
		verb: "label", before: []string{"next"}, line: "label n3 disk=ssd", screen: "n3 has the label disk=ssd",
		plain: "n3 has the label disk=ssd",
	},
	{
		verb: "add-node", before: []string{"next"}, line: "add-node n9 like n2 cpu=32", screen: "added n9, a copy of n2",
		plain: "added n9, a copy of n2",
	},
	{
		verb: "plan", before: []string{"next"}, line: "plan drain n2 --force", screen: "what if: plan-drain-n2",
		plain: "on branch plan-drain-n2: plan next",
	},
	{
		verb: "plan", before: []string{"next", "plan drain n2 --force"}, line: "plan next", screen: "step 1 of",
		plain: "step 1 of",
	},
	{
		verb: "plan", before: []string{"next", "plan drain n2 --force", "plan next"}, line: "plan back",
		screen: "what if: plan-drain-n2", plain: "an event, after cycle 1 (already run",
	},
	{verb: "plan", before: []string{"next"}, line: "plan drian n2", refused: true, screen: "drian", plain: "drian"},
	{verb: "delete", before: []string{"next"}, line: "delete n3", screen: "deleted node n3", plain: "deleted node n3"},
	{
		verb: "set", before: []string{"next 5"}, line: "set config testdata/verbs/scheduler.yaml",
		screen: "started anew with testdata/verbs/", plain: "started anew with testdata/verbs/",
	},
	{
		verb: "set", before: []string{"next 5"}, line: "set release 1.31", screen: "kube-scheduler 1.31 decides",
		plain: "kube-scheduler 1.31 decides",
	},
	{
		verb: "tolerate", before: []string{"next 5"}, line: "tolerate huge-0 gpu=true:NoSchedule",
		screen: "tolerates gpu=true:NoSchedule", plain: "tolerates gpu=true:NoSchedule",
	},
	{
		verb: "relax", before: []string{"next 5"}, line: "relax batch-0 gate example.com/quota", screen: "what if: ",
		plain: "on branch",
	},
	{verb: "evict", before: []string{"next 2"}, line: "evict web-0", screen: "what if: evict", plain: "on branch evict"},
	{
		verb: "wake", before: []string{"next 5"}, line: "wake huge-0", screen: "huge-0 is in activeQ",
		plain: "is in activeQ",
	},
	{
		verb: "fire", before: []string{"next 5"}, line: "fire NodeAdd", screen: "huge-0 is in activeQ",
		plain: "huge-0 is in activeQ",
	},
	{
		verb: "add-volume", before: []string{"next"}, line: "add-volume default/data", screen: "added volume new-data",
		plain: "added volume new-data", open: ofClaim,
	},
	{
		verb: "renew-keys", before: []string{"next"}, line: "renew-keys old", screen: "has the labels of today",
		plain: "has the labels of today", open: ofClaim,
	},
	{
		verb: "unresize", before: []string{"next"}, line: "unresize grown", screen: "resize of default/grown is taken back",
		plain: "the resize of default/grown is taken back", open: ofClaim,
	},
	{
		verb: "scale", before: []string{"next"}, line: "scale rs/default/few 0", screen: "has 0 replicas instead of 1",
		plain: "rs/default/few has 0 replicas instead of 1", open: ofClaim,
	},
	{
		verb: "describe", before: []string{"next"}, line: "describe node/n2", screen: "kind: Node", plain: "kind: Node",
	},
	{
		verb: "edit", before: []string{"next 5"}, line: "edit huge-0 testdata/verbs/huge-0.yaml", screen: "what if: edit",
		plain: "on branch edit",
	},
	{
		verb: "changes", before: []string{"next 5"}, line: "changes", screen: "request 2 of cpu instead of 16",
		plain: "request 2 of cpu instead of 16",
	},
	{
		verb: "apply", before: []string{"next 5"}, line: "apply 1 huge-0", screen: "what if: ", plain: "on branch",
	},
	{
		verb: "replicas", before: []string{"continue"}, line: "replicas", screen: "3 of 5 replicas fit: Deployment web",
		plain: "3 of 5 replicas fit: Deployment web",
	},

	{
		verb: "explain", before: []string{"next 5"}, line: "explain n1", screen: "never chosen, in 5 searches",
		plain: "never chosen, in 5 searches",
	},
	{
		verb: "against", before: []string{"next"}, line: "against n3", screen: "Why default/web-0 is not on n3",
		plain: "Why default/web-0 is not on n3",
	},
	{
		verb: "cascade", before: []string{"next"}, line: "cascade", screen: "default/batch-0 leaves n2 for default/boss",
		plain: "default/batch-0 leaves n2 for default/boss", open: ofEviction,
	},
	{verb: "notes", line: "notes", screen: "no notes about the input", plain: "no notes about the input"},
	{verb: "export", before: []string{"next"}, line: "export filter FILE.csv", screen: "FILE.csv", plain: "FILE.csv"},
	{verb: "narrate", before: []string{"next"}, line: "narrate", screen: "kube-scheduler", plain: "kube-scheduler"},
	{verb: "lesson", line: "lesson", screen: "page 1", plain: "page 1", open: ofLesson},
	{verb: "page", line: "page", screen: "page 2", plain: "page 2", open: ofLesson},
	{verb: "hint", before: []string{"page"}, line: "hint", screen: "Hint", plain: "Hint:", open: ofLesson},
	{
		verb: "answer", before: []string{"page"}, line: "answer 99", screen: "asks no question", plain: "asks no question",
		open: ofLesson, refused: true,
	},
	{verb: "again", before: []string{"page"}, line: "again", screen: "page 2", plain: "page 2", open: ofLesson},
	{verb: "sandbox", line: "sandbox", screen: "sandbox: every command", plain: "sandbox: every command", open: ofLesson},
	{verb: "deal", line: "deal", screen: "cycle 2", plain: "what becomes of default/web-1?", open: ofGame},
	{
		verb: "guess", line: "guess n2 out n1", screen: "10 of 10 points", plain: "10 of 10 points", open: ofGame,
	},

	{verb: "show", before: []string{"next 5"}, line: "show queue", screen: "huge-0", plain: "gated: default/batch-0"},
	{verb: "find", before: []string{"next"}, line: "find n3", screen: "n3", plain: "n3"},
	{verb: "filter", before: []string{"next 5"}, line: "filter n3", screen: "Why: n3", plain: "node n3"},
	{verb: "sort", before: []string{"next 5"}, line: "sort name", screen: "by name", plain: onlyAScreen},
	{verb: "columns", before: []string{"next", "show score"}, line: "columns raw", screen: "raw", plain: onlyAScreen},
	{
		verb: "group-by", before: []string{"next"}, line: "group-by kubernetes.io/hostname",
		screen: "kubernetes.io/hostname=n2", plain: "kubernetes.io/hostname=n2: 1 node",
	},
	{
		verb: "fill", before: []string{"next"}, line: "fill pods", screen: "pods", plain: "node n2: pods",
	},
	{verb: "language", line: "language zh", screen: "语言：zh", plain: "语言：zh"},
	{verb: "theme", line: "theme mono", screen: "mono", plain: onlyAScreen},
	{verb: "run", line: "run", screen: "running", plain: onlyAScreen},
	{verb: "pause", before: []string{"next"}, line: "pause", screen: "cycle 1", plain: onlyAScreen},
	{verb: "speed", line: "speed 4", screen: "runs 4 cycles in a second", plain: onlyAScreen},
	{verb: "help", line: "help cordon", screen: "Marks a node unschedulable", plain: "Marks a node unschedulable"},
	{
		verb: "scheduler", line: "scheduler", screen: "there is one scheduler here",
		plain: "there is one scheduler here: default-scheduler",
	},
	{verb: "quit", line: "quit; next", plain: ""},
}

// configured reads configurations as the command line does.
func configured(version string, text []byte, source string) (*config.Config, error) {
	with, err := config.Options{}.For(version)
	if err != nil {
		return nil, err
	}
	return config.LoadOr(text, source, with)
}

// opened is the session that a verb is tried on, and the lesson or the game around it.
func (v *tried) opened(t *testing.T) (*session.Session, screen.Options, func(in io.Reader, out io.Writer) error) {
	var o screen.Options
	var s *session.Session
	run := func(in io.Reader, out io.Writer) error { return prompt.Run(t.Context(), s, in, out) }
	switch v.open {
	case ofRollout:
		s = rollout().about(t, session.About{
			Title: "web rollout", Version: "1.37", Configure: configured,
			Workloads: []session.Workload{{Kind: "Deployment", Name: "web", Pods: []string{
				"default/web-0", "default/web-1", "default/late-0", "default/huge-0", "default/batch-0",
			}}},
		})
	case ofClaim:
		s = claiming().session(t)
	case ofEviction:
		s = preempting().session(t)
	case ofFile:
		s = kept(t)
	case ofGame:
		s, o.Game = rollout().session(t), predict.New(lesson.WordsIn(lesson.English))
		run = func(in io.Reader, out io.Writer) error {
			return prompt.Predict(t.Context(), s, predict.New(lesson.WordsIn(lesson.English)), in, out)
		}
	case ofLesson:
		walk, err := lesson.Progress{}.Begin(t.Context(), lessons(t)[0], carryOut, lesson.English)
		if err != nil {
			t.Fatal(err)
		}
		words, keep := lesson.WordsIn(lesson.English), func(lesson.Standing) error { return nil }
		s, o.Class = walk.Session(), &screen.Class{Walk: walk, Words: words, Keep: keep}
		run = func(in io.Reader, out io.Writer) error {
			return prompt.Learn(t.Context(), walk, prompt.Learning{Words: words, Keep: keep}, in, out)
		}
	}
	return s, o, run
}

// claiming is a pod that waits for a claim without a volume, on two nodes.
func claiming() *story {
	s := &story{}
	mode := "standard"
	s.add(0, node("n1", "4"), node("n2", "4"), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data", UID: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &mode, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("1Gi"),
			}},
		},
	})
	db := pod("db-0", "1")
	db.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	s.add(0, db)
	s.add(0, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "old"}, Spec: corev1.PersistentVolumeSpec{
			StorageClassName: "other", NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelFailureDomainBetaZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"a"},
				}}}},
			}},
		},
	})
	grown := pod("grown", "1")
	grown.Spec.NodeName = "n1"
	grown.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred,
	}}
	s.add(0, grown)
	one := pod("one", "1")
	one.Spec.NodeName = "n1"
	one.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "few", UID: "few", Controller: new(true)}}
	s.add(0, one)
	return s
}

// lines are what is typed, with a file of its own.
func (v *tried) lines(file string) []string {
	lines := append(slices.Clone(v.before), v.line)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "FILE", file)
	}
	return lines
}

// rowsOfQuestions are rows for the questions that triedVerbs has none for: each is put after the first cycle about
// default/web-0 or n2, and its page is there to be seen, by its title.
func rowsOfQuestions(t *testing.T) []tried {
	t.Helper()
	var rows []tried
	for _, q := range table.Questions() {
		if slices.ContainsFunc(triedVerbs, func(v tried) bool { return v.verb == q.Name }) {
			continue
		}
		words := []string{q.Name}
		for _, takes := range q.Takes {
			words = append(words, map[ask.Kind]string{ask.OfNode: "n2", ask.OfPod: "web-0", ask.OfExplained: "web-0"}[takes])
		}
		row := tried{verb: q.Name, before: []string{"next"}, line: strings.Join(words, " ")}
		s, _, _ := row.opened(t)
		s.Move(t.Context(), session.Next, session.Forward, nil)
		f := s.Frame()
		found, err := q.Find(ask.Call{Context: t.Context(), At: f.At, Frame: f, Args: words[1:]})
		if err != nil {
			t.Fatalf("%s: %v", row.line, err)
		}
		row.screen = found.Title(s.Language())
		row.plain = row.screen
		rows = append(rows, row)
	}
	return rows
}

// triedHere are all rows.
func triedHere(t *testing.T) []tried {
	t.Helper()
	return slices.Concat(triedVerbs, rowsOfQuestions(t))
}

func TestHelpListsEveryVerb(t *testing.T) {
	var out strings.Builder
	if err := prompt.Run(t.Context(), rollout().session(t), strings.NewReader("?\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.ReplaceAll(out.String(), "> ", ""), "\n")
	for _, verb := range command.All() {
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, verb.Synopsis()) && strings.HasSuffix(line, " "+verb.Does)
		}) {
			t.Errorf("no line of the help is about %s", verb.Name)
		}
	}
}

func TestEveryVerbIsTriedOnTheScreenAndAtThePrompt(t *testing.T) {
	rows := triedHere(t)
	for _, verb := range command.All() {
		if !slices.ContainsFunc(rows, func(v tried) bool { return v.verb == verb.Name }) {
			t.Errorf("nobody tries the verb %s: give it a row in triedVerbs", verb.Name)
		}
	}
	for _, v := range triedHere(t) {
		if word, _, _ := strings.Cut(v.line, " "); strings.TrimSuffix(word, ";") != v.verb {
			t.Errorf("the row of %s tries %q", v.verb, v.line)
		}
	}
}

func TestVerbsOnTheScreen(t *testing.T) {
	for _, v := range triedHere(t) {
		t.Run(v.verb, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f")
			s, o, _ := v.opened(t)
			journey(t, wide, s, o, func(r *robot) {
				for _, line := range v.lines(file) {
					r.press("\x1b")
					r.press(":" + line + "\r")
				}
				if v.verb == "quit" {
					r.ends()
					return
				}
				r.sees(strings.ReplaceAll(v.screen, "FILE", file))
				if !v.refused {
					r.seesNot("Not done; mend the line")
				}
			})
		})
	}
}

func TestVerbsAtThePrompt(t *testing.T) {
	for _, v := range triedHere(t) {
		t.Run(v.verb, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f")
			_, _, run := v.opened(t)
			var out strings.Builder
			if err := run(strings.NewReader(strings.Join(v.lines(file), "\n")+"\n"), &out); err != nil {
				t.Fatal(err)
			}
			prompts := strings.Split(out.String(), "\n> ")
			answer := prompts[min(len(v.lines(file)), len(prompts)-1)]
			if want := strings.ReplaceAll(v.plain, "FILE", file); !strings.Contains(answer, want) {
				t.Errorf("%q is answered without %q:\n%s", v.line, want, answer)
			}
			if strings.Contains(answer, "error:") != (v.refused || v.plain == onlyAScreen) {
				t.Errorf("%q is refused:\n%s", v.line, answer)
			}
		})
	}
}
