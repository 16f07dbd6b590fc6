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
		if got := string(Compact(nil, []byte(raw), nil)); got != want {
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
		compact := Compact(nil, raw, nil)
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
		compact := Compact(nil, raw, Skips{"env": '['})
		if json.Valid(raw) != json.Valid(compact) {
			t.Fatalf("%q is valid: %t; compact %q: %t", raw, json.Valid(raw), compact, json.Valid(compact))
		}
	})
}

func TestSkipsAreKnownByHowTheyBegin(t *testing.T) {
	skips := Skips{"env": '[', "copy": '"'}
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

func toBytes(texts []string) [][]byte {
	var all [][]byte
	for _, s := range texts {
		all = append(all, []byte(s))
	}
	return all
}
