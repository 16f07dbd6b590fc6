package cmd_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
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
	var page struct {
		Holders []struct{ Owner, Amount, First string }
		Before  struct {
			Node string
			Came []struct{ Pod string }
		}
	}
	p := program(t, "explain", "shop/orders-db-0", night+"audit.log.zst", "--to", "2026-11-28T08:03:00Z", "-o", "json")
	if err := json.Unmarshal([]byte(p.out), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Holders) < 2 || page.Before.Node != "b2" || len(page.Before.Came) != 1 {
		t.Fatalf("%+v", page)
	}
	h := page.Holders[0]
	if h.Owner != "Job reports/nightly-29930876" || h.Amount != "24" || h.First != "2026-11-28T07:56:00Z" {
		t.Errorf("%+v", page)
	}
	if p := program(t, "explain", "shop/orders-db-0", late); !strings.Contains(p.err, "there is no node") {
		t.Errorf("without a dump: %d %s%s", p.code, p.out, p.err)
	}
}

// linesFrom are the entries of an audit log that ended at a moment or later.
func linesFrom(t *testing.T, name, moment string) []byte {
	t.Helper()
	var kept []byte
	for line := range bytes.Lines(golden.Unpacked(t, name)) {
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
