// Package e2e holds schedstep to a whole cluster: a real kube-apiserver with its etcd and a real kube-scheduler 1.37.1
// decide about several hundred pods, schedstep reads the same objects as the API server hands them out, and hosts,
// texts and victims are laid side by side. It looks at what users see and at no plugin: that is conformance/compare. It
// is a module of its own because its programs take minutes to build, which nothing else in conformance/ needs; make e2e
// builds and runs it.
//
// The workload comes in waves. The objects of a wave are created while no scheduler runs; then kube-scheduler starts,
// finds them all in its queue, and their order is that of priority and key, whatever the machine is busy with. Further
// changes are made one at a time, each after kube-scheduler has come to an end with the one before.
package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/schedstep/schedstep/conformance/e2e/controlplane"
	"github.com/schedstep/schedstep/core/cluster"
)

// Wave is a part of the workload that begins with a scheduler that starts.
type Wave struct {
	Name    string
	Objects []cluster.Object // created in this order, with their status, before the scheduler starts
	Steps   []Step
}

// Step is one change to the cluster while the scheduler runs.
type Step struct {
	Name string
	// Do makes the change and returns it as the scheduler sees it.
	Do func(context.Context, *API) ([]cluster.Event, error)
}

// Segment is what one kube-scheduler did from its start to its end, with all it takes to put schedstep in its place.
type Segment struct {
	Wave   string
	Folder string // the dump it began with
	Before Outcome
	Steps  []Played
	placed map[string]bool // uids of the pods that had a node at its start
}

// Played is one step as it happened. The first of a segment is the start of the scheduler and has no events.
type Played struct {
	Name   string
	Events []cluster.Event
	Theirs Outcome
}

// Options of Run.
type Options struct {
	Programs      string // the folder of etcd, kube-apiserver and kube-scheduler
	Folder        string // where they and the dumps may write
	Configuration []byte // a KubeSchedulerConfiguration; see controlplane.StartScheduler for the fields it must leave out
	Log           func(format string, args ...any)
}

// Run plays waves on a control plane of its own and compares.
func Run(ctx context.Context, waves []Wave, o Options) (*Report, error) {
	began := time.Now()
	plane, err := controlplane.Start(ctx, o.Programs, o.Folder)
	if err != nil {
		return nil, err
	}
	defer plane.Close()
	api, err := newAPI(plane.Config())
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, plane: plane, api: api, report: &Report{}}
	if r.report.version, err = api.version(); err != nil {
		return nil, err
	}
	for _, wave := range waves {
		if err := r.wave(ctx, wave); err != nil {
			return r.report, fmt.Errorf("%s: %w", wave.Name, err)
		}
	}
	r.report.took = time.Since(began)
	return r.report, nil
}

type run struct {
	Options
	plane   *controlplane.ControlPlane
	api     *API
	report  *Report
	started int // pods that kubelets have started
}

// wave plays one wave, in as many segments as it takes: after a decision of chance, or a difference, both schedulers
// begin anew with what kube-scheduler did.
func (r *run) wave(ctx context.Context, w Wave) error {
	began := time.Now()
	row := Row{Wave: w.Name}
	for _, o := range w.Objects {
		if _, err := r.api.Create(ctx, o); err != nil {
			return err
		}
	}
	for first, rest := true, w.Steps; first || len(rest) > 0; first = false {
		done, err := r.segment(ctx, w.Name, rest, &row)
		if err != nil {
			return err
		}
		if rest = rest[done:]; done == 0 && !first {
			r.Log("%s: %d steps are left out, because the schedulers part as soon as they start", w.Name, len(rest))
			break
		}
	}
	pods, err := r.api.Pods(ctx)
	if err != nil {
		return err
	}
	row.Pods, row.took = len(pods), time.Since(began)
	r.report.Rows = append(r.report.Rows, row)
	r.Log("%s: %d of %d hosts, %d of %d texts, %d of %d victims equal, %d by chance, %.1fs", row.Wave, row.Hosts.Equal,
		row.Hosts.Of,
		row.Texts.Equal, row.Texts.Of, row.Victims.Equal, row.Victims.Of, row.Chance, row.took.Seconds())
	return nil
}

