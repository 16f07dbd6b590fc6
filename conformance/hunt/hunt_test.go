package hunt_test

import (
	"os"
	"testing"
	"testing/synctest"

	"github.com/schedstep/schedstep/conformance/hunt"
	"github.com/schedstep/schedstep/conformance/hunt/real"
)

func TestMain(m *testing.M) {
	real.Prepare()
	os.Exit(m.Run())
}

func TestHunt(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			r, err := hunt.Play(hunt.Draw(seed), real.New(nil), hunt.Options{Log: logged(t)})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("seed %d: %s", seed, f)
			}
			t.Log(seed, r.Attempts, r.Judged, r.Parked, r.Virtual)
		})
	}
}

func logged(t *testing.T) func(string) {
	if os.Getenv("HUNT_LOG") == "" {
		return nil
	}
	return func(s string) { os.Stdout.WriteString(s + "\n") }
}
