package cmd_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listed is a command in the help of another.
var listed = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*)  +\S`)

// withQuiet lists the commands below one that have -q, those of sub-commands too.
func withQuiet(t *testing.T, path ...string) []string {
	t.Helper()
	help := program(t, append(slices.Clone(path), "--help")...).out
	var all []string
	if strings.Contains(help, "--quiet") {
		all = append(all, strings.Join(path, " "))
	}
	_, below, has := strings.Cut(help, "Available Commands:\n")
	below, _, _ = strings.Cut(below, "\n\n")
	if !has {
		return all
	}
	for _, m := range listed.FindAllStringSubmatch(below, -1) {
		if m[1] != "help" && m[1] != "completion" {
			all = append(all, withQuiet(t, append(slices.Clone(path), m[1])...)...)
		}
	}
	return all
}

// clockless is a text without the moments of a cluster that runs.
func clockless(text string) string {
	return regexp.MustCompile(`20\d\d-[0-9T:.-]+Z`).ReplaceAllString(text, "then")
}

// quietLines are command lines of every command that has -q.
func quietLines(t *testing.T) map[string][]string {
	t.Helper()
	spread := "testdata/cases/tainted-domain.yaml"
	plans := filesOf(t, "testdata/script/plan.txtar")
	folder := t.TempDir()
	return map[string][]string{
		"attach":       {"--plain"},
		"demo":         {"rollout --plain"},
		"replay":       {spread + " --plain", "demo:rollout --plain"},
		"drive":        nil, // it goes on until it is stopped
		"shadow":       {followed(t), "--for 1ms", followed(t) + " -o json"},
		"record":       {"--for 1ms -o " + filepath.Join(folder, "r.schedstep")},
		"convert":      {spread + " -o -", "--force -o " + filepath.Join(folder, "c.jsonl") + " " + spread},
		"export cycle": {"demo:pending --cycle 2 -o -", "demo:pending --cycle 2 --to csv -o -"},
		"export run":   {"demo:pending -o -", "demo:pending --force -o " + filepath.Join(folder, "r.html")},
		"bisect":       {"testdata/cases/release-1.35-mixed-claims.txt"},
		"plugins":      {spread},
		"explain":      {"web-7 " + spread, "deploy/web " + spread, "web-7 -o json " + spread, "gpu-1 demo:pending"},
		"lint":         {spread, "demo:rollout", "--ignore SS204 " + spread, "-o sarif " + spread},
		"whatif":       {"--do cordon@kind-worker0 " + spread, "-o json --do cordon@kind-worker0 " + spread},
		"reduce":       {"--claim pod@web-7@is@unschedulable " + spread},
		"diff":         {"--a kube-version=1.31 --b kube-version=1.37 " + spread},
		"run": {
			spread, spread + " -o wide", spread + " -o json", spread + " -o jsonl", spread + " -o name", spread + " -o markdown",
			spread + " --recorded", "demo:pending --recorded", "demo:pending --recorded -o markdown", spread + " --report markdown",
			spread + " --break pod@web-*", "demo:pending --expect unplaced==3",
		},
		"plan drain":    {"kind-worker0 " + spread},
		"plan lose":     {"node=kind-worker0 " + spread},
		"plan capacity": {"web " + spread},
		"plan room":     {"big " + plans("cluster.yaml", "big.yaml")},
		"plan pack":     {plans("cluster.yaml")},
		"plan upgrade":  {"n1 n2 n3 --kubelet 1.37.1 " + plans("cluster.yaml")},
		"sweep":         {spread + " --vary seed=0..1 -o " + filepath.Join(folder, "sweep")},
		"sweep tune": {
			"demo:preemption --objective 0-pods --vary percentage=5..9 -o " + filepath.Join(folder, "tuned"),
		},
		"sweep emit-job": {
			"--image i --parallelism 2 --input s3://inputs/monday.schedstep -o s3://sweeps/a --vary percentage=5,9",
		},
	}
}

// TestQuietDropsNotesAlone runs every command that has -q with it and without it: standard output is the same, and with
// -q nothing is on standard error. The first line of a command is one that has notes.
func TestQuietDropsNotesAlone(t *testing.T) {
	lines := quietLines(t)
	running(t)
	all := append(withQuiet(t), "plugins") // which is not in the help
	slices.Sort(all)
	if has := slices.Sorted(maps.Keys(lines)); !slices.Equal(has, all) {
		t.Errorf("commands with -q:\n%q\nof which are tried:\n%q", all, has)
	}
	noted := 0
	for _, command := range all {
		for _, line := range lines[command] {
			args := strings.Fields(command + " " + line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "@", " ")
			}
			loud, quiet := program(t, args...), program(t, append(args, "-q")...)
			if clockless(loud.out) != clockless(quiet.out) || loud.code != quiet.code {
				t.Errorf("%s\nwithout -q, exit code %d:\n%s\nwith -q, exit code %d:\n%s", args, loud.code, loud.out,
					quiet.code, quiet.out)
			}
			if quiet.err != "" || quiet.code == 1 || quiet.code == 2 {
				t.Errorf("%s -q: exit code %d, and on standard error %s", args, quiet.code, quiet.err)
			}
			if loud.err != "" {
				noted++
			}
		}
	}
	if noted < 20 {
		t.Errorf("%d of the lines have notes, which is too few to show anything", noted)
	}
}
