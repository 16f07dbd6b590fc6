package importer

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/internal/law"
)

func TestSqueezeLeavesNoSpaceBetweenTokens(t *testing.T) {
	for raw, want := range map[string]string{
		"{ \"a b\" : [ 1 ,\n\t2 ], \"c\" : \"x \\\" y\" }": `{"a b":[1,2],"c":"x \" y"}`,
		"1 2":          "1 2",
		"tru  e":       "tru e",
		"{\"a\" 1}":    `{"a"1}`,
		"\"no end  ":   "\"no end  ",
		" \n ":         "",
		"[ null, {} ]": "[null,{}]",
	} {
		if got := string(squeeze(nil, []byte(raw))); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

// TestSqueezedTextMeansTheSame squeezes well-formed JSON, and text that mostly is none.
func TestSqueezedTextMeansTheSame(t *testing.T) {
	law.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", "1", "2e", "-", "true", "nul", "l", `"k"`, `"v \" w"`, `"`, " ", "\n    ",
			"\t",
		}), 0, 12).Draw(t, "pieces")
		raw := []byte(bytes.Join(toBytes(pieces), nil))
		squeezed := squeeze(nil, raw)
		if json.Valid(raw) != json.Valid(squeezed) {
			t.Fatalf("%q is valid: %t; squeezed %q: %t", raw, json.Valid(raw), squeezed, json.Valid(squeezed))
		}
		if !json.Valid(raw) {
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, raw); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(squeezed, want.Bytes()) {
			t.Fatalf("%q: got %q, want %q", raw, squeezed, want.Bytes())
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
