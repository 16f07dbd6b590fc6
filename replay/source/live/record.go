package live

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// flushTime is how often what was written is handed on: a program that is killed loses no more than that.
const flushTime = time.Second

// RecordOptions set how a recording ends, and what is called with its progress. The zero value records for ever.
type RecordOptions struct {
	MostBytes int64 // 0: no end
	// Part is how long a part of the recording is. Then Next is called for another writer, to which everything that is
	// there at that moment is written first; what came before can be thrown away. 0: there is one part.
	Part time.Duration
	Next func(from time.Time) (*recording.Writer, error)
	Tell func(Recorded) // is called each second; may be nil
}

// Recorded is how far a recording is.
type Recorded struct {
	Events int           // written, in all parts
	Lag    time.Duration // the longest that an event of the last second waited until it was written
}

// Record writes the events of the feed to a recording, from the opening on, until the feed or ctx ends or the recording
// has as many bytes as it may have. It forgets what it has written: no other reader can read the log from its start. It
// does not close the recording.
func (f *Feed) Record(ctx context.Context, w *recording.Writer, o RecordOptions) error {
	r := recorder{feed: f, to: w, options: o, began: f.opened}
	if o.Part > 0 {
		r.there = map[string]cluster.Object{}
	}
	flush := time.NewTicker(flushTime)
	defer flush.Stop()
	for {
		changed, closed := f.log.Changed(), f.log.Closed()
		if err := r.write(); err != nil {
			return err
		}
		if full := o.MostBytes > 0 && r.to.Bytes() >= o.MostBytes; closed || full || ctx.Err() != nil {
			return r.to.Flush()
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-flush.C:
			if err := r.to.Flush(); err != nil {
				return err
			}
			if o.Tell != nil {
				o.Tell(r.recorded)
			}
			r.recorded.Lag = 0
		}
	}
}

// recorder writes a recording.
type recorder struct {
	feed     *Feed
	to       *recording.Writer
	options  RecordOptions
	began    time.Time                 // the part
	there    map[string]cluster.Object // by kind and key; nil: there is one part
	recorded Recorded
}

// write writes what the log has by now.
func (r *recorder) write() error {
	log := r.feed.log
	for _, t := range log.From(r.recorded.Events) {
		if r.there != nil && t.At.Sub(r.began) >= r.options.Part {
			if err := r.again(t.At); err != nil {
				return err
			}
		}
		if err := r.to.Write(t.At, t.Event); err != nil {
			return err
		}
		if r.recorded.Events++; t.At.After(r.feed.opened) {
			r.recorded.Lag = max(r.recorded.Lag, now().Sub(t.At))
		}
		r.know(t.Event)
	}
	log.Drop(r.recorded.Events)
	return nil
}

// know keeps what is there, for the next part to begin with. Events record what was decided before, and are not there.
func (r *recorder) know(e cluster.Event) {
	kind, _ := cluster.KindOf(e.Object)
	switch key := string(kind) + " " + cluster.Key(e.Object); {
	case r.there == nil || cluster.RowOf(kind).Reader == cluster.ReadToCompare:
	case e.Action == cluster.Delete:
		delete(r.there, key)
	default:
		r.there[key] = e.Object
	}
}

// again begins another part with everything that is there.
func (r *recorder) again(at time.Time) error {
	w, err := r.options.Next(at)
	if err != nil {
		return err
	}
	r.to, r.began = w, at
	var objects []cluster.Object
	for _, key := range slices.Sorted(maps.Keys(r.there)) {
		objects = append(objects, r.there[key])
	}
	inOrder(objects)
	for _, o := range objects {
		if err := w.Write(at, cluster.Event{Action: cluster.Add, Object: o}); err != nil {
			return err
		}
	}
	return nil
}
