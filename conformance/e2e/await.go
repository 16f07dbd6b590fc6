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
