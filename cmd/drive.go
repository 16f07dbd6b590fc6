package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/source/live"
	"github.com/schedstep/schedstep/replay/source/live/metrics"
	"github.com/schedstep/schedstep/tui/screen"
)

// The scheduler names whose pods are placed: the default, and one that the user must confirm.
const (
	ownName     = "schedstep"
	clusterName = "default-scheduler"
)

// driveFlags are the scheduler name whose pods are placed, and how they are placed.
type driveFlags struct {
	name   string
	anyway bool
	dryRun string
	serve  string
}

func (f *driveFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.name, "scheduler-name", ownName, "the `schedulerName` whose pods are placed")
	c.Flags().BoolVar(&f.anyway, "i-know-what-i-am-doing", false, "allow --scheduler-name "+clusterName)
	c.Flags().StringVar(&f.dryRun, "dry-run", "none",
		"none, or server: the API server checks every write and does none of them")
	c.Flags().StringVar(&f.serve, "serve", "127.0.0.1:0", "`address` of /metrics, /healthz and /readyz; none: nowhere")
	offer(c, "dry-run", []string{"none", "server"})
}

func (f *driveFlags) check() error {
	switch {
	case f.dryRun != "none" && f.dryRun != "server":
		return usageError{phrase.Errorf("--dry-run %q: use none or server", f.dryRun)}
	case f.name == "":
		return usageError{phrase.Errorf("--scheduler-name must not be empty")}
	case f.name == clusterName && !f.anyway:
		return usageError{phrase.Errorf("--scheduler-name %s: those pods belong to the cluster's own scheduler, and two "+
			"schedulers of one name bind against each other (--i-know-what-i-am-doing allows it)", clusterName)}
	}
	return nil
}

func driveCommand(s Streams, plugins []config.Plugin) *cobra.Command {
	in := inputFlags{plugins: plugins, live: newLiveFlags()}
	var f driveFlags
	var output string
	c := &cobra.Command{
		Use:   "drive",
		Short: "Be the scheduler of the pods of one schedulerName",
		Long: `drive places the pods of the cluster of the current context whose schedulerName is schedstep,
or the one that --scheduler-name gives, as kube-scheduler would: it binds them, evicts others
for them, binds their volumes and devices, and writes conditions and events. It prints each
write. Pods of other schedulers are left alone, but may be evicted when they are less
important. attach --drive does the same on the screen.

A lease in kube-system keeps two who drive under one name apart; the second waits. It ends
when it is interrupted. schedstep auth --drive prints the role that it needs.`,
		Example: `  schedstep drive --dry-run server
  schedstep drive --scheduler-name batch --config new.yaml -o jsonl`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.drive(c, s, &in, output) },
	}
	in.addDeciding(c)
	in.live.add(c)
	f.add(c)
	c.Flags().StringVarP(&output, "output", "o", "text", "how each write is printed: text, or jsonl with its requests")
	offer(c, "output", []string{"text", "jsonl"})
	return c
}

func (f *driveFlags) drive(c *cobra.Command, s Streams, in *inputFlags, output string) error {
	if err := f.check(); err != nil {
		return err
	}
	if output != "text" && output != "jsonl" {
		return usageError{phrase.Errorf("-o %q: use text or jsonl", output)}
	}
	o, feed, err := in.follow(c.Context(), c, s)
	if err != nil {
		return err
	}
	defer feed.Stop()
	log := &writeLog{to: s.Out, lines: output == "jsonl", language: o.language}
	w, err := f.start(c.Context(), s, o, feed, log)
	if err != nil {
		return err
	}
	defer w.stop()
	player := o.input.Play(o.config, o.seed, trace.Summary)
	player.Scheduler().Observe(w.metrics.Observe)
	err = w.run(c.Context(), player)
	w.stop()
	switch {
	case output == "text":
		_, wrote := fmt.Fprintln(s.Out, log.summary())
		err = errors.Join(err, wrote)
	case !in.quiet:
		fmt.Fprintln(s.Err, log.summary())
	}
	return err
}

// wheel is a driver that has its lease, with all that belongs to it.
type wheel struct {
	driver  *live.Driver
	metrics *metrics.Metrics
	lost    chan error
	stop    func()
}

// start makes the driver for an input that follows a cluster, and waits for its lease.
func (f *driveFlags) start(ctx context.Context, s Streams, o *opened, feed *live.Feed, log *writeLog) (*wheel, error) {
	o.config = o.config.Only(f.name)
	driver, err := o.cluster.Drive(live.DriveOptions{
		SchedulerName: f.name, DryRun: f.dryRun == "server", Answer: feed.Answer, Tell: log.tell,
	})
	if err != nil {
		return nil, err
	}
	w := &wheel{driver: driver, lost: make(chan error, 1), metrics: metrics.New(f.name)}
	closeServer, err := w.serve(f.serve, feed, s, o.language)
	if err != nil {
		return nil, err
	}
	user := ctx
	ctx, release := context.WithCancel(ctx)
	var once sync.Once
	w.stop = func() {
		once.Do(func() {
			release()
			leaving{s, o.language, f.dryRun == "server", driver.Close}.wait(user, feed.State())
			closeServer()
		})
	}
	waited := false
	err = driver.Acquire(ctx, holder(), func(other string) {
		waited = true
		fmt.Fprintln(s.Err, o.language.Say("waiting for the lease %s/%s, which %s has",
			live.LeaseNamespace, live.LeaseName(f.name), clean(other)))
	}, func(err error) { w.lost <- err })
	if err != nil {
		w.stop()
		return nil, err
	}
	if waited { // what happened meanwhile is not decided again: another one has
		feed.Log().Gather()
	}
	w.metrics.Leads()
	o.input.Drive(driver.Act)
	told := o.language.Say("driving: pods with schedulerName %s", clean(f.name))
	if f.dryRun == "server" { // no other scheduler is in the way, and there is no lease
		told = o.language.Say("driving: pods with schedulerName %s (dry run: nothing is changed)", clean(f.name))
	} else {
		fmt.Fprintln(s.Err, o.language.Say("holding the lease %s/%s", live.LeaseNamespace, live.LeaseName(f.name)))
	}
	fmt.Fprintln(s.Err, told)
	return w, nil
}