// segment runs one kube-scheduler through its start and as many of the steps as it can, and returns how many.
func (r *run) segment(ctx context.Context, wave string, steps []Step, row *Row) (done int, err error) {
	number := len(r.report.Segments) + 1
	s := &Segment{Wave: wave, Folder: filepath.Join(r.Folder, fmt.Sprintf("dump-%02d", number))}
	if err := r.prepare(ctx, s); err != nil {
		return 0, err
	}
	r.report.Segments = append(r.report.Segments, s)
	scheduler, err := r.plane.StartScheduler(ctx, fmt.Sprintf("kube-scheduler-%02d", number), r.Configuration)
	if err != nil {
		return 0, err
	}
	defer scheduler.Stop()
	mine, err := newOurs(s.Folder, r.Configuration, nil)
	if err != nil {
		return 0, err
	}
	w := newWatcher(r.api, scheduler, s.placed)
	if err := w.settle(ctx); err != nil {
		return 0, err
	}
	equal, err := r.compare(ctx, s, Played{Name: "start"}, mine, row)
	for ; equal && err == nil && done < len(steps); done++ {
		played := Played{Name: steps[done].Name}
		if err := w.mark(ctx); err != nil {
			return done, err
		}
		if played.Events, err = steps[done].Do(ctx, r.api); err != nil {
			return done, fmt.Errorf("%s: %w", played.Name, err)
		}
		w.expect(mine.labels(played.Events))
		if err := w.settle(ctx); err != nil {
			return done, fmt.Errorf("%s: %w", played.Name, err)
		}
		equal, err = r.compare(ctx, s, played, mine, row)
	}
	return done, err
}

// prepare does what happens between two schedulers, and dumps the cluster.
func (r *run) prepare(ctx context.Context, s *Segment) error {
	var err error
	if r.started, err = r.api.startPods(ctx, r.started); err != nil {
		return err
	}
	for wrote := 1; wrote > 0; {
		if wrote, err = r.api.bindVolumes(ctx); err != nil {
			return err
		}
	}
	pods, err := r.api.Pods(ctx)
	if err != nil {
		return err
	}
	s.placed = map[string]bool{}
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			s.placed[string(p.UID)] = true
		}
	}
	if err := r.api.forgetEvents(ctx); err != nil {
		return err
	}
	if s.Before, err = r.api.Outcome(ctx); err != nil {
		return err
	}
	return r.api.dump(ctx, s.Folder)
}

// How long texts may take from the scheduler to the API server after all is quiet, and how often they are read.
const (
	textTime = time.Minute
	readTime = 50 * time.Millisecond
)

// compare lays both outcomes of a step side by side. Events are written behind the scheduler's back, so a difference is
// one only when it stays.
func (r *run) compare(ctx context.Context, s *Segment, played Played, mine *ours, row *Row) (equal bool, err error) {
	before := s.Before
	if n := len(s.Steps); n > 0 {
		before = s.Steps[n-1].Theirs
	} else {
		before.Messages = map[string]string{} // every pod is tried anew
	}
	our := mine.follow(played.Events)
	var c *comparison
	for until := time.Now().Add(textTime); ; {
		if played.Theirs, err = r.api.Outcome(ctx); err != nil {
			return false, err
		}
		if c = compare(before, played.Theirs, our); c.byChance(mine.cycles) || time.Now().After(until) {
			break
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(readTime):
		}
	}
	s.Steps = append(s.Steps, played)
	row.add(c.tally)
	for _, d := range c.differences {
		d.Wave, d.Step = s.Wave, played.Name
		r.report.Differences = append(r.report.Differences, d)
		r.Log("%s", d)
	}
	return len(c.differences) == 0, nil
}

// Replay puts schedstep through a segment again, by another configuration or with its objects changed. It stops at the
// first step with differences that are not all by chance, and returns them.
func (s *Segment) Replay(configuration []byte, tamper func(cluster.Object)) ([]Difference, error) {
	mine, err := newOurs(s.Folder, configuration, tamper)
	if err != nil {
		return nil, err
	}
	before := s.Before
	for _, played := range s.Steps {
		c := compare(before, played.Theirs, mine.follow(played.Events))
		if !c.byChance(mine.cycles) {
			for i := range c.differences {
				c.differences[i].Wave, c.differences[i].Step = s.Wave, played.Name
			}
			return c.differences, nil
		}
		before = played.Theirs
	}
	return nil, nil
}
