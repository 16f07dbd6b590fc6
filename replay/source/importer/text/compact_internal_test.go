package text

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

func TestCompactTextHasNoSpaceBetweenTokens(t *testing.T) {
	for raw, want := range map[string]string{
		"{ \"a b\" : [ 1 ,\n\t2 ], \"c\" : \"x \\\" y\" }": `{"a b":[1,2],"c":"x \" y"}`,
		"1 2":          "1 2",
		"tru  e":       "tru e",
		"{\"a\" 1}":    `{"a"1}`,
		"\"no end  ":   "\"no end  ",
		" \n ":         "",
		"[ null, {} ]": "[null,{}]",
	} {
		if got := string(Compact(nil, []byte(raw), Skips{})); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

// TestCompactTextMeansTheSame takes well-formed JSON, and text that mostly is none.
func TestCompactTextMeansTheSame(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", "1", "2e", "-", "true", "nul", "l", `"k"`, `"v \" w"`, `"`, " ", "\n    ",
			"\t",
		}), 0, 12).Draw(t, "pieces")
		raw := []byte(bytes.Join(toBytes(pieces), nil))
		compact := Compact(nil, raw, Skips{})
		if json.Valid(raw) != json.Valid(compact) {
			t.Fatalf("%q is valid: %t; compact %q: %t", raw, json.Valid(raw), compact, json.Valid(compact))
		}
		if !json.Valid(raw) {
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, raw); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(compact, want.Bytes()) {
			t.Fatalf("%q: got %q, want %q", raw, compact, want.Bytes())
		}
	})
}

// TestWhatIsSkippedWasWellFormed takes the value of one name out of texts, most of which are no JSON.
func TestWhatIsSkippedWasWellFormed(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", `"env":`, `"env" : [`, "1", `"env"`, `"]"`, " ", `{"env": [{}]}`,
		}), 0, 12).Draw(t, "pieces")
		raw := []byte(bytes.Join(toBytes(pieces), nil))
		compact := Compact(nil, raw, NewSkips(map[string]byte{"env": '['}))
		if json.Valid(raw) != json.Valid(compact) {
			t.Fatalf("%q is valid: %t; compact %q: %t", raw, json.Valid(raw), compact, json.Valid(compact))
		}
	})
}

func TestSkipsAreKnownByHowTheyBegin(t *testing.T) {
	skips := NewSkips(map[string]byte{"env": '[', "copy": '"'})
	for raw, want := range map[string]string{
		`{"env": [{"name": "a]"}], "name": "c"}`: `{"env":null,"name":"c"}`,
		`{"labels": {"env": "prod"}}`:            `{"labels":{"env":"prod"}}`,
		`{"copy": "{\"a\": 1}", "env": null}`:    `{"copy":"","env":null}`,
		`["env", ["x"]]`:                         `["env",["x"]]`,
		`{"env": [1 2], "name": "c"}`:            `{"env":[1 2],"name":"c"}`,
		`{"env": [1`:                             `{"env":[1`,
	} {
		if got := string(Compact(nil, []byte(raw), skips)); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

// TestAStringEndsAtItsQuote compares with looking at one byte after the other.
func TestAStringEndsAtItsQuote(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		raw := []byte(`"` + rapid.StringOfN(rapid.SampledFrom([]rune(`"\ \!#[]ab2ä`)), 0, 40, -1).Draw(t, "text"))
		want := -1
		for i := 1; i < len(raw); i++ {
			if raw[i] == '\\' {
				i++
			} else if raw[i] == '"' {
				want = i + 1
				break
			}
		}
		if got := stringEnd(raw, 0); got != want {
			t.Fatalf("%q: got %d, want %d", raw, got, want)
		}
	})
}

func TestUnquotedIsWhatADecoderReads(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		raw := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("\"\"\\nu0041ä\x01\x7f ")), 0, 12, -1).Draw(t, "text"))
		want := string(raw)
		var value string
		if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &value) == nil {
			want = value
		}
		if got := Unquote(raw); got != want {
			t.Fatalf("%q: got %q, want %q", raw, got, want)
		}
	})
}

func toBytes(texts []string) [][]byte {
	var all [][]byte
	for _, s := range texts {
		all = append(all, []byte(s))
	}
	return all
}
