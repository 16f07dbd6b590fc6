package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// swept is a folder with the results of a sweep of the demo preemption.
func swept(t *testing.T, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	sweep := append([]string{"sweep", "demo:preemption", "-o", out, "-q"}, args...)
	if got := program(t, sweep...); got.code != 0 || got.err != "" {
		t.Fatalf("%q: %d\n%s%s", args, got.code, got.out, got.err)
	}
	return out
}

// table is a table of a folder as lines of cells.
func table(t *testing.T, folder, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), ","))
	}
	return rows
}

// column is the cells of one column, by its name.
func column(t *testing.T, rows [][]string, name string) []string {
	t.Helper()
	for i, head := range rows[0] {
		if head != name {
			continue
		}
		var cells []string
		for _, row := range rows[1:] {
			cells = append(cells, row[i])
		}
		return cells
	}
	t.Fatalf("there is no column %s in %q", name, rows[0])
	return nil
}

func TestASweepChangesWhatItsVariantsName(t *testing.T) {
	packs := filepath.Join(t.TempDir(), "packs.yaml")
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n" +
		"- plugins: {multiPoint: {disabled: [{name: DefaultPreemption}]}}\n"
	if err := os.WriteFile(packs, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ vary, column, want string }{
		{"nodes.jobs-1=0,2", "nodes", "5 5 7"},
		{"lose=-,jobs-1", "nodes", "5 4"},
		{"drain=jobs-1", "evicted", "5 4"},
		{"do=-|cordon jobs-1", "evicted", "5 4"},
		{"kube-version=1.29,1.37", "status", "done done done"},
		{"config=" + packs, "preemptions", "4 0"},
		{"gate.GenericWorkload=-,true", "status", "done done"},
		{"percentage=1", "status", "done done"},
		{"order=-,reversed,shuffled,large-first,small-first", "pods", "9 7 7 8 8"},
	} {
		rows := table(t, swept(t, "--vary", c.vary), "runs.csv")
		if got := strings.Join(column(t, rows, c.column), " "); got != c.want {
			t.Errorf("--vary %s: %s is %s, want %s", c.vary, c.column, got, c.want)
		}
	}
}

func TestAShardIsAPartOfTheSameRuns(t *testing.T) {
	vary := []string{"--vary", "weight.NodeResourcesFit=1..4", "--vary", "seed=0..1"}
	whole := table(t, swept(t, vary...), "runs.csv")
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	var parts [][]string
	var folders []string
	for _, shard := range [][]string{{"--shard", "0/3"}, {"--shards", "3"}, {"--shard", "2/3"}} {
		folder := swept(t, append(shard, vary...)...)
		folders = append(folders, folder)
		parts = append(parts, table(t, folder, "runs.csv")[1:]...)
	}
	if len(parts) != 10 || len(whole) != 11 {
		t.Fatalf("%d rows in parts, %d in whole", len(parts), len(whole))
	}
	for i, row := range parts {
		if strings.Join(row, ",") != strings.Join(whole[i+1], ",") {
			t.Errorf("row %d is %q, want %q", i, row, whole[i+1])
		}
	}
	merged := filepath.Join(t.TempDir(), "merged")
	got := program(t, "sweep", "merge", folders[2], folders[0], folders[1], "-o", merged)
	if got.code != 0 || !strings.Contains(got.out, "10 runs") || len(table(t, merged, "runs.csv")) != 11 {
		t.Errorf("%+v", got)
	}
	if got = program(t, "sweep", "merge", folders[2], "-o", merged+"2"); got.code != 1 ||
		!strings.Contains(got.err, "6 of 10 runs are in none of the folders") {
		t.Errorf("%+v", got)
	}
	if got = program(t, "sweep", "merge", folders[2]); got.code != 2 {
		t.Errorf("%+v", got)
	}
}

