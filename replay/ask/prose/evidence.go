package prose

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/words"
)

// compared is a comparison in words: "cpu: wants 2, 500m free (3500m of 4 used); largest users: default/b 2". Users are
// those of the thing that is compared; others are passed over.
func compared(lang words.Language, e trace.Evidence, users []trace.Use) string {
	said := comparison(lang, &e)
	if e.Term > 0 {
		said = lang.Say(textTerm, e.Term, said)
	}
	if len(e.By) > 0 && e.Topic != trace.OfDevice {
		by := lang.Of(textBecauseOf)
		if !e.Capacity.IsZero() {
			by = lang.Of(textLargest)
		}
		said += fmt.Sprintf(by, strings.Join(e.By, ", "))
	}
	var who []string
	for _, u := range users {
		switch {
		case u.What != e.Name():
		case u.Nominated:
			who = append(who, lang.Say(textNominee, u.Pod, u.Amount))
		default:
			who = append(who, fmt.Sprintf(textUser, u.Pod, u.Amount))
		}
	}
	if len(who) > 0 {
		said += lang.Say(textLargest, strings.Join(who, ", "))
	}
	return said
}

// comparison is what was wanted against what there is.
func comparison(lang words.Language, e *trace.Evidence) string {
	switch e.Topic {
	case trace.OfResource:
		return amounts(lang, e)
	case trace.OfLabel:
		return label(lang, e, fmt.Sprintf(textEquals, e.Name(), e.Want))
	case trace.OfExpression:
		return label(lang, e, fmt.Sprintf(textExpression, e.Name(), e.Want))
	case trace.OfDevice:
		if len(e.By) > 0 {
			return lang.Say(textDeviceTaken, e.Name(), strings.Join(e.By, ", "))
		}
	case trace.OfAnything, trace.OfField, trace.OfGate, trace.OfTaint, trace.OfGroupMember:
	}
	return anything(lang, e)
}

// amounts compares what is requested of a resource with what is free of it.
func amounts(lang words.Language, e *trace.Evidence) string {
	said := lang.Say(textAmounts, e.Name(), e.Want, e.Have)
	if e.Want.IsZero() {
		said = lang.Say(textFreeOf, e.Name(), e.Have)
	}
	if e.Capacity.IsZero() {
		return said
	}
	return said + lang.Say(textUsedOf, e.Used, e.Capacity)
}

// label compares a label of the node with what it must be.
func label(lang words.Language, e *trace.Evidence, needs string) string {
	if e.Have.IsAbsent() {
		return lang.Say(textNoLabel, needs)
	}
	return lang.Say(textOtherLabel, needs, e.Name(), e.Have)
}

// anything compares things that have no words of their own.
func anything(lang words.Language, e *trace.Evidence) string {
	subject := lang.Tell(trace.Evidence{Topic: e.Topic, What: e.What}.Subject())
	var parts []string
	add := func(text string, v trace.Value) {
		if !v.IsZero() {
			parts = append(parts, fmt.Sprintf(text, lang.Render(v)))
		}
	}
	add(lang.Of(textWants), e.Want)
	has := lang.Of(textHas)
	if e.Want.IsZero() && e.Capacity.IsZero() && e.Used.IsZero() { // a figure, compared with nothing
		has = textFigure
	}
	add(has, e.Have)
	switch _, counted := e.Used.Number(); {
	case !e.Capacity.IsZero():
		add(lang.Of(textUsed), e.Used)
	case counted:
		add(lang.Of(textThere), e.Used)
	default:
		add(lang.Of(textTaken), e.Used)
	}
	add(lang.Of(textCapacity), e.Capacity)
	if len(parts) == 0 {
		return subject
	}
	return subject + lang.Of(": ") + strings.Join(parts, lang.Of(", "))
}
