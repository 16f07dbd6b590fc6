package input

import (
	"iter"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/replay/source/history"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// packed is a script whose objects are packed: a past has many versions, which may take more memory than there is as
// they are used.
type packed struct {
	vault   *history.Vault
	entries []packedEntry
}

type packedEntry struct {
	at     time.Time
	ref    history.Ref
	action cluster.Action
}

// each is the events, unpacked one by one.
func (p *packed) each() iter.Seq[source.Timed] {
	return func(yield func(source.Timed) bool) {
		for _, e := range p.entries {
			if !yield(source.Timed{At: e.at, Event: cluster.Event{Action: e.action, Object: p.vault.Get(e.ref)}}) {
				return
			}
		}
	}
}

// script is all events. A version shares the memory of the one before it as far as they are alike.
func (p *packed) script() source.Script {
	script := make(source.Script, 0, len(p.entries))
	last := map[importer.Identity]cluster.Object{}
	for t := range p.each() {
		id := importer.IdentityOf(t.Event.Object)
		if older := last[id]; older != nil {
			history.Share(t.Event.Object, older)
		}
		if last[id] = t.Event.Object; t.Event.Action == cluster.Delete {
			delete(last, id)
		}
		script = append(script, t)
	}
	return script
}

// Each is every event of the input that there is by now, one after the other.
func (in *Input) Each() iter.Seq[source.Timed] {
	if in.packed != nil {
		return in.packed.each()
	}
	return slices.Values(in.All())
}

// Len is how many events Each has.
func (in *Input) Len() int {
	if in.packed != nil {
		return len(in.packed.entries)
	}
	return len(in.All())
}

// Unpack has an input that was read as Packed be as if it had not been.
func (in *Replay) Unpack() {
	if in.packed != nil {
		in.Script, in.packed = in.packed.script(), nil
	}
}

// gathering makes an input of the versions of a past, which come in order.
type gathering struct {
	*reading
	script  packed
	before  map[importer.Identity]standing // what was there before --from
	seen    int
	release string // the newest of a kubelet
}

// standing is an object that is there, or was.
type standing struct {
	first  int // its place among all that were there
	object cluster.Object
}

// vault is where the versions are kept. What is only written to a recording is redacted before it lies in memory.
func (r *reading) vault() *history.Vault {
	v := &history.Vault{}
	if r.Packed && !r.Whole {
		v.Redact = recording.NewRedactor().Redact
	}
	return v
}

func (r *reading) gather(vault *history.Vault) *gathering {
	return &gathering{reading: r, script: packed{vault: vault}, before: map[importer.Identity]standing{}}
}

// take takes the next version.
func (g *gathering) take(v history.Version) {
	if n, is := v.Event.Object.(*corev1.Node); is && isOfACluster(n) {
		g.release = laterRelease(g.release, releaseOf(n.Status.NodeInfo.KubeletVersion))
	}
	if !g.To.IsZero() && v.At.After(g.To) {
		return
	}
	if v.At.Before(g.Since) {
		id := importer.IdentityOf(v.Event.Object)
		s, known := g.before[id]
		if !known {
			s.first = g.seen
			g.seen++
		}
		if s.object = v.Event.Object; v.Event.Action == cluster.Delete {
			s.object = nil
		}
		g.before[id] = s
		return
	}
	ref := v.Packed
	if ref == 0 {
		ref = g.script.vault.Put(v.Event.Object)
	}
	g.script.entries = append(g.script.entries, packedEntry{v.At, ref, v.Event.Action})
}

// stood are the events that make what was there at --from.
func (g *gathering) stood() []packedEntry {
	var all []standing
	for _, s := range g.before {
		if s.object != nil {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b standing) int { return a.first - b.first })
	begin := make([]importer.Object, len(all))
	for i, s := range all {
		begin[i].Object = s.object
	}
	importer.Sort(begin)
	entries := make([]packedEntry, len(begin))
	for i, o := range begin {
		object, _ := o.Object.(cluster.Object)
		entries[i] = packedEntry{g.Since.UTC(), g.script.vault.Put(object), cluster.Add}
	}
	return entries
}

// input is an input with the versions of a history.
func (g *gathering) input(names []string, report history.Report, beside *Input) *Input {
	in := &Input{
		Replay: Replay{World: Recorded, Start: report.From.Add(-time.Second)},
		Report: Report{Title: title(names), lacks: report.Absent(), Past: pastOf(report), release: g.release},
	}
	if g.Since.After(in.Start) {
		in.Start = g.Since.UTC()
	}
	g.script.entries = append(g.stood(), g.script.entries...)
	for i := range g.script.entries {
		if e := &g.script.entries[i]; e.at.Before(report.From) {
			e.at = in.Start
		}
	}
	if in.packed = &g.script; !g.Packed {
		in.Unpack()
	}
	if beside != nil {
		in.lacks = slices.DeleteFunc(in.lacks, func(k cluster.Kind) bool { return !beside.Lacks(k) })
		in.Refused, in.Notices = beside.Refused, beside.Notices
		in.Config, in.From = beside.Config, beside.From
		in.events = beside.events
	}
	return in
}