func TestASweepThatCannotBeIsRefusedBeforeItsFirstRun(t *testing.T) {
	full := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 2, "sweep needs --vary"},
		{"--vary weight.A=1 -o -", 2, "sweep needs -o FOLDER"},
		{"--vary wieght.A=1", 2, `there is no setting wieght.A (did you mean "weight."?)`},
		{"--vary nothing.yaml", 2, "--vary nothing.yaml: no such file"},
		{"--vary weight.Nope=1..3", 2, "--vary weight.Nope=1: demo:preemption: no profile scores with Nope"},
		{"--vary kube-version=1.5", 2, "this build has the scheduler of"},
		{"--vary gate.Nope=true", 2, `feature gate "Nope"`},
		{"--vary config=nothing.yaml", 2, "config=nothing.yaml"},
		{"--vary drain=nix", 2, "no node is named nix, or has it as a label"},
		{"--vary nodes.nix=1", 2, `there is no node "nix" here`},
		{"--vary weight.NodeResourcesFit=1..3 --where weight.NodeResourcesFit>9", 2, "the product is empty"},
		{"--vary weight.NodeResourcesFit=1..3 --where nope>9", 2, "undeclared reference to 'nope'"},
		{"--vary weight.NodeResourcesFit=1..300 --most-runs 100", 2, "there are 300 variants, and 100 is the most"},
		{"--vary weight.NodeResourcesFit=1..30 --vary seed=0..9 --most-runs 100", 2, "there would be 310 runs"},
		{"--vary weight.NodeResourcesFit=1 --shard 3/3", 2, "shard 3 of 3: shards are counted from 0"},
		{"--vary weight.NodeResourcesFit=1 --shard x", 2, `--shard "x": it is I/N`},
		{"--vary weight.NodeResourcesFit=1 --shards 3", 2, "JOB_COMPLETION_INDEX is not set"},
		{"--vary weight.NodeResourcesFit=1 --run-memory much", 2, `--run-memory "much" is no number of bytes`},
		{"--vary weight.NodeResourcesFit=1 --price cpu", 2, `--price: "cpu" is neither RESOURCE=PRICE`},
		{"--vary weight.NodeResourcesFit=1 --world other", 2, `--world "other": use simulated or recorded`},
		{"--vary weight.NodeResourcesFit=1 --workers 0", 2, "--run-time is 0 or more, --workers 1 or more"},
		{"--vary weight.NodeResourcesFit=1 --sample -1", 2, "--sample is 0 or more, --most-runs 1 or more"},
		{"--vary weight.NodeResourcesFit=1 -o " + full, 1, "not a directory"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"sweep", "demo:preemption", "-o", out}, strings.Fields(c.args)...)
		got := program(t, args...)
		if got.code != c.code || !strings.Contains(got.err, c.want) || strings.Contains(got.err, "runs;") {
			t.Errorf("%s: %d %s, want %d and %s", c.args, got.code, got.err, c.code, c.want)
		}
	}
	if got := program(t, "sweep"); got.code != 2 || !strings.Contains(got.err, "schedstep sweep needs an IN: a file") {
		t.Errorf("nothing: %+v", got)
	}
	if got := program(t, "sweep", "-", "--vary", "percentage=1", "-o", filepath.Join(t.TempDir(), "out")); got.code != 2 {
		t.Errorf("standard input: %+v", got)
	}
}

