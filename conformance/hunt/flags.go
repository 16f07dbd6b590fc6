package hunt

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Asked is the search that the environment names: SCHEDSTEP_HUNT_FROM is the first seed, SCHEDSTEP_HUNT_SEEDS how many,
// SCHEDSTEP_HUNT_FOR how long, SCHEDSTEP_HUNT_INTO where what is found is written. Without them it plays so many seeds
// as byDefault says.
func Asked(t *testing.T, start New, byDefault int) Search {
	t.Helper()
	s := Search{New: start, Into: os.Getenv("SCHEDSTEP_HUNT_INTO")}
	var err error
	if said := os.Getenv("SCHEDSTEP_HUNT_FROM"); said != "" {
		if s.From, err = strconv.ParseUint(said, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if said := os.Getenv("SCHEDSTEP_HUNT_SEEDS"); said != "" {
		if s.Seeds, err = strconv.Atoi(said); err != nil {
			t.Fatal(err)
		}
	}
	if said := os.Getenv("SCHEDSTEP_HUNT_FOR"); said != "" {
		if s.For, err = time.ParseDuration(said); err != nil {
			t.Fatal(err)
		}
	}
	if s.Seeds == 0 && s.For == 0 {
		s.Seeds = byDefault
	}
	return s
}

// Replayed plays the history in the file SCHEDSTEP_HUNT_HISTORY, which a search has written, and logs what happens in
// it; false if the environment names none.
func Replayed(t *testing.T, start New) bool {
	t.Helper()
	path := os.Getenv("SCHEDSTEP_HUNT_HISTORY")
	if path == "" {
		return false
	}
	document, err := os.ReadFile(path) //nolint:gosec // the file that was asked for
	if err != nil {
		t.Fatal(err)
	}
	h, err := Read(document)
	if err != nil {
		t.Fatal(err)
	}
	Play(t, h, start, Options{Log: func(line string) { t.Log(line) }})
	return true
}
