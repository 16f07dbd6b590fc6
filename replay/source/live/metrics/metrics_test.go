package metrics_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/source/live/metrics"
)

func get(m *metrics.Metrics, path string, ready error) (code int, text string) {
	w := httptest.NewRecorder()
	m.Handler(func() error { return ready }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestAttemptsAreCountedUnderTheNamesOfKubeScheduler(t *testing.T) {
	m := metrics.New("mine")
	for _, f := range []trace.Fact{
		trace.Popped{Attempt: 3},
		trace.Selected{},
		trace.Recorded{Reason: "Scheduled"},
		trace.Ended{Outcome: trace.Scheduled},
		trace.Popped{},
		trace.Preempted{Preemption: &trace.Preemption{Victims: []string{"a", "b"}}},
		trace.Recorded{Reason: "FailedScheduling"},
		trace.Ended{Outcome: trace.NotSchedulable, Queue: trace.QueueCounts{Unschedulable: 4, Gated: 1}},
		trace.Recorded{Reason: "FailedScheduling"}, // a binding is refused, after its cycle
		trace.Popped{},
		trace.PreScored{Plugin: "Picky", Verdict: trace.Verdict{Code: trace.Error}},
		trace.Ended{Outcome: trace.Waiting},
	} {
		m.Observe(f)
	}
	m.Waiting(trace.QueueCounts{Unschedulable: 4, Gated: 1})
	_, text := get(m, "/metrics", nil)
	for _, want := range []string{
		`scheduler_schedule_attempts_total{profile="mine",result="scheduled"} 1`,
		`scheduler_schedule_attempts_total{profile="mine",result="unschedulable"} 1`,
		`scheduler_schedule_attempts_total{profile="mine",result="error"} 1`,
		`scheduler_pod_scheduling_attempts_sum 3`, `scheduler_preemption_victims_sum 2`,
		`scheduler_preemption_attempts_total 1`, `scheduler_pending_pods{queue="unschedulable"} 4`,
		`scheduler_pending_pods{queue="gated"} 1`,
		`scheduler_framework_extension_point_duration_seconds_count{extension_point="PostFilter",profile="mine",status="Success"} 1`,
		`scheduler_framework_extension_point_duration_seconds_count{extension_point="PreScore",profile="mine",status="Error"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %s in\n%s", want, text)
		}
	}
}

func TestReadyIsWhoLeadsAndIsNotCutOff(t *testing.T) {
	m := metrics.New("mine")
	if code, _ := get(m, "/readyz", nil); code != http.StatusServiceUnavailable {
		t.Errorf("without the lease: %d", code)
	}
	m.Leads()
	if code, text := get(m, "/readyz", errors.New("cut off since noon")); code != 503 || !strings.Contains(text, "noon") {
		t.Errorf("cut off: %d %s", code, text)
	}
	for _, path := range []string{"/readyz", "/healthz"} {
		if code, _ := get(m, path, nil); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
}
