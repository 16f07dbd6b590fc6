package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/schedstep/schedstep/internal/bucket"
	"github.com/schedstep/schedstep/internal/s3server"
)

// objectStore is an object store with the buckets inputs and sweeps, which the programs of the test find. The first has
// two recordings.
func objectStore(t *testing.T) *s3mem.Backend {
	t.Helper()
	memory := s3server.New(t, "inputs", "sweeps")
	t.Setenv("TMPDIR", t.TempDir())
	store, err := bucket.Open(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "cluster.yaml")
	text := "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, pods: 9}}}\n---\n" +
		"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}\n"
	if err := os.WriteFile(folder, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, file := range map[string]string{
		"folder/deep/cluster.yaml": folder,
		"monday.schedstep":         "../replay/source/demo/preemption.schedstep",
		"dump/zones.schedstep":     "../replay/source/demo/zones.schedstep",
	} {
		if err := store.Put(t.Context(), bucket.Name{Bucket: "inputs", Key: key}, file); err != nil {
			t.Fatal(err)
		}
	}
	return memory
}

// sameTables reports in which table two folders of sweeps differ.
func sameTables(t *testing.T, one, other string) {
	t.Helper()
	for _, name := range []string{"runs", "resources", "pods", "variants"} {
		for _, kind := range []string{".csv", ".parquet"} {
			a, err := os.ReadFile(filepath.Join(one, name+kind))
			b, wrong := os.ReadFile(filepath.Join(other, name+kind))
			if err != nil || wrong != nil || string(a) != string(b) {
				t.Errorf("%s%s differs (%v, %v)", name, kind, err, wrong)
			}
		}
	}
}

func ok(t *testing.T, args ...string) ended {
	t.Helper()
	got := program(t, args...)
	if got.code != 0 {
		t.Fatalf("%q: %d\n%s%s", args, got.code, got.out, got.err)
	}
	return got
}

func TestShardsInAnObjectStoreMergeToTheLocalBytes(t *testing.T) {
	memory := objectStore(t)
	sweep := []string{
		"sweep", "s3://inputs/monday.schedstep", "s3://inputs/dump/zones.schedstep", "--vary", "weight.NodeResourcesFit=1,50",
		"--vary", "seed=0..1", "-q", "-o",
	}
	whole, merged := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "merged")
	ok(t, append(sweep, whole)...)
	for _, shard := range []string{"2/5", "0/5", "4/5", "1/5", "0/5"} { // one twice, and one is lost
		ok(t, append(sweep, "s3://sweeps/monday/shard-"+shard[:1], "--shard", shard)...)
	}
	got := program(t, "sweep", "merge", "s3://sweeps/monday", "-o", merged)
	if got.code != 1 || !strings.Contains(got.err, "of 12 runs are in none of the folders") {
		t.Errorf("a lost shard: %+v", got)
	}
	ok(t, append(sweep, "s3://sweeps/monday/shard-3", "--shard", "3/5")...)
	ok(t, "sweep", "merge", "s3://sweeps/monday", "-o", merged)
	sameTables(t, whole, merged)
	ok(t, "sweep", "merge", "s3://sweeps/monday", "-o", "s3://sweeps/all")
	if got := ok(t, "sweep", "report", "s3://sweeps/all"); !strings.Contains(got.out, "12 of 12 runs have figures") {
		t.Errorf("%s", got.out)
	}
	if got := program(t, "sweep", "report", "s3://sweeps/monday"); got.code != 1 ||
		!strings.Contains(got.err, "has 5 folders of sweeps: sweep merge joins them") {
		t.Errorf("%+v", got)
	}
	other := slices.Clone(sweep)
	other[1], other[2] = other[2], other[1]
	if got := program(t, append(other, "s3://sweeps/monday/shard-3", "--shard", "3/5")...); got.code != 1 ||
		!strings.Contains(got.err, "holds another sweep") {
		t.Errorf("another sweep in the place of a shard: %+v", got)
	}
	ok(t, append(other, "s3://sweeps/monday/other", "--shard", "3/5")...)
	if got := program(t, "sweep", "merge", "s3://sweeps/monday", "-o", merged+"2"); got.code != 1 ||
		!strings.Contains(got.err, "are of two sweeps") || !strings.Contains(got.err, "sweeps/monday/other") {
		t.Errorf("%+v", got)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("%d files are left in the folder of temporary ones", len(left))
	}
	if _, err := memory.HeadObject("sweeps", "monday/shard-3/runs.parquet"); err != nil {
		t.Error(err)
	}
}

// TestABucketMayHaveAnyName has buckets that are called as what the command keeps for itself.
func TestABucketMayHaveAnyName(t *testing.T) {
	memory := objectStore(t)
	names := []string{"out", "mark", "fetched", "results", "begun"}
	for _, name := range names {
		if err := memory.CreateBucket(name); err != nil {
			t.Fatal(err)
		}
		ok(t, "sweep", "demo:preemption", "--vary", "percentage=50", "-q", "-o", "s3://"+name+"/a")
	}
	for i, name := range names {
		ok(t, "sweep", "merge", "s3://"+name+"/a", "-o", "s3://"+names[(i+1)%len(names)]+"/merged")
	}
}

func TestAllThatIsBelowANameIsOneInput(t *testing.T) {
	objectStore(t)
	out := filepath.Join(t.TempDir(), "out")
	ok(t, "sweep", "s3://inputs/folder/", "--vary", "percentage=50", "-o", out)
	if got := strings.Join(column(t, table(t, out, "runs.csv"), "placed"), " "); got != "1 1" {
		t.Errorf("%s", got)
	}
}

func TestAStoreThatDoesNotGiveOrTakeIsASentenceBeforeTheFirstRun(t *testing.T) {
	objectStore(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct{ args, want string }{
		{"sweep s3://inputs/nix --vary percentage=1 -o " + out, "s3://inputs/nix: there is no such object"},
		{"sweep s3://nix/a --vary percentage=1 -o " + out, "s3://nix/a: there is no bucket nix"},
		{"sweep s3://inputs --vary percentage=1 -o " + out, "s3://inputs: there is no such object"},
		{"sweep s3://nix --vary percentage=1 -o " + out, "s3://nix: there is no such object"}, // nothing is listed
		{"sweep s3://inputs/a//b --vary percentage=1 -o " + out, "has a part that is empty"},
		{"sweep demo:preemption --vary percentage=1 -o s3://nix/a", "s3://nix/a"},
		{"sweep merge s3://sweeps/nix -o " + out, "s3://sweeps/nix: no results of a sweep are there"},
	} {
		got := program(t, strings.Fields(c.args)...)
		if got.code == 0 || !strings.Contains(got.err, c.want) || strings.Contains(got.err, "runs;") {
			t.Errorf("%s: %+v, want %s", c.args, got, c.want)
		}
	}
}
