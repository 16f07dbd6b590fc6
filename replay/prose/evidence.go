package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
)

// compared is a comparison in words: "cpu: wants 2, 500m free (3500m of 4 used); largest users: default/b 2". Users are
// those of the thing that is compared; others are passed over.
func compared(e trace.Evidence, users []trace.Use) string {
	said := comparison(&e)
	if e.Term > 0 {
		said = fmt.Sprintf(textTerm, e.Term, said)
	}
	if len(e.By) > 0 && e.Topic != trace.OfDevice {
		by := textBecauseOf
		if !e.Capacity.IsZero() {
			by = textLargest
		}
		said += fmt.Sprintf(by, strings.Join(e.By, ", "))
	}
	var who []string
	for _, u := range users {
		if u.What == e.What {
			who = append(who, fmt.Sprintf(textUser, u.Pod, u.Amount))
		}
	}
	if len(who) > 0 {
		said += fmt.Sprintf(textLargest, strings.Join(who, ", "))
	}
	return said
}

// comparison is what was wanted against what there is.
func comparison(e *trace.Evidence) string {
	switch e.Topic {
	case trace.OfResource:
		return amounts(e)
	case trace.OfLabel:
		return label(e, fmt.Sprintf(textEquals, e.What, e.Want))
	case trace.OfExpression:
		return label(e, fmt.Sprintf(textExpression, e.What, e.Want))
	case trace.OfDevice:
		if len(e.By) > 0 {
			return fmt.Sprintf(textDeviceTaken, e.What, strings.Join(e.By, ", "))
		}
	case trace.OfAnything, trace.OfField, trace.OfGate, trace.OfTaint, trace.OfGroupMember:
	}
	return anything(e)
}

// amounts compares what is requested of a resource with what is free of it.
func amounts(e *trace.Evidence) string {
	said := fmt.Sprintf(textAmounts, e.What, e.Want, e.Have)
	if e.Want.IsZero() {
		said = fmt.Sprintf(textFreeOf, e.What, e.Have)
	}
	if e.Capacity.IsZero() {
		return said
	}
	return said + fmt.Sprintf(textUsedOf, e.Used, e.Capacity)
}

// label compares a label of the node with what it must be.
func label(e *trace.Evidence, needs string) string {
	if e.Have.IsAbsent() {
		return fmt.Sprintf(textNoLabel, needs)
	}
	return fmt.Sprintf(textOtherLabel, needs, e.What, e.Have)
}

// anything compares things that have no words of their own.
func anything(e *trace.Evidence) string {
	subject := trace.Evidence{Topic: e.Topic, What: e.What}.Subject()
	var parts []string
	add := func(text string, v trace.Value) {
		if !v.IsZero() {
			parts = append(parts, fmt.Sprintf(text, v))
		}
	}
	add(textWants, e.Want)
	has := textHas
	if e.Want.IsZero() && e.Capacity.IsZero() && e.Used.IsZero() { // a figure, compared with nothing
		has = textFigure
	}
	add(has, e.Have)
	switch _, counted := e.Used.Number(); {
	case !e.Capacity.IsZero():
		add(textUsed, e.Used)
	case counted:
		add(textThere, e.Used)
	default:
		add(textTaken, e.Used)
	}
	add(textCapacity, e.Capacity)
	if len(parts) == 0 {
		return subject
	}
	return fmt.Sprintf(textMeets, subject, strings.Join(parts, ", "))
}
