package trace

import (
	"slices"
	"strings"
)

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
	i := slices.Index(codeNames[:], name)
	return Code(max(i, 0)), i >= 0
}

// Rejects reports whether the code means "not here, not now": Unschedulable, UnschedulableAndUnresolvable or Pending.
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

// OK reports whether the verdict is Success.
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

// AnswerIn is the answer of a plugin that a fact is, about a pod or its group; false: the fact is no such answer. Those
// about single nodes are in the Matrix of Filtered.
func AnswerIn(f Fact) (plugin string, v Verdict, is bool) {
	switch f := f.(type) {
	case PreFiltered:
		return f.Plugin, f.Verdict, true
	case PostFiltered:
		return f.Plugin, f.Verdict, true
	case PreScored:
		return f.Plugin, f.Verdict, true
	case Ran:
		return f.Plugin, f.Verdict, true
	case Generated:
		return f.Plugin, f.Verdict, true
	case Feasible:
		return f.Plugin, f.Verdict, true
	}
	return "", Verdict{}, false
}