// attachedDrive is drive on the screen.
type attachedDrive struct {
	driveFlags
	wanted bool
	log    string
}

func (f *attachedDrive) add(c *cobra.Command) {
	f.driveFlags.add(c)
	c.Flags().BoolVar(&f.wanted, "drive", false, "be the scheduler of the pods of --scheduler-name, which writes")
	c.Flags().StringVar(&f.log, "log", "", "`file` that every write is added to, with --drive; without it schedstep-drive.jsonl "+
		"in the folder for temporary files")
}

func (f *attachedDrive) on() bool { return f != nil && f.wanted }

func (f *attachedDrive) check() error {
	if !f.on() {
		return nil
	}
	return f.driveFlags.check()
}

// begin starts to drive the cluster of the screen. Requests made before the user has seen the screen are held.
func (f *attachedDrive) begin(ctx context.Context, s Streams, o *opened, feed *live.Feed) (stop func(), err error) {
	name := f.log
	if name == "" {
		name = filepath.Join(os.TempDir(), "schedstep-drive.jsonl")
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, phrase.Errorf("--log %s: %w", name, disk.Bare(err))
	}
	log := &writeLog{to: file, lines: true, language: o.language}
	w, err := f.start(ctx, s, o, feed, log)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	w.driver.Hold(true)
	o.observe = w.metrics.Observe
	o.live.Driver = &screen.Driver{
		Hold: w.driver.Hold, Held: w.driver.Held, Release: w.driver.Release, Refuse: w.driver.Refuse,
		Prepare: w.driver.ByHand,
	}
	var lost error // the screen alone reads the state
	o.live.State = func() phrase.Phrase {
		select {
		case lost = <-w.lost:
		default:
		}
		if lost != nil {
			return phrase.New("nothing is written: %s", lost)
		}
		return feed.State()
	}
	return func() {
		w.stop()
		fmt.Fprintln(s.Err, o.language.Say("%s, in %s", log.summary(), clean(name)))
		_ = file.Close()
	}, nil
}

// holder names this process among all that may drive.
func holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "_" + uuid.NewString()
}

// serve answers about this process at an address.
func (w *wheel) serve(address string, feed *live.Feed, s Streams, l words.Language) (stop func(), err error) {
	if address == "none" {
		return func() {}, nil
	}
	at, stop, err := w.metrics.Serve(address, func() error {
		if state := feed.State(); !state.IsZero() {
			return phrase.Errorf("%s", state)
		}
		return nil
	})
	if err != nil {
		return nil, usageError{phrase.Errorf("--serve %s: %w", clean(address), err)}
	}
	fmt.Fprintln(s.Err, l.Say("serving http://%s/metrics, /healthz and /readyz", at))
	return stop, nil
}

// run schedules until the user ends it, or the lease is lost.
func (w *wheel) run(ctx context.Context, player *play.Player) error {
	defer player.Heed(ctx)()
	for {
		changed := player.Log().Changed()
		for ctx.Err() == nil {
			if _, more := player.Step(); !more {
				break
			}
		}
		w.metrics.Waiting(player.Scheduler().Queue().Counts())
		player.Forget()
		select {
		case <-changed:
		case err := <-w.lost:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// writeLog prints the requests to the server. Several goroutines may use it.
type writeLog struct {
	language words.Language // of the text; JSON has none

	mu      sync.Mutex
	to      io.Writer
	lines   bool // JSON
	done    int
	refused int
}

func (l *writeLog) tell(w live.Written) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done++; w.Fault != "" {
		l.refused++
	}
	if l.lines {
		if w.Requests == nil {
			w.Requests = []string{}
		}
		text, err := json.Marshal(w)
		must(err)
		fmt.Fprintf(l.to, "%s\n", text)
		return
	}
	what := clean(w.Wish)
	if w.DryRun {
		what = l.language.Say("%s (dry run)", what)
	}
	if w.Fault != "" {
		what = l.language.Say("%s: refused: %s", what, clean(w.Fault))
	}
	fmt.Fprintf(l.to, "%s %s\n", w.At.Local().Format(time.TimeOnly), what)
}

// summary counts what was written.
func (l *writeLog) summary() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	parts := []string{l.language.Count(l.done, "write")}
	if l.refused > 0 {
		parts = append(parts, l.language.Say("%d refused", l.refused))
	}
	return strings.Join(parts, l.language.Of(textAlso))
}
