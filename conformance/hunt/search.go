package hunt

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Search plays one seed after the other.
type Search struct {
	From  uint64
	Seeds int           // 0: as many as there is time for
	For   time.Duration // 0: as long as the seeds take
	New   New
	Options
	Into string // the folder that reduced histories are written to; "": none is
	// Enough ends the search at the first finding of this invariant; "": it goes on.
	Enough Invariant
	// Whole leaves what is found as it was drawn.
	Whole bool
}

// Catch is a finding with the history that shows it, made small.
type Catch struct {
	Seed    uint64
	Finding Finding
	Drawn   int // acts of the history as it was drawn
	History History
}

// Total is what a search came to.
type Total struct {
	Histories, Acts, Attempts, Judged, Parked int
	Virtual, Took                             time.Duration
	Catches                                   []Catch        // the first two of every kind
	Found                                     map[string]int // by kind
}

// String is the total on one line.
func (t Total) String() string {
	text := fmt.Sprintf(
		"%d histories, %d acts, %d attempts, %d times at rest, %d pods set aside and rightly so, %s of virtual time in %s",
		t.Histories, t.Acts, t.Attempts, t.Judged, t.Parked, t.Virtual.Round(time.Minute), t.Took.Round(time.Second),
	)
	for _, i := range sortedKeys(t.Found) {
		text += fmt.Sprintf("; %s: %d", i, t.Found[i])
	}
	return text
}

// Run searches. It reports what it does to the log of the test, and fails no test: the caller judges the total.
func (s Search) Run(t *testing.T) Total {
	t.Helper()
	total := Total{Found: map[string]int{}}
	began, told := time.Now(), time.Now()
	for n := 0; s.Seeds == 0 || n < s.Seeds; n++ {
		if s.For > 0 && time.Since(began) > s.For {
			break
		}
		seed := s.From + uint64(n) //nolint:gosec // not negative
		h := Draw(seed)
		report := s.play(t, h)
		total.add(h, report)
		total.Took = time.Since(began)
		enough := false
		for _, f := range report.Findings {
			total.Found[f.Kind()]++
			enough = enough || f.Invariant == s.Enough
			if total.Found[f.Kind()] <= 2 {
				c := s.reduce(t, seed, h, f)
				total.Catches = append(total.Catches, c)
				t.Logf("seed %d: %s\n%s", seed, f, c.String())
				s.keep(t, c)
			}
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "seed %d: %s\n", seed, total)
		}
		if enough {
			break
		}
	}
	return total
}

// Broke reports whether the invariant was broken.
func (t Total) Broke(i Invariant) bool {
	return slices.ContainsFunc(sortedKeys(t.Found), func(kind string) bool { return strings.HasPrefix(kind, string(i)) })
}

func (t *Total) add(h History, r Report) {
	t.Histories++
	t.Acts += h.Acts()
	t.Attempts += r.Attempts
	t.Judged += r.Judged
	t.Parked += r.Parked
	t.Virtual += r.Virtual
}

// play plays in a bubble of its own.
func (s Search) play(t *testing.T, h History) (report Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if report, err = Play(h, s.New, s.Options); err != nil {
			t.Fatal(err)
		}
	})
	return report
}

// String has the finding and every act that it needs.
func (c Catch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d of %d acts, standby %t:\n", c.Finding, c.History.Acts(), c.Drawn, c.History.Standby)
	for n, chapter := range c.History.Chapters {
		for _, a := range chapter {
			fmt.Fprintf(&b, "  %d %s\n", n+1, a)
		}
	}
	return b.String()
}

func (s Search) keep(t *testing.T, c Catch) {
	t.Helper()
	if s.Into == "" {
		return
	}
	document, err := c.History.Document()
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile("[^a-zA-Z]+").ReplaceAllString(c.Finding.Kind(), "-")
	name := fmt.Sprintf("%.100s-%d.yaml", word, c.Seed)
	heading := fmt.Sprintf("# seed %d: %s\n", c.Seed, c.Finding)
	if err := os.WriteFile(filepath.Join(s.Into, name), []byte(heading+document), 0o600); err != nil {
		t.Fatal(err)
	}
}

// reduce leaves out chapters and acts for as long as a finding of the same kind comes out.
func (s Search) reduce(t *testing.T, seed uint64, h History, f Finding) Catch {
	t.Helper()
	c := Catch{Seed: seed, Finding: f, Drawn: h.Acts(), History: h}
	if s.Whole {
		return c
	}
	shows := func(smaller History) bool {
		for range 2 { // kube-scheduler throws dice
			for _, other := range s.play(t, smaller).Findings {
				if other.Kind() == f.Kind() {
					c.Finding, c.History = other, smaller
					return true
				}
			}
		}
		return false
	}
	for n := len(h.Chapters) - 1; n >= 0 && len(c.History.Chapters) > 1; n-- {
		smaller := c.History
		smaller.Chapters = slices.Delete(slices.Clone(smaller.Chapters), n, n+1)
		shows(smaller)
	}
	tries := 400
	for again := true; again && tries > 0; {
		again = false
		for n := range c.History.Chapters {
			for size := max(1, len(c.History.Chapters[n])/2); size > 0; size /= 2 {
				for at := 0; at < len(c.History.Chapters[n]) && tries > 0; {
					smaller := c.History
					smaller.Chapters = slices.Clone(smaller.Chapters)
					acts := smaller.Chapters[n]
					smaller.Chapters[n] = slices.Delete(slices.Clone(acts), at, min(at+size, len(acts)))
					tries--
					if shows(smaller) {
						again = true
						continue
					}
					at += size
				}
			}
		}
	}
	return c
}
