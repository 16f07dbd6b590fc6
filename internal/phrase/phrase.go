// Package phrase keeps a text apart from the values in its blanks, so that it can be shown in the language of a person.
// Code that makes a phrase knows no language: String and Error are English. Package words translates.
package phrase

import (
	"fmt"
	"strings"
	"syscall"
)

// Phrase is an English format of package fmt and the values of its blanks. Values that are phrases or errors are
// translated too. The zero value is the empty text.
type Phrase struct {
	Format string
	Values []any
}

// New is a phrase of a format and its values.
func New(format string, values ...any) Phrase {
	if false {
		_ = fmt.Sprintf(format, values...) // tells go vet that this is a format
	}
	return Phrase{format, values}
}

// Join is several phrases with text between them, which is the same in every language. Empty ones are left out.
func Join(between string, all ...Phrase) Phrase {
	var values []any
	for _, p := range all {
		if !p.IsZero() {
			values = append(values, p)
		}
	}
	between = strings.ReplaceAll(between, "%", "%%")
	return Phrase{strings.TrimSuffix(strings.Repeat("%s"+between, len(values)), between), values}
}

// Phrase is the phrase itself, so that it has the method of all that can be rendered.
func (p Phrase) Phrase() Phrase { return p }

// IsZero reports whether the phrase is empty.
func (p Phrase) IsZero() bool { return p.Format == "" }

// String is the phrase in English. A phrase without values is a text, in which % is no verb.
func (p Phrase) String() string {
	if len(p.Values) == 0 {
		return p.Format
	}
	return fmt.Sprintf(wraps.Replace(p.Format), p.Values...)
}

// wraps makes the verb of an error one of a value.
var wraps = strings.NewReplacer("%w", "%v")

// sprint is a value as text.
func sprint(v any) string { return fmt.Sprint(v) }

// MarshalText is the phrase in English: data is the same in every language.
func (p Phrase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText takes a phrase that MarshalText wrote, without its values.
func (p *Phrase) UnmarshalText(text []byte) error {
	*p = New("%s", string(text))
	return nil
}

// Error is an error made of a phrase. It wraps what its format wraps with %w.
type Error struct {
	said    Phrase
	english error
}

// Errorf is fmt.Errorf, of which the format and the values are kept.
func Errorf(format string, values ...any) error {
	return &Error{Phrase{format, values}, fmt.Errorf(format, values...)}
}

// Phrase is the error's text, with its values apart.
func (e *Error) Phrase() Phrase { return e.said }

// Error is the text in English.
func (e *Error) Error() string { return e.english.Error() }

// Unwrap leads to the errors of %w.
func (e *Error) Unwrap() error { return e.english }

// OfError is the text of an error. An error that is not made of a phrase is verbatim.
func OfError(err error) Text {
	switch e := err.(type) { //nolint:errorlint // what wraps one has words of its own
	case interface{ Phrase() Phrase }:
		return e.Phrase().Text()
	case syscall.Errno:
		return Text(e.Error()) // the same few sentences everywhere
	}
	return Verbatim(err.Error())
}

// OnOneLine is the text of an error on one line: joined errors stand behind one another.
func OnOneLine(err error) Text {
	if several, are := err.(interface{ Unwrap() []error }); are {
		var parts []Text
		for _, one := range several.Unwrap() {
			parts = append(parts, OnOneLine(one))
		}
		return JoinTexts("; ", parts...)
	}
	if said := OfError(err); !strings.Contains(said.String(), "\n") {
		return said
	}
	return Verbatim(strings.Join(strings.Fields(err.Error()), " "))
}
