package history

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core/cluster"
)

// The reasons why a write made no version, or a doubtful one.
const (
	noBody      = "without a body"
	noBase      = "of an object that the log does not have"
	notDecoded  = "with a body that cannot be read"
	notApplied  = "with a patch that does not apply"
	missedWrite = "after a write that is missing"
)

// Report is how complete a history is.
type Report struct {
	From, To time.Time // the first and the last write
	Servers  int       // files or streams
	Writes   int       // of kinds that are read
	Kinds    []KindCount
	Gaps     []Gap

	Unchanged  int // objects of a dump that the log does not change
	RolledBack int // objects of a dump, as they were before
	Mentioned  int // objects from their first mention
	OnlyNamed  int // objects that the log names and does not show
	After      int // objects of a dump that are younger than the log
	Unnamed    int // objects whose name is in no entry
	Collected  int // objects that a deletecollection is assumed to have taken

	Bindings  map[string]int // by the user that made them
	Evictions int

	Holed, Timed int           // writes without a revision that found a hole; that are placed by time alone
	Missing      int           // revisions between the first and the last that no entry has
	Skew         time.Duration // by which clocks of servers disagree at most
}

// KindCount is how many versions of a kind there are.
type KindCount struct {
	Kind                    cluster.Kind
	Exact, Derived, Guessed int
}

// Gap is writes of one kind in one minute that made no version, or a doubtful one.
type Gap struct {
	Kind   cluster.Kind
	Minute time.Time
	Why    string
	Count  int
}

func (r *Report) begin(writes []*Write) {
	r.Bindings = map[string]int{}
	r.Writes = len(writes)
	var servers []int32
	for i := range writes {
		if !slices.Contains(servers, writes[i].Server) {
			servers = append(servers, writes[i].Server)
		}
	}
	r.Servers = len(servers)
}

func (r *Report) end(writes []*Write, marks []Mark) {
	if len(writes) == 0 {
		return
	}
	r.From, r.To = writes[0].At, writes[len(writes)-1].At
	all := make([]uint64, 0, len(marks)+len(writes))
	for _, m := range marks {
		all = append(all, m.Revision)
	}
	for i := range writes {
		all = append(all, writes[i].Revision)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > 0 && all[0] == 0 {
		all = all[1:]
	}
	if n := len(all); n > 1 {
		r.Missing = max(int(all[n-1]-all[0])+1-n, 0)
	}
}

func (r *Report) kind(kind cluster.Kind) *KindCount {
	for i := range r.Kinds {
		if r.Kinds[i].Kind == kind {
			return &r.Kinds[i]
		}
	}
	r.Kinds = append(r.Kinds, KindCount{Kind: kind})
	return &r.Kinds[len(r.Kinds)-1]
}

func (r *Report) version(kind cluster.Kind, origin Origin) {
	row := r.kind(kind)
	switch origin {
	case Exact:
		row.Exact++
	case Derived:
		row.Derived++
	case Guessed:
		row.Guessed++
	}
}

func (r *Report) gap(kind cluster.Kind, at time.Time, why string) {
	minute := at.Truncate(time.Minute)
	for i := range slices.Backward(r.Gaps) {
		g := &r.Gaps[i]
		if g.Minute.Before(minute) {
			break
		}
		if g.Kind == kind && g.Why == why && g.Minute.Equal(minute) {
			g.Count++
			return
		}
	}
	r.Gaps = append(r.Gaps, Gap{kind, minute, why, 1})
}

// Versions counts versions by what is known of them.
func (r *Report) Versions() (exact, derived, guessed int) {
	for _, k := range r.Kinds {
		exact, derived, guessed = exact+k.Exact, derived+k.Derived, guessed+k.Guessed
	}
	return exact, derived, guessed
}

// Incomplete reports whether something was there of which the history has nothing, or no more than a guess.
func (r *Report) Incomplete() bool { return r.Mentioned+r.OnlyNamed+len(r.Gaps) > 0 }

// Absent lists the kinds that kube-scheduler reads and the history has no version of: they are unknown, not empty.
func (r *Report) Absent() []cluster.Kind {
	var absent []cluster.Kind
	for _, kind := range cluster.Kinds() {
		if !slices.ContainsFunc(r.Kinds, func(k KindCount) bool { return k.Kind == kind }) {
			absent = append(absent, kind)
		}
	}
	return absent
}
