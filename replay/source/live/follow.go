package live

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// Feed appends what happens to a cluster to a log. Several goroutines may call it.
//
//	lists    nodes ---|            |  opening: everything there is, at one moment, in the order of a dump
//	         pods  --------------->|
//	watches                        |  then every event at the moment it came
type Feed struct {
	cluster *Cluster
	log     *source.Log
	health  health
	loading *loading
	running sync.WaitGroup
	stop    context.CancelCauseFunc
	ended   chan struct{}

	mu      sync.Mutex
	early   map[cluster.Kind]map[string]cluster.Object // by key, until the log is opened; nil after that
	opened  time.Time
	opening source.Script
	missing []Missing
}

// tickTime is how often players learn that nothing more comes before now: once for every frame of a screen.
const tickTime = 33 * time.Millisecond

// Follow opens a log with everything that is there, and appends what happens until ctx ends; then the log is closed. It
// returns when the log is open. A kind that the user may not list is missing; any other failure before that is an
// error; State reports later ones.
func (c *Cluster) Follow(ctx context.Context, progress Progress) (*Feed, error) {
	rows := append(c.having(followed()), c.custom...)
	f := &Feed{
		cluster: c, log: source.NewLog(), loading: &loading{progress: progress, loaded: Loaded{Of: len(rows)}},
		early: map[cluster.Kind]map[string]cluster.Object{}, health: health{down: map[cluster.Kind]Fault{}},
		ended: make(chan struct{}),
	}
	ctx, f.stop = context.WithCancelCause(ctx)
	firsts := make([]*first, len(rows))
	for i, row := range rows {
		var err error
		if firsts[i], err = f.follow(ctx, row); err != nil {
			f.stop(err)
			f.running.Wait()
			return nil, c.sentence(err)
		}
	}
	done := f.loading.watchesFor(f.State)
	err := f.open(ctx, rows, firsts)
	done()
	if err != nil {
		f.stop(err)
		f.running.Wait()
		return nil, err
	}
	go f.tick(ctx)
	return f, nil
}

// first is how the first list of a kind ended.
type first struct {
	done chan struct{}
	once sync.Once
	err  error // read after done
}

func (f *first) end(err error) {
	f.once.Do(func() {
		f.err = err
		close(f.done)
	})
}

// follow begins to list and watch one kind.
func (f *Feed) follow(ctx context.Context, row *cluster.KindRow) (*first, error) {
	begun := &first{done: make(chan struct{})}
	source, err := f.cluster.listWatch(row)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	informer := cache.NewSharedIndexInformer(f.watched(row.Kind, source, begun), row.New(), 0, cache.Indexers{})
	err = informer.SetTransform(func(item any) (any, error) { return f.transform(row, item) })
	if err == nil {
		err = informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {})
	}
	var handler cache.ResourceEventHandlerRegistration
	if err == nil {
		handler, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(now any) { f.happened(cluster.Add, row.Kind, now) },
			UpdateFunc: func(old, now any) { f.updated(row.Kind, old, now) },
			DeleteFunc: func(last any) { f.deleted(row.Kind, last) },
		})
	}
	if err != nil {
		stop()
		return nil, err
	}
	f.running.Go(func() {
		defer stop()
		informer.RunWithContext(ctx)
	})
	f.running.Go(func() {
		select {
		case <-handler.HasSyncedChecker().Done():
			begun.end(nil)
		case <-begun.done:
		case <-ctx.Done():
		}
		if begun.failed() {
			stop()
		}
		f.loading.kindIsThere()
	})
	return begun, nil
}

// failed reports whether the first list has ended with an error.
func (f *first) failed() bool {
	select {
	case <-f.done:
		return f.err != nil
	default:
		return false
	}
}

// Log is where the events go.
func (f *Feed) Log() *source.Log { return f.log }

// Opening is the part of the log that was there from the start; read only.
func (f *Feed) Opening() source.Script { return f.opening }

// Opened is the moment of the opening.
func (f *Feed) Opened() time.Time { return f.opened }

// Missing are the kinds that are not followed.
func (f *Feed) Missing() []Missing { return f.missing }

// Stop ends the following, and closes the log. It may be called again, and when the context of Follow has ended.
func (f *Feed) Stop() {
	f.stop(context.Canceled)
	<-f.ended
}

// tick moves the players' time on, until the feed ends.
func (f *Feed) tick(ctx context.Context) {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	defer close(f.ended)
	for {
		select {
		case <-ticker.C:
			f.reach()
		case <-ctx.Done():
			f.running.Wait()
			f.reach()
			f.close()
			return
		}
	}
}

// Answer appends a reply of the world that comes with no event. After the end of the feed it drops the reply.
func (f *Feed) Answer(r core.Reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.log.Closed() {
		f.log.Append(source.Timed{At: now(), Reply: r})
	}
}

// reach promises the log that no event before this moment will arrive.
func (f *Feed) reach() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.Reach(now())
}

// close ends the log. An answer that comes at this moment is before it, or not at all.
func (f *Feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log.Close()
}
