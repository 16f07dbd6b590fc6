package input_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/play/input"
)

// logs are the lines of both logs of the corpus.
func logs(t *testing.T) [2][][]byte {
	t.Helper()
	var all [2][][]byte
	for n := range all {
		all[n] = bytes.SplitAfter(unpacked(t, fmt.Sprintf("audit-server-%d.log.zst", n+1)), []byte("\n"))
	}
	return all
}

// writesOfPods are the places of n writes of pods that happened.
func writesOfPods(lines [][]byte, n int) (places []int) {
	for i, line := range lines {
		if len(places) < n && bytes.Contains(line, []byte(`"stage":"ResponseComplete"`)) &&
			bytes.Contains(line, []byte(`"verb":"patch"`)) && bytes.Contains(line, []byte(`"resource":"pods"`)) &&
			bytes.Contains(line, []byte(`"code":200`)) {
			places = append(places, i)
		}
	}
	return places
}

// wholeLog is how many versions the logs of the corpus have.
const wholeLog = 1319

// harm is one kind of damage to a log.
type harm struct {
	name     string
	damage   func(*testing.T, *[2][][]byte)
	versions int // there are at least so many
	said     string
}

// harms are those that lines come to.
var harms = []harm{
	{"nothing", func(*testing.T, *[2][][]byte) {}, wholeLog, ""},
	{"lines that are cut", func(_ *testing.T, all *[2][][]byte) {
		for _, i := range writesOfPods(all[0], 7) {
			all[0][i] = append(bytes.Clone(all[0][i][:len(all[0][i])/2]), '\n')
		}
	}, wholeLog - 7, "audit logs: left out 7 lines (no audit entry, or cut)"},
	{"the last line is cut", func(_ *testing.T, all *[2][][]byte) {
		last := writesOfPods(all[0], len(all[0]))
		i := last[len(last)-1]
		all[0] = append(all[0][:i:i], all[0][i][:len(all[0][i])-9])
	}, wholeLog / 2, "audit logs: left out 1 line (no audit entry, or cut)"},
	{"files in another order", func(_ *testing.T, all *[2][][]byte) {
		all[0], all[1] = all[1], all[0]
	}, wholeLog, ""},
	{"a rotation that is there twice", func(_ *testing.T, all *[2][][]byte) {
		for _, i := range writesOfPods(all[0], 40) {
			all[1] = append(all[1], all[0][i])
		}
	}, wholeLog, "audit logs: 40 writes are there twice; each counts once"},
	{"a clock that is wrong", func(t *testing.T, all *[2][][]byte) {
		for i, line := range all[1] {
			all[1][i] = shifted(t, line, 90*time.Second)
		}
	}, wholeLog - 19, "clocks of the API servers disagree by up to 1m55.939s; the order is that of revisions\n" +
		"gap, 23:45 to 23:46: writes of an object that the log does not have: Pod 19"},
	{"bodies dropped for their size", func(_ *testing.T, all *[2][][]byte) {
		for _, i := range writesOfPods(all[0], 5) {
			line := all[0][i]
			at := bytes.Index(line, []byte(`,"requestObject"`))
			end := bytes.Index(line, []byte(`,"requestReceivedTimestamp"`))
			line = append(bytes.Clone(line[:at]), line[end:]...)
			all[0][i] = bytes.Replace(line, []byte(`"annotations":{`),
				[]byte(`"annotations":{"audit.k8s.io/truncated":"true",`), 1)
		}
	}, wholeLog - 5, "audit logs: left out 5 entries (cut for its size by the API server or the log service)"},
	{"bodies that cannot be decoded", func(_ *testing.T, all *[2][][]byte) {
		for _, i := range writesOfPods(all[0], 6) {
			all[0][i] = bytes.Replace(all[0][i], []byte(`"containers":[`), []byte(`"containers":7,"x":[`), 2)
		}
	}, wholeLog - 6, "audit logs: left out 6 bodies (of a kind that is read, and cannot be decoded)"},
	{"answers that are missing", func(_ *testing.T, all *[2][][]byte) {
		for _, i := range writesOfPods(all[0], 4) {
			all[0][i] = bytes.Replace(all[0][i], []byte(`"code":200`), []byte(`"code":0`), 1)
		}
	}, wholeLog - 4, "audit logs: left out 4 writes (without an answer: whether it happened is unknown)"},
}

