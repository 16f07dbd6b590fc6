package input

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source/audit"
	"github.com/schedstep/schedstep/replay/source/history"
)

func (in *Report) note(format string, args ...any) {
	in.Notices = append(in.Notices, phrase.Textf(format, args...))
}

// ofAudit notes what audit logs had, and what of them was lost.
func (in *Input) ofAudit(log *audit.Log, r history.Report) {
	c := log.Counts
	switch {
	case c.Scheduler != "":
		in.Release, in.Told = c.Scheduler, "its scheduler's user agent says so"
	case c.Server != "":
		in.Release, in.Told = c.Server, "its API server's user agent says so"
	case in.release != "":
		in.Release, in.Told = in.release, "its nodes say so"
	}
	in.note("audit logs of %s, %s to %s: %s, %s that happened",
		phrase.Count(r.Servers, "API server", "API servers"), clock(r.From), clock(r.To),
		phrase.Count(int(c.Entries), "entry", "entries"), phrase.Count(r.Writes, "write", "writes"))
	in.note("level of the writes: %d with the object that was answered, %d with what was sent, %d with neither",
		c.Response, c.Request, c.Metadata)
	for _, lost := range []struct {
		n         int
		one, many string
		is        phrase.Text
	}{
		{c.Broken, "line", "lines", "no audit entry, or cut"},
		{c.Truncated, "entry", "entries", "cut for its size by the API server or the log service"},
		{c.Undecoded, "body", "bodies", "of a kind that is read, and cannot be decoded"},
		{c.Panics, "write", "writes", "without an answer: whether it happened is unknown"},
	} {
		if lost.n > 0 {
			in.Refused = append(in.Refused, phrase.Textf("audit logs: left out %s (%s)",
				phrase.Count(lost.n, lost.one, lost.many), lost.is))
		}
	}
	if c.Twice > 0 {
		in.note("audit logs: %s there twice; each counts once", phrase.Count(c.Twice, "write is", "writes are"))
	}
	if c.Outside > 0 {
		in.note("audit logs: %s after --to", phrase.Count(c.Outside, "write lies", "writes lie"))
	}
	if c.Refused > 0 {
		in.note("audit logs: a PodDisruptionBudget refused %s", phrase.Count(c.Refused, "eviction", "evictions"))
	}
	if c.Full {
		in.Refused = append(in.Refused,
			"audit logs: left out what comes after the bodies that --max-input allows (--to ends earlier)")
	}
}

// ofReport notes how complete a history is.
func (in *Input) ofReport(r history.Report) {
	in.note("objects at the beginning: %d of the dump that the log does not change, %d of the dump as they were before, "+
		"%d from their first mention, %d only named", r.Unchanged, r.RolledBack, r.Mentioned, r.OnlyNamed)
	exact, derived, guessed := r.Versions()
	in.note("versions: %d exact, %d derived by rule, %d with a guess", exact, derived, guessed)
	var kinds []string
	for _, k := range r.Kinds {
		if k.Guessed > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %d of %d", k.Kind, k.Guessed, k.Exact+k.Derived+k.Guessed))
		}
	}
	if len(kinds) > 0 {
		in.note("versions with a guess by kind: %s", strings.Join(kinds, ", "))
	}
	if r.Evictions > 0 {
		in.note("audit logs: %s that happened", phrase.Count(r.Evictions, "eviction", "evictions"))
	}
	in.ofOrder(r)
	in.ofGaps(r.Gaps)
	in.ofBindings(r.Bindings)
}

// ofBindings notes how many bindings each scheduler made.
func (in *Report) ofBindings(by map[string]int) {
	users := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(by[b]-by[a], cmp.Compare(a, b))
	})
	for _, user := range users {
		in.note("real decisions: %s by %s", phrase.Count(by[user], "binding", "bindings"),
			cmp.Or(phrase.Verbatim(user), "a user that is not named"))
	}
}

// ofOrder notes what is not certain about the order of writes.
func (in *Report) ofOrder(r history.Report) {
	if r.Holed > 0 {
		in.note("order: %s without a revision; each has the free one nearest to its moment",
			phrase.Count(r.Holed, "write is", "writes are"))
	}
	if r.Timed > 0 {
		in.note("order: %s by time alone", phrase.Count(r.Timed, "write is ordered", "writes are ordered"))
	}
	if r.Missing > 0 {
		in.note("order: %s in no entry: objects that no policy logs, or writes that are missing",
			phrase.Count(r.Missing, "revision is", "revisions are"))
	}
	if r.Skew > time.Second {
		in.note("clocks of the API servers disagree by up to %s; the order is that of revisions",
			r.Skew.Round(time.Millisecond))
	}
	if r.Unnamed > 0 {
		in.note("%s in no entry: it has a made name", phrase.Count(r.Unnamed, "name of an object is", "names of objects are"))
	}
	if r.Collected > 0 {
		in.note("%s by a deletecollection is a guess: the log does not list them",
			phrase.Count(r.Collected, "deletion", "deletions"))
	}
}

// ofGaps notes what is missing: for each reason the kinds, and the minutes from the first to the last.
func (in *Report) ofGaps(gaps []history.Gap) {
	var reasons []string
	kinds := map[string][]history.Gap{}
	first, last := map[string]time.Time{}, map[string]time.Time{}
	for _, g := range gaps {
		if kinds[g.Why] == nil {
			reasons = append(reasons, g.Why)
			first[g.Why] = g.Minute
		}
		last[g.Why] = later(last[g.Why], g.Minute)
		i := slices.IndexFunc(kinds[g.Why], func(k history.Gap) bool { return k.Kind == g.Kind })
		if i < 0 {
			kinds[g.Why] = append(kinds[g.Why], g)
			continue
		}
		kinds[g.Why][i].Count += g.Count
	}
	for _, why := range reasons {
		var parts []string
		for _, k := range kinds[why] {
			parts = append(parts, fmt.Sprintf("%s %d", k.Kind, k.Count))
		}
		in.note("gap, %s to %s: writes %s: %s", first[why].UTC().Format("15:04"), last[why].UTC().Format("15:04"), why,
			strings.Join(parts, ", "))
	}
}

// clock is a moment in a sentence, to the second.
func clock(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") }
