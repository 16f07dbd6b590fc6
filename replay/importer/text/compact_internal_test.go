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
		if got := string(Compact(nil, []byte(raw))); got != want {
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
		compact := Compact(nil, raw)
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

func toBytes(texts []string) [][]byte {
	var all [][]byte
	for _, s := range texts {
		all = append(all, []byte(s))
	}
	return all
}
