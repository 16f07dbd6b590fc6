package trace

import (
	"strconv"
	"strings"
)

// Topic is the kind of thing that a piece of evidence compares.
type Topic uint8

// The topics. A plugin that finds none of them fitting leaves OfAnything and says all in What.
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

// named are the words in front of What, for topics where What is a bare name.
var named = [...]string{
	OfLabel: "label ", OfExpression: "label ", OfField: "field ", OfDevice: "device ", OfGate: "scheduling gate ",
	OfGroupMember: "pods of ",
}

// Evidence is one comparison behind a verdict or a score: what was wanted against what there was. Fields that
// mean nothing for a comparison are zero.
type Evidence struct {
	Topic    Topic    // what kind of thing was compared
	Term     uint16   // which of several terms it belongs to, from 1; 0: there is only one
	What     string   // its name: "cpu", "disktype"; with OfAnything in words: "domain topology.kubernetes.io/zone=a"
	Want     Value    // what the pod needs
	Have     Value    // what is left for it, or what stands there in its place
	Used     Value    // what others hold already
	Capacity Value    // what there is in all
	By       []string // who stands in the way, as namespace/name, in the order of weight, then name
}

// Subject names what was compared: "cpu", "label disktype", "term 2: label zone".
func (e Evidence) Subject() string {
	s := e.What
	if int(e.Topic) < len(named) {
		s = named[e.Topic] + s
	}
	if e.Term > 0 {
		s = "term " + strconv.Itoa(int(e.Term)) + ": " + s
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
	b.WriteString(e.Subject())
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