// TestEachLossOfALogIsCounted damages the logs of the corpus, one kind of damage after the other, and looks for the
// number of damaged entries in the notices.
func TestEachLossOfALogIsCounted(t *testing.T) {
	for _, c := range harms {
		all := logs(t)
		c.damage(t, &all)
		folder := t.TempDir()
		for n, lines := range all {
			name := filepath.Join(folder, fmt.Sprint(n, ".log"))
			if err := os.WriteFile(name, bytes.Join(lines, nil), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		in := readPast(t, input.Options{}, folder)
		said := strings.Join(phrase.Strings(append(in.Notices, in.Refused...)), "\n")
		if len(in.Script) < c.versions || !strings.Contains(said, c.said) {
			t.Errorf("%s: %d versions, at least %d are wanted; no %q in\n%s", c.name, len(in.Script), c.versions,
				c.said, said)
		}
	}
}

// shifted is an entry by a clock that is ahead.
func shifted(t *testing.T, line []byte, by time.Duration) []byte {
	t.Helper()
	for _, member := range []string{`"requestReceivedTimestamp":"`, `"stageTimestamp":"`} {
		before, rest, found := bytes.Cut(line, []byte(member))
		if !found {
			continue
		}
		stamp, after, _ := bytes.Cut(rest, []byte{'"'})
		at, err := time.Parse(time.RFC3339Nano, string(stamp))
		if err != nil {
			t.Fatal(err)
		}
		line = fmt.Appendf(nil, "%s%s%s\"%s", before, member, at.Add(by).Format(time.RFC3339Nano), after)
	}
	return line
}

// TestNoPageOfACopyIsLostInSilence empties single pages of a database, as a copy has them that was made while etcd
// wrote: where versions are missing, the pages are counted.
func TestNoPageOfACopyIsLostInSilence(t *testing.T) {
	whole := unpacked(t, "snapshot.db.zst")
	versions := len(readPast(t, input.Options{}, corpus+"snapshot.db.zst").Script)
	page := int(binary.LittleEndian.Uint32(whole[24:]))
	name := filepath.Join(t.TempDir(), "db")
	lost := 0
	for at := 2 * page; at+page < len(whole); at += page {
		const leaf = 2
		if binary.LittleEndian.Uint16(whole[at+8:]) != leaf || at/page%3 != 0 {
			continue
		}
		copied := bytes.Clone(whole)
		clear(copied[at : at+page])
		if err := os.WriteFile(name, copied, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := input.Read(t.Context(), []string{name}, input.Options{})
		if err != nil {
			continue // that is said
		}
		said := strings.Join(phrase.Strings(in.Refused), "\n")
		if len(in.Script) != versions {
			lost++
		}
		if len(in.Script) != versions && !strings.Contains(said, "damaged)") {
			t.Errorf("page %d: %d of %d versions, and %q", at/page, len(in.Script), versions, said)
		}
		if !strings.Contains(said, "the checksum of the snapshot is wrong") {
			t.Errorf("page %d: the checksum is not said to be wrong: %q", at/page, said)
		}
	}
	if lost < 3 {
		t.Errorf("only %d pages held versions", lost)
	}
}

// TestACutLogOfAnEtcdIsCounted cuts a write-ahead log at places, and damages a byte there.
func TestACutLogOfAnEtcdIsCounted(t *testing.T) {
	whole := unpacked(t, "wal.zst")
	for _, at := range []int{200_001, 1_000_003, 2_000_005} {
		for name, damaged := range map[string][]byte{
			"cut":     whole[:at],
			"changed": append(append(bytes.Clone(whole[:at]), whole[at]^0x55), whole[at+1:8<<20]...),
		} {
			file := filepath.Join(t.TempDir(), "0000000000000000-0000000000000000.wal")
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			in := readPast(t, input.Options{}, file)
			if said := strings.Join(phrase.Strings(in.Refused), "\n"); !strings.Contains(said,
				"etcd: left out 1 record (of the write-ahead log, cut or with a wrong checksum") {
				t.Errorf("%s at %d: %d versions, and %q", name, at, len(in.Script), said)
			}
		}
	}
}
