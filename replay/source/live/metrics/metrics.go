// Package metrics counts what a scheduler does and how long it takes, under the names that kube-scheduler's own metrics
// have, and serves the counts over HTTP. It decides nothing, and reads no cluster.
package metrics

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/schedstep/schedstep/core/trace"
)

// Metrics are those of one schedulerName. One goroutine observes; any number may be served.
type Metrics struct {
	profile  string
	registry *prometheus.Registry
	leads    atomic.Bool

	attempts  *prometheus.CounterVec
	took      *prometheus.HistogramVec
	algorithm prometheus.Histogram
	points    *prometheus.HistogramVec
	tries     prometheus.Histogram
	pending   *prometheus.GaugeVec
	victims   prometheus.Histogram
	preempts  prometheus.Counter

	began   time.Time // the cycle under way
	last    time.Time // the last fact
	attempt int
	failed  bool // its failure was reported, and how it ends is not known yet
}

// buckets are n numbers that double from a first.
func buckets(first float64, n int) []float64 { return prometheus.ExponentialBuckets(first, 2, n) }

// New is metrics of which all are zero. Names, labels and buckets are those of kube-scheduler 1.37.
func New(schedulerName string) *Metrics {
	histogram := func(name, help string, in []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "scheduler", Name: name, Help: help, Buckets: in}
	}
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "scheduler", Name: name, Help: help}
	}
	m := &Metrics{
		profile: schedulerName, registry: prometheus.NewRegistry(),
		attempts: prometheus.NewCounterVec(
			counter("schedule_attempts_total", "Attempts to schedule pods, by how they ended."), []string{"result", "profile"}),
		took: prometheus.NewHistogramVec(histogram("scheduling_attempt_duration_seconds",
			"How long an attempt takes, without what the API server takes.", buckets(0.001, 15)), []string{"result", "profile"}),
		algorithm: prometheus.NewHistogram(histogram("scheduling_algorithm_duration_seconds",
			"How long the search for a node takes.", buckets(0.001, 15))),
		points: prometheus.NewHistogramVec(histogram("framework_extension_point_duration_seconds",
			"How long all plugins of an extension point take.", buckets(0.0001, 12)),
			[]string{"extension_point", "status", "profile"}),
		tries: prometheus.NewHistogram(histogram("pod_scheduling_attempts",
			"How many attempts a pod needed.", buckets(1, 5))),
		pending: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "scheduler", Name: "pending_pods", Help: "Pods without a node, by queue.",
		}, []string{"queue"}),
		victims:  prometheus.NewHistogram(histogram("preemption_victims", "Victims of a preemption.", buckets(1, 7))),
		preempts: prometheus.NewCounter(counter("preemption_attempts_total", "Attempts to make room by evictions.")),
	}
	m.registry.MustRegister(m.attempts, m.took, m.algorithm, m.points, m.tries, m.pending, m.victims, m.preempts)
	return m
}

// Leads marks from now on that this process is ready to place pods.
func (m *Metrics) Leads() { m.leads.Store(true) }

// Waiting sets how many pods wait, by queue.
func (m *Metrics) Waiting(c trace.QueueCounts) {
	for name, n := range map[string]int{
		"active": c.Active, "backoff": c.Backoff, "unschedulable": c.Unschedulable, "gated": c.Gated,
	} {
		m.pending.WithLabelValues(name).Set(float64(n))
	}
}

// Observe takes a fact at the moment it is found: the time since the one before is that of its extension point.
func (m *Metrics) Observe(fact trace.Fact) {
	now := time.Now()
	if _, begins := fact.(trace.Popped); begins {
		m.close("error")
		m.began, m.last = now, now
	}
	switch f := fact.(type) {
	case trace.Popped:
		m.attempt = f.Attempt
		return
	case trace.Preempted:
		m.preempts.Inc()
		if len(f.Victims) > 0 {
			m.victims.Observe(float64(len(f.Victims)))
		}
	case trace.Recorded:
		switch f.Reason {
		case "Scheduled":
			m.tries.Observe(float64(max(m.attempt, 1)))
			m.end("scheduled", now)
		case "FailedScheduling":
			m.failed = true
		}
	case trace.Selected:
		m.algorithm.Observe(now.Sub(m.began).Seconds())
	case trace.Ended:
		m.Waiting(f.Queue)
		result := "unschedulable"
		if f.Outcome == trace.SchedulerError {
			result = "error"
		}
		m.close(result)
	}
	if isPoint(fact.Phase()) {
		m.points.WithLabelValues(fact.Phase().String(), statusOf(fact), m.profile).Observe(now.Sub(m.last).Seconds())
	}
	m.last = now
}

// close counts an attempt whose failure was reported.
func (m *Metrics) close(result string) {
	if m.failed {
		m.failed = false
		m.end(result, m.last)
	}
}

func (m *Metrics) end(result string, now time.Time) {
	m.attempts.WithLabelValues(result, m.profile).Inc()
	m.took.WithLabelValues(result, m.profile).Observe(now.Sub(m.began).Seconds())
}

// isPoint reports whether a phase is an extension point of kube-scheduler.
func isPoint(p trace.Phase) bool {
	switch p {
	case trace.PhasePreFilter, trace.PhaseFilter, trace.PhasePostFilter, trace.PhasePreScore, trace.PhaseScore,
		trace.PhaseReserve, trace.PhasePermit, trace.PhasePreBind, trace.PhaseBind, trace.PhasePostBind:
		return true
	default:
		return false
	}
}

// statusOf is how an extension point ended, in kube-scheduler's words.
func statusOf(fact trace.Fact) string {
	if _, v, is := trace.AnswerIn(fact); is {
		return v.Code.String()
	}
	return trace.Success.String()
}

// Handler answers /metrics, /healthz and /readyz. ready is why the process is cut off from its cluster; nil: it is not.
func (m *Metrics) Handler(ready func() error) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch err := ready(); {
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		case !m.leads.Load():
			http.Error(w, "another process has the lease", http.StatusServiceUnavailable)
		default:
			fmt.Fprint(w, "ok")
		}
	})
	return mux
}

// headerTime is how long a client may take to send its request.
const headerTime = 5 * time.Second

// Serve answers at an address until stop is called, and returns which one it is: port 0 takes any that is free.
func (m *Metrics) Serve(address string, ready func() error) (at string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: m.Handler(ready), ReadHeaderTimeout: headerTime}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(listener) })
	return listener.Addr().String(), func() {
		_ = server.Close()
		running.Wait()
	}, nil
}
