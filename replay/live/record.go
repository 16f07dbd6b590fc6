package live

import (
	"context"
	"time"

	"github.com/schedstep/schedstep/replay/recording"
)

// flushTime is how often what was written is handed on: a program that is killed loses no more than that.
const flushTime = time.Second

// Record writes what the feed brings to a recording, from the opening on, until the feed or ctx ends or the recording
// has mostBytes (0: no end). It forgets what it has written: nobody else can read the log from its start. tell, which
// may be nil, is told each second how many events are written. It does not close the recording.
func (f *Feed) Record(ctx context.Context, w *recording.Writer, mostBytes int64, tell func(events int)) error {
	flush := time.NewTicker(flushTime)
	defer flush.Stop()
	for events := 0; ; {
		changed, closed := f.log.Changed(), f.log.Closed()
		for _, t := range f.log.From(events) {
			if err := w.Write(t.At, t.Event); err != nil {
				return err
			}
			events++
		}
		f.log.Drop(events)
		if full := mostBytes > 0 && w.Bytes() >= mostBytes; closed || full || ctx.Err() != nil {
			return w.Flush()
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-flush.C:
			if err := w.Flush(); err != nil {
				return err
			}
			if tell != nil {
				tell(events)
			}
		}
	}
}
