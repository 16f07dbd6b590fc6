package etcd_test

import (
	"io"
	"testing"

	"github.com/schedstep/schedstep/internal/wal"
	"github.com/schedstep/schedstep/replay/source/etcd"
	"github.com/schedstep/schedstep/replay/source/history"
)

// With one voter what is written is committed, though the log records that only with the next entry; with several it is
// not known. Learners do not vote.
func TestTheLastEntriesOfTheOnlyVoterCount(t *testing.T) {
	const a, b = 7, 8
	for name, c := range map[string]struct {
		members         func(*wal.Log)
		counted, unsure int
	}{
		"one":                       {func(w *wal.Log) { w.Change(0, a) }, 3, 0},
		"one, in the newer form":    {func(w *wal.Log) { w.ChangeV2(0, a) }, 3, 0},
		"two":                       {func(w *wal.Log) { w.Change(0, a); w.Change(0, b) }, 1, 2},
		"two, in the newer form":    {func(w *wal.Log) { w.ChangeV2(0, a); w.ChangeV2(0, b) }, 1, 2},
		"two, one of which left":    {func(w *wal.Log) { w.Change(0, a); w.Change(0, b); w.Change(1, b) }, 3, 0},
		"one and a learner":         {func(w *wal.Log) { w.Change(0, a); w.Change(3, b) }, 3, 0},
		"one, its address changed":  {func(w *wal.Log) { w.Change(0, a); w.Change(2, a) }, 3, 0},
		"none, as no log ever says": {func(*wal.Log) {}, 1, 2},
	} {
		w := wal.New()
		c.members(w)
		w.Put("/registry/x/1", nil)
		w.Agreed()
		w.Put("/registry/x/2", nil)
		w.Put("/registry/x/3", nil)
		s := &etcd.Store{Vault: &history.Vault{}}
		if err := s.ReadLogs(t.Context(), []io.Reader{w}); err != nil {
			t.Fatal(name, err)
		}
		if s.Counts.Revisions != c.counted || s.Counts.Uncertain != c.unsure || s.Counts.Torn > 0 {
			t.Errorf("%s: %+v", name, s.Counts)
		}
	}
}

// A second voter that joins in the entries that are not committed yet counts from then on.
func TestAVoterThatJoinsLastMakesTheRestUnsure(t *testing.T) {
	w := wal.New()
	w.Change(0, 7)
	w.Agreed()
	w.Put("/registry/x/1", nil)
	w.Change(0, 8)
	w.Put("/registry/x/2", nil)
	s := &etcd.Store{Vault: &history.Vault{}}
	if err := s.ReadLogs(t.Context(), []io.Reader{w}); err != nil {
		t.Fatal(err)
	}
	if s.Counts.Revisions != 1 || s.Counts.Uncertain != 1 {
		t.Errorf("%+v", s.Counts)
	}
}
