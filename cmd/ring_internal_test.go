package cmd

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/apiserver"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/source/recording"
)

func TestARingHasTheLastTwoPartsAsRecordingsOfTheirOwn(t *testing.T) {
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	name := filepath.Join(t.TempDir(), "always.schedstep")
	r := &ring{name: name, header: recording.Header{World: recording.Recorded}}
	for part := range 3 {
		at := began.Add(time.Duration(part) * time.Hour)
		w, err := r.next(at)
		if err != nil {
			t.Fatal(err)
		}
		node := apiserver.Node(fmt.Sprintf("n%d", part))
		if err := w.Write(at, cluster.Event{Action: cluster.Add, Object: node}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{name: "n2", name + ".1": "n1"} {
		in, err := input.Read(t.Context(), []string{file}, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Script) != 1 || in.Script[0].Event.Object.GetName() != want {
			t.Errorf("%s has %v, want %s", file, in.Script, want)
		}
	}
	if all, err := filepath.Glob(name + "*"); err != nil || len(all) != 2 {
		t.Errorf("there are %v, %v", all, err)
	}
}
