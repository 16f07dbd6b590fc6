package schedulerlog_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"

	"github.com/schedstep/schedstep/replay/source/schedulerlog"
)

func corpus(t *testing.T) []byte {
	t.Helper()
	return golden.Unpacked(t, "../testdata/kube-scheduler.log.zst")
}

func read(t *testing.T, text string) *schedulerlog.Log {
	t.Helper()
	var log schedulerlog.Log
	if err := log.Read(t.Context(), strings.NewReader(text), 2026); err != nil {
		t.Fatal(err)
	}
	return &log
}

func TestALogAtV4HasEveryAttemptAndBinding(t *testing.T) {
	text := corpus(t)
	if !schedulerlog.Is(text[:16<<10]) {
		t.Error("the log is not recognised")
	}
	log := read(t, string(text))
	for what, want := range map[schedulerlog.What]int{
		schedulerlog.Attempt: 951, schedulerlog.Bound: 225, schedulerlog.Failed: 726, schedulerlog.Moved: 726,
		schedulerlog.Victim: 38,
	} {
		if got := log.Counts[what]; got != want {
			t.Errorf("%d lines of sort %d, want %d", got, what, want)
		}
	}
}

func TestTextAndJSONMeanTheSame(t *testing.T) {
	text := `I1125 23:44:22.112284   17852 schedule_one.go:1194] "Unable to schedule pod; no fit; waiting" pod="shop/huge-0" err="0/2 nodes"` +
		"\n" + `I1125 23:44:23.000000   17852 schedule_one.go:483] "Successfully bound pod to node" pod="shop/a" node="n1"` + "\n"
	structured := `{"ts":1795650262112.284,"caller":"schedule_one.go:1194","msg":"Unable to schedule pod; no fit; waiting",` +
		`"v":2,"pod":{"name":"huge-0","namespace":"shop"},"err":"0/2 nodes"}` + "\n" +
		`{"ts":1795650263000,"msg":"Successfully bound pod to node","v":2,"pod":{"name":"a","namespace":"shop"},"node":"n1"}`
	a, b := read(t, text).Lines, read(t, structured).Lines
	if len(a) != 2 || len(b) != 2 || a[0] != b[0] || a[1] != b[1] {
		t.Errorf("%v\n%v", a, b)
	}
}

func TestAValueOverSeveralLinesIsWhole(t *testing.T) {
	log := read(t, `I1125 23:44:22.112284 1 schedule_one.go:1194] "Unable to schedule pod; no fit; waiting" pod="a/b" err=<`+
		"\n\tone\n\ttwo\n >\n")
	if len(log.Lines) != 1 || log.Lines[0].Text != "one\ntwo" {
		t.Errorf("%q", log.Lines)
	}
}

func TestDamagedLinesNeverCrash(t *testing.T) {
	text := corpus(t)
	random := rand.New(rand.NewPCG(30, 2))
	for range 200 {
		part := []byte(string(text[random.IntN(len(text)-4000):][:4000]))
		for range 20 {
			part[random.IntN(len(part))] = byte(random.IntN(256))
		}
		read(t, string(part))
	}
}

func TestAMessageOfSeveralLinesIsNotDamage(t *testing.T) {
	head := `I1125 23:44:22.112284   17852 trace.go:205] Trace[1]: "Scheduling" namespace:shop (total time: 131ms):` + "\n"
	log := read(t, head+`Trace[1]: ---"Prioritizing done" 131ms (23:44:22.112)`+"\nTrace[1]: [131.898295ms] END\n")
	if log.Broken != 0 || log.Other != 3 {
		t.Errorf("%d broken, %d other", log.Broken, log.Other)
	}
	if log := read(t, "or pod shop/a\n"+head+"I1125 23:44\n"); log.Broken != 2 {
		t.Errorf("of a line without its beginning and one without its end %d are broken", log.Broken)
	}
}

// A replica that waits for its lease has been started as well, and decides nothing.
func TestAStartCountsFromItsFirstDecision(t *testing.T) {
	const (
		starts = `I1125 23:44:20.000000 1 server.go:187] "Starting Kubernetes Scheduler" version="v1.37.1"` + "\n"
		tries  = `I1125 23:44:31.000000 1 schedule_one.go:117] "Attempting to schedule pod" pod="shop/a"` + "\n"
		binds  = `I1125 23:44:32.000000 1 schedule_one.go:483] "Successfully bound pod to node" pod="shop/a" node="n1"` + "\n"
	)
	for _, files := range []struct {
		texts  []string
		starts int
		began  string
	}{
		{[]string{starts + tries + binds}, 1, "23:44:31"},
		{[]string{starts + binds}, 1, "23:44:32"},
		{[]string{tries + binds}, 0, ""},
		{[]string{starts, tries + binds}, 1, ""},
	} {
		var log schedulerlog.Log
		for _, text := range files.texts {
			if err := log.Read(t.Context(), strings.NewReader(text), 2026); err != nil {
				t.Fatal(err)
			}
		}
		began := ""
		for _, at := range log.Began {
			began += at.Format("15:04:05")
		}
		if log.Starts != files.starts || began != files.began {
			t.Errorf("%q: %d starts, began %q", files.texts, log.Starts, began)
		}
	}
}
