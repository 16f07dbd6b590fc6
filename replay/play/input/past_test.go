package input_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/internal/golden"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/versions"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/recording"
)

const corpus = "../../source/testdata/"

// unpacked is a file of the corpus.
func unpacked(t testing.TB, name string) []byte {
	t.Helper()
	return golden.Unpacked(t, corpus+name)
}

// read opens inputs as a user does.
func readPast(t testing.TB, o input.Options, paths ...string) *input.Input {
	t.Helper()
	in, err := input.Read(t.Context(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// audits are the two logs of the corpus, at the level at which they were written.
func audits() []string {
	return []string{corpus + "audit-server-1.log.zst", corpus + "audit-server-2.log.zst"}
}

// truth is what the watch of the same time delivered, without events about objects.
func truth(t testing.TB) source.Script {
	t.Helper()
	r, err := recording.NewReader(bytes.NewReader(unpacked(t, "watch.jsonl.zst")), "watch")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all source.Script
	for _, e := range entries {
		if kind, _ := cluster.KindOf(e.Event.Object); kind != cluster.KindEvent {
			all = append(all, source.Timed{At: e.At, Event: e.Event})
		}
	}
	return all
}

func TestEverySourceHasEveryVersionThatAWatchSaw(t *testing.T) {
	sameVersions(t, readPast(t, input.Options{}, audits()...).Script)
	sameVersions(t, readPast(t, input.Options{}, corpus+"wal.zst").Script)
}

func sameVersions(t *testing.T, got source.Script) {
	t.Helper()
	want := truth(t)
	if len(got) != len(want) {
		t.Errorf("%d versions, the watch has %d", len(got), len(want))
	}
	rebuilt := versions.ByObject(got)
	for object, indexes := range versions.ByObject(want) {
		var a, b []string
		for _, i := range indexes {
			a = append(a, want[i].Event.Action.String())
		}
		for _, i := range rebuilt[object] {
			b = append(b, got[i].Event.Action.String())
		}
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: %v, the watch has %v", object, b, a)
		}
	}
}

// lastHash is the hash of the last cycle of a run with kube-scheduler's defaults.
func lastHash(t *testing.T, script source.Script) string {
	t.Helper()
	hash, cycles, err := versions.LastHash(script)
	if err != nil {
		t.Fatal(err)
	}
	if cycles < 300 {
		t.Errorf("only %d cycles", cycles)
	}
	return hash
}

func TestInTheOrderOfTheWatchEverySourceHasTheHashOfTheWatch(t *testing.T) {
	watched := truth(t)
	want := lastHash(t, watched)
	for source, paths := range map[string][]string{"audit": audits(), "etcd": {corpus + "wal.zst"}} {
		script := readPast(t, input.Options{}, paths...).Script
		sameVersions(t, script)
		if t.Failed() {
			return // they cannot be put into one order
		}
		rebuilt := versions.InOrderOf(script, watched)
		if got := lastHash(t, rebuilt); got != want {
			t.Errorf("%s: last hash %s, that of the watch is %s", source, got, want)
		}
	}
}

func TestASnapshotOfEtcdHasWhatCameAfterTheCompaction(t *testing.T) {
	in := readPast(t, input.Options{}, corpus+"snapshot.db.zst")
	if len(in.Script) != 388 || len(in.Refused) > 0 {
		t.Errorf("%d events, refused %q", len(in.Script), in.Refused)
	}
	last := truth(t)
	state := map[string]string{}
	for object, indexes := range versions.ByObject(in.Script) {
		state[object] = in.Script[indexes[len(indexes)-1]].Event.Object.GetResourceVersion()
	}
	for object, indexes := range versions.ByObject(last) {
		if e := last[indexes[len(indexes)-1]].Event; e.Action != cluster.Delete && state[object] == "" {
			t.Errorf("%s is not in the snapshot", object)
		}
	}
}

// atLevel writes the logs of the corpus as a policy of a lower level does.
func atLevel(t testing.TB, level string) []string {
	t.Helper()
	folder := t.TempDir()
	for n := 1; n <= 2; n++ {
		var out bytes.Buffer
		for line := range bytes.Lines(unpacked(t, fmt.Sprintf("audit-server-%d.log.zst", n))) {
			out.Write(lowered(t, line, level))
			out.WriteByte('\n')
		}
		name := filepath.Join(folder, fmt.Sprintf("server-%d.log", n))
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{folder}
}

// mutations is how many damaged logs are read; make laws-history reads 10,000.
var mutations = flag.Int("mutations", 300, "how many damaged logs TestMutatedLogsNeverCrash reads")

// TestMutatedLogsNeverCrash damages a part of a log in fixed ways. What is lost is counted.
func TestMutatedLogsNeverCrash(t *testing.T) {
	lines := bytes.SplitAfter(unpacked(t, "audit-server-1.log.zst"), []byte("\n"))
	lines = lines[len(lines)/3 : len(lines)/3+200]
	random := rand.New(rand.NewPCG(30, 1))
	folder := t.TempDir()
	for round := range *mutations {
		var all []byte
		for range 20 {
			all = append(all, mutated(random, lines[random.IntN(len(lines))])...)
		}
		name := filepath.Join(folder, fmt.Sprintf("%d.log", round%16))
		if err := os.WriteFile(name, append(bytes.Clone(lines[0]), all...), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := input.Read(t.Context(), []string{name}, input.Options{})
		if err == nil && in.Script == nil && len(in.Refused) == 0 && len(in.Notices) == 0 {
			t.Errorf("round %d: no event, and no notice", round)
		}
	}
}

func mutated(random *rand.Rand, line []byte) []byte {
	line = bytes.Clone(line)
	switch at := random.IntN(len(line)); random.IntN(5) {
	case 0:
		return line[:at]
	case 1:
		line[at] = byte(random.IntN(256))
	case 2:
		return append(line[:at:at], line[min(at+random.IntN(200), len(line)):]...)
	case 3:
		return append(line, line...)
	case 4:
		digits := bytes.IndexAny(line[at:], "0123456789")
		if digits >= 0 {
			line[at+digits] = '-'
		}
	}
	return line
}

func TestTheSameLogTwiceCountsOnce(t *testing.T) {
	once := readPast(t, input.Options{}, audits()...)
	twice := readPast(t, input.Options{}, append(audits(), audits()...)...)
	if len(once.Script) != len(twice.Script) {
		t.Errorf("%d versions of a log, and %d of the log twice", len(once.Script), len(twice.Script))
	}
	if !strings.Contains(strings.Join(phrase.Strings(twice.Notices), "\n"), "there twice") {
		t.Errorf("no notice of what is there twice: %q", twice.Notices)
	}
}

// lowered is a line of level RequestResponse as a lower level writes it.
func lowered(t testing.TB, line []byte, level string) []byte {
	t.Helper()
	var e map[string]json.RawMessage
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	delete(e, "responseObject")
	if level == "Metadata" {
		delete(e, "requestObject")
	}
	e["level"] = json.RawMessage(`"` + level + `"`)
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatALevelGivesIsNoted(t *testing.T) {
	for level, want := range map[string]string{
		"Request":  "versions: 0 exact, 0 derived by rule, 1319 with a guess",
		"Metadata": "level of the writes: 0 with the object that was answered, 0 with what was sent",
	} {
		in := readPast(t, input.Options{}, atLevel(t, level)...)
		if all := strings.Join(phrase.Strings(in.Notices), "\n"); !strings.Contains(all, want) {
			t.Errorf("%s: no %q in\n%s", level, want, all)
		}
		if !slices.ContainsFunc(phrase.Strings(in.Notices), func(s string) bool {
			return strings.HasPrefix(s, "real decisions: 225")
		}) {
			t.Errorf("%s: the bindings are not counted", level)
		}
	}
}

// TestWritesThatAreMissingAreCounted drops writes from a log: each leaves a revision that no entry has.
func TestWritesThatAreMissingAreCounted(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 3))
	folder := t.TempDir()
	kept, dropped := map[string]bool{}, map[string]bool{}
	for n := 1; n <= 2; n++ {
		var out bytes.Buffer
		for line := range bytes.Lines(unpacked(t, fmt.Sprintf("audit-server-%d.log.zst", n))) {
			middle := bytes.Contains(line, []byte(`Timestamp":"2026-11-25T23:46:`))
			revision := revisionIn(t, line)
			if middle && bytes.Contains(line, []byte(`"subresource":"status"`)) && revision != "" && random.IntN(3) == 0 {
				dropped[revision] = true
				continue
			}
			kept[revision] = true
			out.Write(line)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(n, ".log")), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for revision := range kept {
		delete(dropped, revision) // of a patch that changed nothing
	}
	whole := missingIn(t, readPast(t, input.Options{}, audits()...))
	holed := missingIn(t, readPast(t, input.Options{}, folder))
	// A write without a revision of its own may find another hole, or none, when there are more of them.
	if off := holed - whole - len(dropped); len(dropped) < 20 || off < -2 || off > 2 {
		t.Errorf("%d writes were dropped, and %d revisions are missing; of the whole log %d", len(dropped), holed, whole)
	}
}

// revisionIn is the revision that an entry answers.
func revisionIn(t *testing.T, line []byte) string {
	t.Helper()
	var e struct {
		ResponseObject struct {
			Metadata struct {
				ResourceVersion string
			}
		}
	}
	if err := json.Unmarshal(line, &e); err != nil {
		t.Fatal(err)
	}
	return e.ResponseObject.Metadata.ResourceVersion
}

// missingIn is the number of revisions that an input notes as missing.
func missingIn(t *testing.T, in *input.Input) int {
	t.Helper()
	for _, notice := range phrase.Strings(in.Notices) {
		var n int
		if _, err := fmt.Sscanf(notice, "order: %d revisions are in no entry", &n); err == nil {
			return n
		}
	}
	t.Fatalf("no revision is missing: %q", in.Notices)
	return 0
}

// since writes the entries of the logs of the corpus from a moment on, as logs that were rotated then.
func since(t *testing.T, moment time.Time) []string {
	t.Helper()
	folder := t.TempDir()
	for n := 1; n <= 2; n++ {
		var out bytes.Buffer
		for line := range bytes.Lines(unpacked(t, fmt.Sprintf("audit-server-%d.log.zst", n))) {
			var e struct{ StageTimestamp time.Time }
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if !e.StageTimestamp.Before(moment) {
				out.Write(line)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("server-%d.log", n)), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{folder}
}

// TestADumpTakenLaterGivesWhatWasThereBeforeTheLog reads the second half of the logs with a dump of the end: what the
// watch shows to be there at that moment is there at the beginning, and nothing else. It lacks two objects of kinds
// that the dump does not have, and eight pods that the log names for the first time when they go, without a body.
func TestADumpTakenLaterGivesWhatWasThereBeforeTheLog(t *testing.T) {
	moment := time.Date(2026, 11, 25, 23, 46, 0, 0, time.UTC)
	alive := map[string]bool{}
	watched := truth(t)
	for object, indexes := range versions.ByObject(watched) {
		for _, i := range indexes {
			if watched[i].At.Before(moment) {
				alive[object] = watched[i].Event.Action != cluster.Delete
			}
		}
	}
	in := readPast(t, input.Options{}, append(since(t, moment), corpus+"dump-at-end.jsonl.gz")...)
	want := "objects at the beginning: 211 of the dump that the log does not change, 2 of the dump as they were before, " +
		"47 from their first mention, 0 only named"
	if all := phrase.Strings(in.Notices); !slices.Contains(all, want) {
		t.Errorf("no %q in\n%s", want, strings.Join(all, "\n"))
	}
	begins := map[string]bool{}
	for object, indexes := range versions.ByObject(in.Script) {
		begins[object] = in.Script[indexes[0]].At.Equal(in.Script[0].At)
		if begins[object] && !alive[object] {
			t.Errorf("%s is there at the beginning, and was not", object)
		}
	}
	var lacking []string
	for object, was := range alive {
		if was && !begins[object] {
			lacking = append(lacking, object)
		}
	}
	slices.Sort(lacking)
	isPod := func(object string) bool { return strings.HasPrefix(object, "Pod ") }
	others := slices.DeleteFunc(slices.Clone(lacking), isPod)
	if len(lacking) != 8+len(others) ||
		!slices.Equal(others, []string{"PodDisruptionBudget shop/web-0", "Service default/kubernetes"}) {
		t.Errorf("were there, and are not: %q", lacking)
	}
}

// TestOrderOfFilesAndLinesDoesNotMatter shuffles the lines of both logs into three files.
func TestOrderOfFilesAndLinesDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 4))
	folder := t.TempDir()
	for n := 1; n <= 2; n++ {
		lines := bytes.SplitAfter(unpacked(t, fmt.Sprintf("audit-server-%d.log.zst", n)), []byte("\n"))
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(n, ".log")), bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, b := readPast(t, input.Options{}, audits()...).Script, readPast(t, input.Options{}, folder).Script
	if len(a) != len(b) {
		t.Fatalf("%d versions, and %d shuffled", len(a), len(b))
	}
	for i := range a {
		if a[i].Event.String() != b[i].Event.String() || !a[i].At.Equal(b[i].At) {
			t.Fatalf("version %d: %s at %s, shuffled %s at %s", i, a[i].Event, a[i].At, b[i].Event, b[i].At)
		}
	}
}

// TestDamagedDatabasesAndLogsNeverCrash changes bytes of an etcd's files in fixed ways.
func TestDamagedDatabasesAndLogsNeverCrash(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 5))
	folder := t.TempDir()
	for name, rounds := range map[string]int{"snapshot.db.zst": 12, "wal.zst": 4} {
		whole := unpacked(t, name)
		if name == "wal.zst" {
			whole = whole[:8<<20]
		}
		for round := range rounds {
			damaged := bytes.Clone(whole)
			for range 1 << round {
				damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
			}
			if round%3 == 2 {
				damaged = damaged[:random.IntN(len(damaged))]
			}
			file := filepath.Join(folder, "file")
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := input.Read(t.Context(), []string{file}, input.Options{})
			if err == nil && len(in.Script) == 0 {
				t.Errorf("%s round %d: nothing, and no error", name, round)
			}
		}
	}
}

func TestAnAuditLogBesideEtcdGivesItMoments(t *testing.T) {
	watched := truth(t)
	paths := append(atLevel(t, "Metadata"), corpus+"wal.zst")
	rebuilt := readPast(t, input.Options{}, paths...).Script
	mine := versions.ByObject(rebuilt)
	var off []time.Duration
	for object, indexes := range versions.ByObject(watched) {
		for n, i := range indexes {
			off = append(off, rebuilt[mine[object][n]].At.Sub(watched[i].At).Abs())
		}
	}
	slices.Sort(off)
	if median := off[len(off)/2]; median > 5*time.Millisecond {
		t.Errorf("moments are off by %s in the median", median)
	}
}

func TestAPackedPastIsUnpackedByWhatNeedsIt(t *testing.T) {
	plain := readPast(t, input.Options{}, audits()...)
	for name, events := range map[string]func(*input.Input) int{
		"Each": func(in *input.Input) (n int) {
			for range in.Each() {
				n++
			}
			return n
		},
		"All":  func(in *input.Input) int { return len(in.All()) },
		"Play": func(in *input.Input) int { return in.Play(config.Default(), 0, trace.Summary).Remaining() },
	} {
		packed := readPast(t, input.Options{Packed: true}, audits()...)
		if len(packed.Script) != 0 {
			t.Errorf("%s: a past that was read as packed has a script of %d", name, len(packed.Script))
		}
		if got := events(packed); got != len(plain.Script) {
			t.Errorf("%s has %d events, want %d", name, got, len(plain.Script))
		}
	}
}
