package trace

import "strings"

// Code is a plugin's answer in one word; the words and their meaning are kube-scheduler's.
type Code uint8

// The codes of kube-scheduler 1.37, in the order of its own enumeration.
const (
	Success Code = iota
	Error
	Unschedulable
	UnschedulableAndUnresolvable
	Wait
	Skip
	Pending
)

var codeNames = [...]string{
	"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending",
}

// String is kube-scheduler's name of the code.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "Code?"
}

// CodeNamed finds a code by kube-scheduler's name of it.
func CodeNamed(name string) (Code, bool) {
	for i, n := range codeNames {
		if n == name {
			return Code(i), true
		}
	}
	return 0, false
}

// Rejects says whether the code means "not here, not now": Unschedulable, UnschedulableAndUnresolvable or Pending.
func (c Code) Rejects() bool {
	return c == Unschedulable || c == UnschedulableAndUnresolvable || c == Pending
}

// Verdict is a plugin's answer with the evidence it rests on. The zero value is Success. Reasons are
// kube-scheduler's words, byte for byte; both slices are shared and never written after the verdict was returned.
type Verdict struct {
	Code     Code
	Reasons  []string
	Evidence []Evidence
}

// OK says whether the verdict is Success.
func (v Verdict) OK() bool { return v.Code == Success }

// Message joins the reasons as kube-scheduler's Status does.
func (v Verdict) Message() string {
	if len(v.Reasons) == 1 {
		return v.Reasons[0]
	}
	return strings.Join(v.Reasons, ", ")
}

// String is the code and the reasons on one line.
func (v Verdict) String() string {
	if len(v.Reasons) == 0 {
		return v.Code.String()
	}
	return v.Code.String() + ": " + v.Message()
}

// Evidence is one comparison behind a verdict or a score: what was wanted against what there was. Fields that
// mean nothing for a comparison are zero.
type Evidence struct {
	What     string   // what was compared: "cpu", "taint", "domain topology.kubernetes.io/zone=a"
	Want     Value    // what the pod needs
	Have     Value    // what is left for it, or what stands there in its place
	Used     Value    // what others hold already
	Capacity Value    // what there is in all
	By       []string // who stands in the way, as namespace/name, in the order of weight, then name
}

// String is the evidence in words: "cpu: wants 2, has 500m (capacity 4, used 3500m); by a/b".
func (e Evidence) String() string {
	var b strings.Builder
	b.WriteString(e.What)
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