// Thirty terabytes are more than a disk of those who run this has; a folder that cannot be written to is one on which
// even root may not.
func TestASweepWithoutRoomOrRightsIsRefusedBeforeItsFirstRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	got := program(t, "sweep", "demo:preemption", "-o", out, "--vary", "weight.NodeResourcesFit=1..300", "--vary",
		"weight.NodeResourcesBalancedAllocation=1..300", "--vary", "seed=0..99999", "--most-runs", "10000000000")
	if got.code != 1 || !strings.Contains(got.err, "9000100000 runs may need ") ||
		!strings.Contains(got.err, "GiB, and ") {
		t.Errorf("too large a sweep: %+v", got)
	}
	sealed := filepath.Join(t.TempDir(), "sealed")
	if err := os.Mkdir(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // who may write to any folder, but to none of a process
		sealed = "/proc/self"
	}
	whole := swept(t, "--vary", "percentage=50")
	for _, args := range [][]string{
		{"sweep", "demo:preemption", "--vary", "percentage=1", "-o", sealed},
		{"sweep", "demo:preemption", "--vary", "percentage=1", "-o", filepath.Join(sealed, "below")},
		{
			"sweep", "tune", "demo:preemption", "--vary", "percentage=1..9", "--objective", "unplaced", "-o",
			filepath.Join(sealed, "below"),
		},
		{"sweep", "merge", whole, "-o", filepath.Join(sealed, "below")},
	} {
		got := program(t, args...)
		if got.code != 1 || !strings.HasPrefix(got.err, "error: ") || !strings.Contains(got.err, sealed) ||
			strings.Contains(got.err, "runs;") || got.out != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// Two programs without a version of a release have different versions.
func TestTheVersionOfADevelopmentProgramHasItsHash(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(swept(t, "--vary", "percentage=50"), "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`"version": "[^"]+\+sha256\.[0-9a-f]{12}"`).Match(text) {
		t.Errorf("%s", text)
	}
}

func TestTheTimeOfARunHasABound(t *testing.T) {
	out := swept(t, "--vary", "percentage=50", "--run-time", "1ns")
	if got := strings.Join(column(t, table(t, out, "runs.csv"), "status"), " "); got != "time time" {
		t.Errorf("%s", got)
	}
	again := program(t, "sweep", "demo:preemption", "-o", out, "--vary", "percentage=50", "--run-time", "1ns", "-q")
	if !strings.HasSuffix(again.out, "variants, 2 ended as time\n") {
		t.Errorf("what was there already is not counted: %+v", again)
	}
}

func TestASweepIsSummedUp(t *testing.T) {
	out := swept(t, "--vary", "nodes.jobs-1=0,2", "--price", "cpu=0.5")
	got := program(t, "sweep", "report", out)
	for _, want := range []string{
		"# Sweep of demo:preemption\n", "3 of 3 runs have figures: 3 variants, 1 input, 1 seed.", "| variant | unplaced | cost | waiting.p95 | evicted |", "| nodes.jobs-1=2 | 0 | 40 (+8) |",
	} {
		if got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%d, want %s in\n%s%s", got.code, want, got.out, got.err)
		}
	}
	if page := program(t, "sweep", "report", out, "-o", "html"); !strings.Contains(page.out, "<td>nodes.<wbr>jobs-1") {
		t.Errorf("%s%s", page.out, page.err)
	}
	data := program(t, "sweep", "report", out, "-o", "json", "--minimize", "evicted").out
	if !strings.Contains(data, `"settings": "nodes.jobs-1=2"`) || !strings.Contains(data, `"objectives": [
    "evicted"`) {
		t.Errorf("%s", data)
	}
	for args, want := range map[string]string{
		"":                      "sweep report needs the FOLDER of one sweep",
		out + " -o pdf":         `-o "pdf": use one of`,
		out + " --minimize usd": `--minimize "usd" at column 1: undeclared reference`,
		filepath.Dir(out):       "manifest.json: no such file",
	} {
		if got := program(t, append([]string{"sweep", "report"}, strings.Fields(args)...)...); got.code == 0 ||
			!strings.Contains(got.err, want) {
			t.Errorf("%s: %+v, want %s", args, got, want)
		}
	}
}

func TestASearchIsShownStepByStepAndJudged(t *testing.T) {
	out := filepath.Join(t.TempDir(), "tuned")
	args := []string{
		"sweep", "tune", "demo:preemption", "--objective", "cost - nodes * 20", "--price", "cpu=0.5", "--vary",
		"nodes.jobs-1=0..6", "--trials", "7", "--rounds", "2", "-o", out, "-q",
	}
	got := program(t, args...)
	for _, want := range []string{
		"STEP  ROUND", "best: nodes.jobs-1=6", "better than the base: on 8 unseen cases", "has tune.json, steps.csv",
	} {
		if got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%d, want %s in\n%s%s", got.code, want, got.out, got.err)
		}
	}
	if rows := table(t, out, "steps.csv"); len(rows) < 9 || rows[1][0] != "1" {
		t.Errorf("%q", rows)
	}
	if again := program(t, append(args, "--workers", "1")...); again.out != got.out {
		t.Errorf("another number of workers:\n%s", again.out)
	}
	best := filepath.Join(out, "best.yaml")
	rows := table(t, swept(t, "--vary", best), "variants.csv")
	if len(rows) != 3 || !strings.Contains(strings.Join(rows[2], ","), "nodes.jobs-1=6") {
		t.Errorf("best.yaml as --vary: %q", rows)
	}
	got = program(t, "sweep", "tune", "demo:preemption", "--objective", "0 - pods * 0", "--vary", "percentage=5..9", "-o",
		filepath.Join(t.TempDir(), "none"))
	if got.code != 0 || !strings.Contains(got.out, "nothing within the bounds is better than the base") {
		t.Errorf("%+v", got)
	}
}

func TestASearchThatCannotBeIsRefusedBeforeItsFirstRun(t *testing.T) {
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--vary percentage=1..9", 2, "sweep tune needs --objective"},
		{"--objective unplaced", 2, "sweep tune needs --vary"},
		{"--objective unplaced --vary percentage=1..9 -o -", 2, "sweep tune needs -o FOLDER"},
		{"--objective unplced --vary percentage=1..9", 2, `--objective "unplced" at column 1: undeclared reference`},
		{"--objective pods>1 --vary percentage=1..9", 2, `"pods>1" is bool, and an objective is a number`},
		{"--objective unplaced --vary order=shuffled", 2, "leave out order"},
		{"--objective unplaced --vary seed=1..9", 2, "leave out seed"},
		{"--objective unplaced --vary percentage=1..9 --trials 0", 2, "--trials is 1 to 100000"},
		{"--objective unplaced --vary percentage=1..9 --workers 0", 2, "--run-time is 0 or more, --workers 1 or more"},
		{"--objective unplaced --vary weight.Nope=1..9", 2, "no profile scores with Nope"},
		{"--objective unplaced --vary percentage=1..9 --where percentage>9", 2, "the product is empty"},
		{"--objective unplaced --vary percentage=1..9 --hold-out nix.json", 1, "nix.json"},
		{"--objective packing.nix --vary percentage=1..9", 1, "the base has no figures to compare with"},
		{"--objective unplaced --vary percentage=1..9 -o " + other, 1, "holds something else than what tune writes"},
	} {
		args := append([]string{"sweep", "tune", "demo:preemption", "-o", filepath.Join(t.TempDir(), "out")},
			strings.Fields(c.args)...)
		if got := program(t, args...); got.code != c.code || !strings.Contains(got.err, c.want) ||
			strings.Contains(got.out, "STEP") {
			t.Errorf("%s: %d %s%s, want %d and %s", c.args, got.code, got.out, got.err, c.code, c.want)
		}
	}
}
