package trace

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

type unit uint8

const (
	unitNone unit = iota
	unitText
	unitAbsent
	unitCount
	unitMilliCPU
	unitBytes
)

// Value is one side of a comparison: a number with its unit, or words. It is formatted only when somebody looks.
// The zero value means "nothing to say".
type Value struct {
	text string
	n    int64
	unit unit
}

// Text is a value in words.
func Text(s string) Value { return Value{text: s, unit: unitText} }

// Absent says that there is nothing of the kind, in words that name what is missing.
func Absent(words string) Value { return Value{text: words, unit: unitAbsent} }

// Count is a plain number: pods, devices, a score.
func Count(n int64) Value { return Value{n: n, unit: unitCount} }

// MilliCPU is an amount of processor time in millicores.
func MilliCPU(n int64) Value { return Value{n: n, unit: unitMilliCPU} }

// Bytes is an amount of memory or storage in bytes.
func Bytes(n int64) Value { return Value{n: n, unit: unitBytes} }

// IsZero says whether the value holds nothing at all; Count(0) is not zero.
func (v Value) IsZero() bool { return v.unit == unitNone }

// IsAbsent says whether there is nothing where something was looked for.
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

// String formats the value as kubectl would print a quantity: "500m", "2", "1Gi".
func (v Value) String() string {
	switch v.unit { //exhaustive:enforce
	case unitNone:
	case unitText, unitAbsent:
		return v.text
	case unitCount:
		return strconv.FormatInt(v.n, 10)
	case unitMilliCPU:
		return resource.NewMilliQuantity(v.n, resource.DecimalSI).String()
	case unitBytes:
		return resource.NewQuantity(v.n, resource.BinarySI).String()
	}
	return ""
}
