//go:build e2e

package e2e_test

import (
	"os"
	"os/signal"
	"testing"
)

// A shell keeps Ctrl-C from what it runs in the background, and a program hands that on to those that it starts. The
// tests end schedstep with Ctrl-C, so what they start must receive it.
func TestMain(m *testing.M) {
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	os.Exit(m.Run())
}
