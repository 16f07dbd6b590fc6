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

	"github.com/schedstep/schedstep/conformance/shrink"
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

// catch is a finding with the history that shows it, made small.
type catch struct {
	seed    uint64
	finding Finding
	drawn   int // acts of the history as it was drawn
	history History
}

// Total is what a search came to.
type Total struct {
	histories, acts, attempts, judged, parked int
	virtual, took                             time.Duration
	catches                                   []catch        // the first two of every kind
	found                                     map[string]int // by kind
}

// String is the total on one line.
func (t Total) String() string {
	text := fmt.Sprintf(
		"%d histories, %d acts, %d attempts, %d times at rest, %d pods set aside and rightly so, %s of virtual time in %s",
		t.histories, t.acts, t.attempts, t.judged, t.parked, t.virtual.Round(time.Minute), t.took.Round(time.Second),
	)
	for _, i := range sortedKeys(t.found) {
		text += fmt.Sprintf("; %s: %d", i, t.found[i])
	}
	return text
}

// Run searches. It reports what it does to the log of the test, and fails no test: the caller judges the total.
func (s Search) Run(t *testing.T) Total {
	t.Helper()
	total := Total{found: map[string]int{}}
	began, told := time.Now(), time.Now()
	for n := 0; s.Seeds == 0 || n < s.Seeds; n++ {
		if s.For > 0 && time.Since(began) > s.For {
			break
		}
		seed := s.From + uint64(n) //nolint:gosec // not negative
		h := draw(seed)
		report := Play(t, h, s.New, s.Options)
		total.add(h, report)
		total.took = time.Since(began)
		enough := false
		for _, f := range report.Findings {
			total.found[f.Kind()]++
			enough = enough || f.Invariant == s.Enough
			if total.found[f.Kind()] > 2 {
				t.Logf("seed %d: %s (%s)", seed, f, f.Kind())
			} else {
				c := s.reduce(t, seed, h, f)
				total.catches = append(total.catches, c)
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
	return slices.ContainsFunc(sortedKeys(t.found), func(kind string) bool { return strings.HasPrefix(kind, string(i)) })
}

func (t *Total) add(h History, r Report) {
	t.histories++
	t.acts += h.acts()
	t.attempts += r.attempts
	t.judged += r.judged
	t.parked += r.parked
	t.virtual += r.virtual
}

// Play plays a history in a bubble of its own.
func Play(t *testing.T, h History, start New, o Options) (report Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if report, err = play(h, start, o); err != nil {
			t.Fatal(err)
		}
	})
	return report
}

// String has the finding and every act that it needs.
func (c catch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d of %d acts, standby %t:\n", c.finding, c.history.acts(), c.drawn, c.history.Standby)
	for n, chapter := range c.history.Chapters {
		for _, a := range chapter {
			fmt.Fprintf(&b, "  %d %s\n", n+1, a)
		}
	}
	return b.String()
}

func (s Search) keep(t *testing.T, c catch) {
	t.Helper()
	if s.Into == "" {
		return
	}
	document, err := c.history.Document()
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile("[^a-zA-Z]+").ReplaceAllString(c.finding.Kind(), "-")
	name := fmt.Sprintf("%.100s-%d.yaml", word, c.seed)
	heading := fmt.Sprintf("# seed %d: %s\n", c.seed, c.finding)
	if err := os.WriteFile(filepath.Join(s.Into, name), []byte(heading+document), 0o600); err != nil {
		t.Fatal(err)
	}
}

// reduce leaves out chapters and acts for as long as a finding of the same kind comes out.
func (s Search) reduce(t *testing.T, seed uint64, h History, f Finding) catch {
	t.Helper()
	c := catch{seed: seed, finding: f, drawn: h.acts(), history: h}
	if s.Whole {
		return c
	}
	shows := func(smaller History) bool {
		for range 2 { // kube-scheduler throws dice
			for _, other := range Play(t, smaller, s.New, s.Options).Findings {
				if other.Kind() == f.Kind() {
					c.finding, c.history = other, smaller
					return true
				}
			}
		}
		return false
	}
	tries := 200
	h.Chapters, tries = shrink.List(h.Chapters, tries, func(chapters [][]Act) bool {
		smaller := h
		smaller.Chapters = chapters
		return shows(smaller)
	})
	h.Chapters = slices.Clone(h.Chapters)
	for before := -1; before != h.acts() && tries > 0; {
		before = h.acts()
		for n := range h.Chapters {
			h.Chapters[n], tries = shrink.List(h.Chapters[n], tries, func(acts []Act) bool {
				smaller := h
				smaller.Chapters = slices.Clone(h.Chapters)
				smaller.Chapters[n] = acts
				return shows(smaller)
			})
		}
	}
	return c
}
