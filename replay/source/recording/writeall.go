package recording

import (
	"bytes"
	"context"
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// batch are events whose objects are encoded together, on all CPUs, while the next ones are read.
type batch struct {
	writer *Writer
	events []stamped
	done   sync.WaitGroup
}

// stamped is an event with its moment.
type stamped struct {
	at      time.Time
	event   cluster.Event
	object  bytes.Buffer // of encoded
	encoded []byte
	err     error
}

// mostTogether is how many events a batch has.
const mostTogether = 512

// WriteAll appends events as Write does, one after the other, until there are no more or the context ends. It encodes
// objects on all CPUs; the events are read by the caller's goroutine, and their objects must not change afterwards.
func (w *Writer) WriteAll(ctx context.Context, events iter.Seq2[time.Time, cluster.Event]) error {
	now, before := &batch{writer: w}, &batch{writer: w}
	for at, e := range events {
		now.take(at, e)
		if len(now.events) < mostTogether {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		now.encode()
		if err := before.write(); err != nil {
			now.done.Wait()
			return err
		}
		now, before = before, now
	}
	now.encode()
	if err := before.write(); err != nil {
		now.done.Wait()
		return err
	}
	return now.write()
}

// take adds an event, in memory that was used before if there is some.
func (b *batch) take(at time.Time, e cluster.Event) {
	if len(b.events) < cap(b.events) {
		b.events = b.events[:len(b.events)+1]
	} else {
		b.events = append(b.events, stamped{})
	}
	s := &b.events[len(b.events)-1]
	s.at, s.event = at, e
}

// encode begins to encode the objects.
func (b *batch) encode() {
	workers := runtime.GOMAXPROCS(0)
	for n := range workers {
		b.done.Go(func() {
			for i := n; i < len(b.events); i += workers {
				s := &b.events[i]
				s.encoded, s.err = b.writer.encoded(s.event, &s.object)
			}
		})
	}
}

// write appends the events when they are encoded, and empties the batch.
func (b *batch) write() error {
	b.done.Wait()
	for i := range b.events {
		s := &b.events[i]
		if err := b.writer.add(s.at, s.event, s.encoded, s.err); err != nil {
			return err
		}
		s.event = cluster.Event{}
	}
	b.events = b.events[:0]
	return nil
}
