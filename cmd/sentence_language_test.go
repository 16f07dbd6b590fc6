package cmd_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/replay/source/demo"
	"github.com/schedstep/schedstep/tui/command"
)

// demoLines are command lines for every demo: DEMO is its input, POD (or a pod group) and NODE are the first of it.
var demoLines = []string{
	"run DEMO", "run DEMO -o wide", "run DEMO -o markdown", "run DEMO --cycles 2", "run DEMO --recorded",
	"run DEMO --recorded -o wide", "run DEMO --recorded -o markdown", "run DEMO --break node=NODE",
	"run DEMO --expect unplaced==99", "run DEMO --kube-version 1.30 -o wide",
	"explain POD DEMO", "explain POD DEMO -o wide", "explain POD DEMO -o markdown",
	"diff DEMO --a kube-version=1.30", "diff DEMO --a kube-version=1.30 -o wide",
	"diff DEMO --a weight=NodeResourcesFit=1 --b weight=NodeResourcesFit=50 -o markdown",
	"diff DEMO --a weight=ImageLocality=100 --fail-on never",
	"whatif DEMO --do cordon#NODE", "whatif DEMO --at start --do drain#NODE", "whatif DEMO --at 2 --do delete#POD",
	"lint DEMO",
}

// otherLines are the command lines that need no demo and print more than data.
var otherLines = []string{"demo --list", "themes", "keys", "releases", "lint testdata/no_limits.yaml"}

// saidByTheAPIServer is a message of the API server about an input of otherLines.
const saidByTheAPIServer = "Limit must be set for non overcommitable resources"

// TestNoSentenceOfTheCommandLineIsLeftInEnglish runs commands that print tables or lines on every demo in Chinese. Only
// kube-scheduler's own messages and names stay English.
func TestNoSentenceOfTheCommandLineIsLeftInEnglish(t *testing.T) {
	left := map[string]string{}
	for _, d := range demo.All() {
		input := "../replay/source/demo/" + d.Name + ".schedstep"
		known, pod, node := saidByKubeScheduler(t, input)
		for _, line := range demoLines {
			args := strings.Fields(strings.NewReplacer("DEMO", input, "POD", pod, "NODE", node).Replace(line))
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "#", " ")
			}
			got := program(t, append([]string{"--lang", "zh"}, args...)...)
			if got.out == "" && got.err == "" {
				t.Errorf("%s: it says nothing", strings.Join(args, " "))
			}
			leftIn(left, strings.Join(args, " "), got.out+got.err, known)
		}
	}
	var known []string // how verbs are written, in as many lines as it takes
	for _, v := range command.All() {
		known = append(known, v.Synopsis())
		known = append(known, strings.Split(v.Synopsis(), " | ")...)
	}
	for _, line := range otherLines {
		got := program(t, append([]string{"--lang", "zh"}, strings.Fields(line)...)...)
		leftIn(left, line, got.out+got.err, append(known, saidByTheAPIServer))
	}
	for _, said := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("left in English: %s (%s)", said, left[said])
	}
}

// leftIn adds the sentences of a text that are English and not known, with where.
func leftIn(left map[string]string, where, text string, known []string) {
	for line := range strings.Lines(text) {
		for _, said := range known {
			line = strings.ReplaceAll(line, said, "~")
		}
		for _, words := range threeWords.FindAllString(line, -1) {
			left[words] = where
		}
	}
}

// saidByKubeScheduler are the messages and reasons of a demo's cycles, the longest first, and the first pod and node.
func saidByKubeScheduler(t *testing.T, input string) (said []string, pod, node string) {
	t.Helper()
	all := map[string]bool{"waiting for minCount pods from a gang to appear in scheduling queue": true} // GangScheduling
	for _, version := range []string{"1.37", "1.30"} {
		for line := range strings.Lines(program(t, "run", input, "-o", "jsonl", "--kube-version", version).out) {
			var cycle map[string]any
			if err := json.Unmarshal([]byte(line), &cycle); err != nil {
				t.Fatal(err)
			}
			entity := cycle["entity"].(map[string]any)
			if pod == "" && entity["type"] == "pod" {
				pod = entity["namespace"].(string) + "/" + entity["name"].(string)
			}
			if pod == "" && entity["type"] == "podgroup" {
				pod = "podgroup/" + entity["namespace"].(string) + "/" + entity["name"].(string)
			}
			if nodes, _ := cycle["nodes"].([]any); len(nodes) > 0 && node == "" {
				node = nodes[0].(map[string]any)["name"].(string)
			}
			messages(cycle, all)
		}
	}
	said = slices.SortedFunc(maps.Keys(all), func(a, b string) int { return len(b) - len(a) })
	return said, pod, node
}

// kubeSchedulerSays are the members of a cycle that hold its own words.
var kubeSchedulerSays = regexp.MustCompile(`^(message|reasons|reason|note)$`)

// messages adds kube-scheduler's own texts in a part of a cycle.
func messages(part any, into map[string]bool) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			messages(p, into)
		}
	case map[string]any:
		for name, p := range part {
			if !kubeSchedulerSays.MatchString(name) {
				messages(p, into)
				continue
			}
			switch p := p.(type) {
			case string:
				sentencesOf(p, into)
			case []any:
				for _, text := range p {
					sentencesOf(text.(string), into)
				}
			}
		}
	}
}

// sentencesOf adds a message and the sentences it is made of.
func sentencesOf(text string, into map[string]bool) {
	for _, part := range append(strings.Split(text, ". "), text) {
		if part = strings.TrimSpace(part); threeWords.MatchString(part) {
			into[part] = true
		}
	}
}
