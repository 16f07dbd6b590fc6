package trace

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedstep/schedstep/internal/phrase"
)

type unit uint8

const (
	unitNone unit = iota
	unitText
	unitWords
	unitAbsent
	unitCount
	unitMilliCPU
	unitBytes
)

// Value is one side of a comparison: a number with its unit, or words. It is formatted only when it is shown. The zero
// value stands for a side that is not known or does not apply.
type Value struct {
	text string
	n    int64
	unit unit
}

// Wording is a phrase in one string: an English text, or one with blanks that Wordingf fills. It is rendered in the
// language of the reader; a name alone must not be converted to one.
type Wording = phrase.Text

// Wordingf is a Wording of a format and its values. Values that are Wordings are rendered in the language too.
func Wordingf(format string, values ...any) Wording { return phrase.Textf(format, values...) }

// Text is a value that is the same in every language: a name, an expression, the message of another program.
func Text(s string) Value { return Value{text: s, unit: unitText} }

// Words is a value in words.
func Words(text phrase.Text) Value { return Value{text: string(text), unit: unitWords} }

// Wordsf is a value in words with names or numbers in it.
func Wordsf(format string, values ...any) Value { return Words(phrase.Textf(format, values...)) }

// Absent stands for something that is not there; its words name what is missing.
func Absent(words phrase.Text) Value { return Value{text: string(words), unit: unitAbsent} }

// Count is a plain number: pods, devices, a score.
func Count(n int64) Value { return Value{n: n, unit: unitCount} }

// MilliCPU is an amount of processor time in millicores.
func MilliCPU(n int64) Value { return Value{n: n, unit: unitMilliCPU} }

// Bytes is an amount of memory or storage in bytes.
func Bytes(n int64) Value { return Value{n: n, unit: unitBytes} }

// IsZero reports whether the value holds nothing at all; Count(0) is not zero.
func (v Value) IsZero() bool { return v.unit == unitNone }

// IsAbsent reports whether there is nothing where something was looked for.
func (v Value) IsAbsent() bool { return v.unit == unitAbsent }

// Number is the value as a number in its own unit (millicores, bytes, or one); false for words and for nothing.
func (v Value) Number() (int64, bool) { return v.n, v.unit > unitAbsent }

// With is the same unit with another number; words stay words.
func (v Value) With(n int64) Value {
	if v.unit > unitAbsent {
		v.n = n
	}
	return v
}

// Phrase is the value in words that can be translated: String is its English.
func (v Value) Phrase() phrase.Phrase {
	if v.unit == unitWords || v.unit == unitAbsent {
		return phrase.Text(v.text).Phrase()
	}
	return phrase.New("%s", v.String())
}

// String formats the value as kubectl would print a quantity: "500m", "2", "1Gi".
func (v Value) String() string {
	switch v.unit { //exhaustive:enforce
	case unitNone:
	case unitText:
		return v.text
	case unitWords, unitAbsent:
		return phrase.Text(v.text).String()
	case unitCount:
		return strconv.FormatInt(v.n, 10)
	case unitMilliCPU:
		return resource.NewMilliQuantity(v.n, resource.DecimalSI).String()
	case unitBytes:
		return resource.NewQuantity(v.n, resource.BinarySI).String()
	}
	return ""
}
