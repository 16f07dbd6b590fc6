package phrase

import (
	"reflect"
	"strconv"
	"strings"
)

// Text is a phrase in one string, as a part of data: it is comparable, costs one allocation, and a constant without
// blanks costs none. Textf makes one with blanks. A constant is its own format, so a name must not be converted to a
// Text: Verbatim takes names. The zero value is the empty text.
type Text string

// What a Text with blanks begins with. Length and colon stand before the format and before each value, so values may
// hold any bytes.
const (
	packed   = '\x1e' // a format and its values
	verbatim = '\x1d' // one value alone
)

// The kinds of values.
const (
	ofString  = 's' // stands unchanged in every language
	ofInteger = 'd'
	ofFloat   = 'f'
	ofTruth   = 'b'
	ofText    = 't' // is rendered in the language
)

// Textf is a phrase of a format and its values. Values that are texts, phrases or errors of this package are rendered
// in the language too; every other one is written as fmt.Sprint does, and is the same in every language.
func Textf(format string, values ...any) Text { return New(format, values...).Text() }

// Verbatim is a name, or the message of another program: it is the same in every language.
func Verbatim(name string) Text {
	if name == "" {
		return ""
	}
	return Text(string(verbatim) + name)
}

// Text is the phrase in one string.
func (p Phrase) Text() Text {
	if len(p.Values) == 0 {
		return Text(p.Format)
	}
	b := make([]byte, 0, 192) // stays on the stack as long as no call gets it
	b = chunk(append(b, packed), p.Format)
	for _, v := range p.Values {
		switch v := v.(type) {
		case string:
			b = chunk(append(b, ofString), v)
		case Text:
			b = chunk(append(b, ofText), string(v))
		case Phrase:
			b = chunk(append(b, ofText), string(v.Text()))
		case *Error:
			b = chunk(append(b, ofText), string(v.said.Text()))
		case int:
			b = chunk(append(b, ofInteger), strconv.Itoa(v))
		case int64:
			b = chunk(append(b, ofInteger), strconv.FormatInt(v, 10))
		default:
			if !keeps(p) {
				return Verbatim(p.String())
			}
			kind, part := partOf(v)
			b = chunk(append(b, kind), part)
		}
	}
	return Text(b)
}

// keeps reports whether the values of a phrase can be kept apart: a chunk has the value and not its type, which %T
// prints, and its elements, which %q quotes one by one. Such a phrase is verbatim.
func keeps(p Phrase) bool {
	for at := 0; at < len(p.Format); at++ {
		if p.Format[at] != '%' {
			continue
		}
		for at++; at < len(p.Format) && strings.IndexByte("+-# 0123456789.[]", p.Format[at]) >= 0; at++ {
		}
		if at == len(p.Format) || strings.IndexByte("sdqvwtfg%", p.Format[at]) < 0 {
			return false
		}
	}
	if !strings.Contains(p.Format, "q") {
		return true
	}
	for _, v := range p.Values {
		if kind := reflect.ValueOf(v).Kind(); kind == reflect.Slice || kind == reflect.Array {
			return false
		}
	}
	return true
}

// partOf is what the chunk of a value of any other type holds, and its kind.
func partOf(v any) (kind byte, part string) {
	if said, is := v.(interface{ Phrase() Phrase }); is {
		return ofText, string(said.Phrase().Text())
	}
	if _, named := v.(interface{ String() string }); named {
		return ofString, sprint(v)
	}
	switch of := reflect.ValueOf(v); {
	case of.Kind() == reflect.Bool:
		return ofTruth, strconv.FormatBool(of.Bool())
	case of.CanInt():
		return ofInteger, strconv.FormatInt(of.Int(), 10)
	case of.CanUint():
		return ofInteger, strconv.FormatUint(of.Uint(), 10)
	case of.CanFloat():
		return ofFloat, strconv.FormatFloat(of.Float(), 'g', -1, 64)
	}
	return ofString, sprint(v)
}

func chunk(b []byte, part string) []byte {
	switch n := len(part); { // most are short, and there are many
	case n < 10:
		b = append(b, '0'+byte(n), ':')
	case n < 100:
		b = append(b, '0'+byte(n/10), '0'+byte(n%10), ':')
	default:
		b = append(strconv.AppendInt(b, int64(n), 10), ':')
	}
	return append(b, part...)
}

// next is the first chunk of a text, and the rest behind it. Of what Text did not write it takes what there is.
func next(s string) (part, rest string) {
	length, rest, _ := strings.Cut(s, ":")
	n, _ := strconv.Atoi(length)
	n = min(max(n, 0), len(rest))
	return rest[:n], rest[n:]
}

// integer is a number of 64 bits, with a sign where it fits so.
func integer(value string) any {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		u, _ := strconv.ParseUint(value, 10, 64)
		return u
	}
	return n
}

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t == "" }

// Phrase is the text with its format and values apart.
func (t Text) Phrase() Phrase {
	switch {
	case t == "":
		return Phrase{}
	case t[0] == verbatim:
		return Phrase{"%s", []any{string(t[1:])}}
	case t[0] != packed:
		return Phrase{Format: string(t)}
	}
	format, rest := next(string(t[1:]))
	p := Phrase{Format: format}
	for rest != "" {
		kind := rest[0]
		var value string
		value, rest = next(rest[1:])
		switch kind {
		case ofText:
			p.Values = append(p.Values, Text(value))
		case ofInteger:
			p.Values = append(p.Values, integer(value))
		case ofTruth:
			p.Values = append(p.Values, value == "true")
		case ofFloat:
			x, _ := strconv.ParseFloat(value, 64)
			p.Values = append(p.Values, x)
		default:
			p.Values = append(p.Values, value)
		}
	}
	return p
}

// String is the text in English.
func (t Text) String() string {
	if t == "" || t[0] != packed && t[0] != verbatim {
		return string(t)
	}
	return t.Phrase().String()
}

// MarshalText is the text in English: data is the same in every language.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText takes what MarshalText wrote, as one value.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Verbatim(string(text))
	return nil
}

// With is the text with one more value behind those it has, as a string. A text that is made often keeps what does not
// differ, and costs one allocation each time.
func (t Text) With(value string) Text {
	if t == "" || t[0] != packed {
		t = Text(chunk([]byte{packed}, string(t)))
	}
	return t + Text(string(ofString)+strconv.Itoa(len(value))+":"+value)
}

// Count is a number with its noun, or with the rest of a sentence and its values. Each form is a phrase of its own.
func Count(n int, one, many string, values ...any) Text {
	format := "%d " + many
	if n == 1 {
		format = "%d " + one
	}
	return Textf(format, append([]any{n}, values...)...)
}

// JoinTexts is several texts with something between them, as Join.
func JoinTexts(between string, all ...Text) Text {
	parts := make([]Phrase, len(all))
	for i, text := range all {
		parts[i] = text.Phrase()
	}
	return Join(between, parts...).Text()
}

// mostNamed is how many names Names names.
const mostNamed = 3

// Names are the first of some names, and how many there are besides.
func Names(all []string) Text {
	if len(all) <= mostNamed {
		return Verbatim(strings.Join(all, ", "))
	}
	return Textf("%s and %d more", strings.Join(all[:mostNamed], ", "), len(all)-mostNamed)
}

// Strings are texts in English.
func Strings(all []Text) []string {
	english := make([]string, len(all))
	for i, text := range all {
		english[i] = text.String()
	}
	return english
}
