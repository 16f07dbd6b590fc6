package trace

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Topic is the kind of thing that a piece of evidence compares.
type Topic uint8

// The topics. A plugin that finds none of them fitting leaves OfAnything and has all in What.
const (
	OfAnything    Topic = iota
	OfResource          // an amount of a resource: Want, Have, Used and Capacity are numbers in its unit
	OfLabel             // one label of the node that must have the value Want
	OfExpression        // one label of the node that must satisfy the expression Want
	OfField             // one field of the node
	OfDevice            // a device that a claim could have got
	OfGate              // a scheduling gate of the pod
	OfTaint             // a taint of the node, which the pod does not tolerate
	OfGroupMember       // how many pods of a group there are
)

// named are the formats of topics where What is a name alone; "" for the others.
var named = [...]string{
	OfResource: "%s", OfLabel: "label %s", OfExpression: "label %s", OfField: "field %s", OfDevice: "device %s",
	OfGate: "scheduling gate %s", OfTaint: "%s", OfGroupMember: "pods of %s",
}

// Evidence is one comparison behind a verdict or a score: what was wanted against what there was. Fields that
// mean nothing for a comparison are zero.
type Evidence struct {
	Topic    Topic       // what kind of thing was compared
	Term     uint16      // which of several terms it belongs to, from 1; 0: there is only one
	What     phrase.Text // its name: "cpu", "disktype"; with OfAnything in words: "domain topology.kubernetes.io/zone=a"
	Want     Value       // what the pod needs
	Have     Value       // what is left for it, or what stands there in its place
	Used     Value       // what others hold already
	Capacity Value       // what there is in all
	By       []string    // pods that stand in the way, as namespace/name, in the order of weight, then name
}

// Name is What for topics where it is a name alone.
func (e Evidence) Name() string { return string(e.What) }

// Subject names what was compared: "cpu", "label disktype", "term 2: label zone".
func (e Evidence) Subject() phrase.Phrase {
	var s phrase.Phrase
	if int(e.Topic) < len(named) && named[e.Topic] != "" {
		s = phrase.Phrase{Format: named[e.Topic], Values: []any{e.Name()}}
	} else {
		s = e.What.Phrase()
	}
	if e.Term > 0 {
		return phrase.New("term %d: %s", e.Term, s)
	}
	return s
}

// Short is how much less there is than is wanted, in the unit of the comparison; false when the comparison is not one
// of amounts, or nothing is short.
func (e Evidence) Short() (Value, bool) {
	want, wants := e.Want.Number()
	have, has := e.Have.Number()
	if !wants || !has || have >= want {
		return Value{}, false
	}
	return e.Want.With(want - have), true
}

// String is the evidence in words: "cpu: wants 2, has 500m (capacity 4, used 3500m); by a/b".
func (e Evidence) String() string {
	var b strings.Builder
	b.WriteString(e.Subject().String())
	b.WriteString(":")
	separator := " "
	part := func(word string, v Value) {
		if v.IsZero() {
			return
		}
		b.WriteString(separator)
		separator = ", "
		b.WriteString(word)
		b.WriteString(" ")
		b.WriteString(v.String())
	}
	part("wants", e.Want)
	part("has", e.Have)
	part("used", e.Used)
	part("capacity", e.Capacity)
	if len(e.By) > 0 {
		b.WriteString("; by ")
		b.WriteString(strings.Join(e.By, ", "))
	}
	return b.String()
}
