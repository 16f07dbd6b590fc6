package trace

import (
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Use is how much of something a pod holds on the node that is short of it.
type Use struct {
	What      string // as Evidence.What
	Pod       string // namespace/name
	Amount    Value
	Nominated bool // it is not on the node, which is kept for it
}

// Advice is what the check that rejected a node knows beyond its verdict.
type Advice struct {
	Users   []Use    // of what is short there, in the order of the evidence, the largest first
	Changes []Change // each of them alone would make the check accept the node
}

// ChangeKind is what would have to be changed.
type ChangeKind uint8

// The kinds of changes, the smallest intervention first.
const (
	RequestLess     ChangeKind = iota // the pod requests less
	FreeOnNode                        // as much becomes free on the node
	TolerateTaint                     // the pod gets tolerations
	LabelNode                         // the node gets labels
	UncordonNode                      // the node takes new pods again
	SatisfyEvidence                   // what the evidence wants comes true; the check knows nothing better
)

// Change is something that would turn one plugin's rejection into Success. All its parts are needed together.
type Change struct {
	Kind  ChangeKind
	Parts []ChangePart
}

// ChangePart is one thing that has to be changed. Fields that mean nothing for the kind are zero.
type ChangePart struct {
	What string      // the resource, the taint, or the label's key
	Says phrase.Text // with SatisfyEvidence, in place of What: what the evidence compares
	By   Value       // by how much
	To   Value       // what it is afterwards
}

// Key is equal for equal changes, and for no others.
func (c Change) Key() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(c.Kind)))
	for _, p := range c.Parts {
		b.WriteString("\n" + p.What + p.Says.String() + "\t" + p.By.String() + "\t" + p.To.String())
	}
	return b.String()
}
