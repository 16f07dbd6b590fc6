package e2e

import (
	"context"
	"fmt"
	"time"
)

// awaitTime is how long Await waits. What it waits for comes in seconds, and on a machine that is busy with much other
// work in minutes: no test should fail by that.
const awaitTime = 10 * time.Minute

// Await polls until something is done.
func Await(ctx context.Context, done func(context.Context) (bool, error)) error {
	return AwaitFor(ctx, awaitTime, done)
}

// AwaitFor polls until something is done, and gives up after a time.
func AwaitFor(ctx context.Context, patience time.Duration, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if is, err := done(ctx); is || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it did not come: %w", context.Cause(ctx))
		case <-time.After(retryTime):
		}
	}
}

// AwaitCalm polls until nothing is busy, a mark has been the same for a time, and something is so then. It reports
// false when that is not so after a time in which all was calm, and an error when it does not get calm.
func AwaitCalm(
	ctx context.Context, calm, patience time.Duration, mark func() (mark, busy string), is func() bool,
) (bool, error) {
	last, since, until := "", time.Now(), time.Now().Add(patience)
	for {
		now, busy := mark()
		if busy != "" || now != last {
			last, since = now, time.Now()
		}
		late := time.Now().After(until)
		switch {
		case busy == "" && time.Since(since) >= calm && is():
			return true, nil
		case busy == "" && time.Since(since) >= calm && late:
			return false, nil
		case time.Now().After(until.Add(awaitTime)):
			return false, fmt.Errorf("it does not become quiet: %s", busy)
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(lookTime):
		}
	}
}

// Pause waits for a time, or until the context ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Every does something again and again, with a pause after each time, until the context ends.
func Every(ctx context.Context, pause time.Duration, do func()) {
	for ctx.Err() == nil {
		do()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// PauseUntil waits for a moment, or until the context ends.
func PauseUntil(ctx context.Context, at time.Time) { Pause(ctx, time.Until(at)) }

// FullMinute is the first full minute that is not before so long from now.
func FullMinute(from time.Duration) time.Time {
	return time.Now().Add(from + 59*time.Second).Truncate(time.Minute)
}
