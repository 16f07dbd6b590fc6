package podtopologyspread

import (
	"strconv"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// story is what verdicts report of one constraint, the same for every node: written once for a cycle. The verdicts of a
// topology with few domains are written once too, for all nodes of a domain are rejected with the same words.
type story struct {
	skewIn   phrase.Text // the words without the domain's value
	atMost   trace.Value // the greatest skew allowed
	against  trace.Evidence
	missing  trace.Verdict
	verdicts []trace.Verdict // by domain; Success: none is written
}

// fewDomains is up to how many domains of a topology verdicts are written ahead: zones and racks, not hosts.
const fewDomains = 64

// tell writes the story of a constraint whose pods are counted.
func (f *check) tell(k int) {
	own := &f.census.constraints[k]
	topology := f.census.topologies[k]
	s := &f.tallies[k].told
	s.skewIn = phrase.Text("skew of %s in domain %s").With(own.key)
	s.atMost = trace.Wordsf("at most %s", strconv.Itoa(int(own.maxSkew)))
	s.against = f.against(k)
	if !topology.Complete {
		s.missing = trace.Verdict{
			Code: trace.UnschedulableAndUnresolvable, Reasons: reasonsLabel[:],
			Evidence: []trace.Evidence{{What: "topology label", Want: trace.Text(own.key), Have: trace.Words("no such label")}},
		}
	}
	if len(topology.Values) > fewDomains {
		return
	}
	for d := range topology.Values {
		if f.skew(k, int32(d)) <= int64(own.maxSkew) {
			continue
		}
		if s.verdicts == nil {
			s.verdicts = make([]trace.Verdict, len(topology.Values))
		}
		s.verdicts[d] = f.tooMuch(k, int32(d))
	}
}

// failed is the verdict on a node whose first failing constraint is k.
func (f *check) failed(k int, node *cluster.Node) trace.Verdict {
	v := f.verdict(k, node)
	shared := true
	for next := k + 1; next < len(f.tallies); next++ {
		more := f.verdict(next, node)
		if more.OK() {
			continue
		}
		if shared {
			v.Evidence = append(make([]trace.Evidence, 0, len(v.Evidence)+len(more.Evidence)), v.Evidence...)
			shared = false
		}
		v.Evidence = append(v.Evidence, more.Evidence...)
	}
	return v
}

// verdict is one constraint's answer on a node.
func (f *check) verdict(k int, node *cluster.Node) trace.Verdict {
	d := f.census.topologies[k].Of[node.Index()]
	t := &f.tallies[k]
	switch {
	case d < 0:
		return t.told.missing
	case len(f.changes) == 0 && t.told.verdicts != nil:
		return t.told.verdicts[d]
	case f.skew(k, d) <= int64(f.census.constraints[k].maxSkew):
		return trace.Verdict{}
	}
	return f.tooMuch(k, d)
}

// tooMuch is the verdict on a domain whose skew would be too great: the skew and the pods that are there already, and
// what it is measured against.
func (f *check) tooMuch(k int, d int32) trace.Verdict {
	told := &f.tallies[k].told
	against := told.against
	if len(f.changes) > 0 {
		against = f.against(k)
	}
	return trace.Verdict{Code: trace.Unschedulable, Reasons: reasonsSkew[:], Evidence: []trace.Evidence{
		{
			What: told.skewIn.With(f.census.topologies[k].Values[d]), Want: told.atMost,
			Have: trace.Count(f.skew(k, d)), Used: trace.Count(f.count(k, d)),
		},
		against,
	}}
}

// against is what skews are measured against: the emptiest domain, or that there are too few domains.
func (f *check) against(k int) trace.Evidence {
	own := &f.census.constraints[k]
	least, where := f.minimum(k)
	if where != absent {
		return trace.Evidence{
			What: phrase.Textf("fewest matching pods, in domain %s", f.census.topologies[k].Values[where]),
			Have: trace.Count(least),
		}
	}
	return trace.Evidence{
		What: "domains", Want: trace.Wordsf("at least %s", strconv.Itoa(int(own.minDomains))),
		Have: trace.Count(int64(f.tallies[k].domains)),
	}
}
