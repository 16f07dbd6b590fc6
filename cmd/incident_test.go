package cmd_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const night = "../replay/source/testdata/incident/"

// docs/history.md has it that a log without the beginning is enough where a later dump is beside it.
func TestANightIsExplainedFromALogWithoutItsBeginning(t *testing.T) {
	late := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(late, linesFrom(t, night+"audit.log.zst", "2026-11-28T07:50:00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{
		{night + "audit.log.zst", "--from", "2026-11-28T07:50:00Z"}, {late, night + "dump.yaml.gz"},
	} {
		p := program(t, append([]string{"explain", "shop/orders-db-0", "--to", "2026-11-28T08:03:00Z"}, files...)...)
		for _, want := range []string{
			`What holds what it lacks, and since when
  cpu of b1, b2, b3, b4, where nothing else is missing
    Job reports/nightly-29930876: 24, 12 pods, bound from 07:56:00 to 08:01:18
    ReplicaSet shop/checkout-6495dcf69: 3600m, 3 pods, bound at 07:35:28
`,
			`  shop/orders-db-0 was on b2 before, until it was deleted at 08:01:18; what was bound there since:
    reports/nightly-29930876-ks544, bound at 08:01:18
`,
		} {
			if !strings.Contains(p.out, want) {
				t.Errorf("%v: %d %s%s", files, p.code, p.out, p.err)
			}
		}
	}
	if p := program(t, "explain", "shop/orders-db-0", late); !strings.Contains(p.err, "there is no node") {
		t.Errorf("without a dump: %d %s%s", p.code, p.out, p.err)
	}
}

// linesFrom are the entries of an audit log that ended at a moment or later.
func linesFrom(t *testing.T, name, moment string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	d, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := io.ReadAll(d)
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		var e struct{ StageTimestamp string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.StageTimestamp >= moment {
			kept = append(kept, line...)
		}
	}
	return kept
}
