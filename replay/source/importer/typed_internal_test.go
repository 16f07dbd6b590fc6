package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"pgregory.net/rapid"
	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

// source is what the filler of objects draws from.
type source struct{ *rand.PCG }

func (s source) Int63() int64 { return int64(s.Uint64() >> 1) }
func (s source) Seed(n int64) { s.PCG.Seed(uint64(n), 0) }

// written is a random object of a kind as JSON, whole or with faults in it.
func written(t *rapid.T, row *cluster.KindRow) []byte {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	source := source{rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)}
	object := row.New()
	fuzzer.FuzzerFor(metafuzzer.Funcs, source, serializer.NewCodecFactory(scheme)).Fill(object)
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 2).Draw(t, "faults") {
		raw = faulty(t, raw)
	}
	return raw
}

// values stand in for other values, whether they fit or not.
var values = []string{
	"null", "true", "1", "-0", "1.0", "1e2", "99999999999999999999", `""`, `"x"`, `"1"`, `"\ud800"`, "\"\xff\"", "[]", "{}",
	"[null]", `{"name":null}`, `"2026-11-22T10:00:00Z"`, `"2026-11-22T10:00:00+01:00"`, "nul", "",
}

// faulty replaces a value of an object or an element of a list somewhere in raw, writes a member twice, or changes the
// letters of its name.
func faulty(t *rapid.T, raw []byte) []byte {
	type place struct{ key, start, end int } // the key's first quote, -1 for an element; the value
	var places []place
	var walk func(at, end int)
	walk = func(at, end int) {
		inner := raw[at:end]
		_ = text.Members(inner, func(key []byte, from, to int) bool {
			places = append(places, place{at + from - len(key) - len(`"":`), at + from, at + to})
			walk(at+from, at+to)
			return true
		})
		_ = text.Elements(inner, func(_, from, to int) bool {
			places = append(places, place{-1, at + from, at + to})
			walk(at+from, at+to)
			return true
		})
	}
	walk(0, len(raw))
	if len(places) == 0 {
		return raw
	}
	p := places[rapid.IntRange(0, len(places)-1).Draw(t, "place")]
	with := rapid.SampledFrom(values).Draw(t, "value")
	switch kind := rapid.IntRange(0, 3).Draw(t, "fault"); {
	case kind == 0 && p.key >= 0:
		return slices.Concat(raw[:p.key], raw[p.key:p.end], []byte(","), raw[p.key:])
	case kind == 1 && p.key >= 0:
		return slices.Concat(raw[:p.key], bytes.ToUpper(raw[p.key:p.start]), raw[p.start:])
	}
	return slices.Concat(raw[:p.start], []byte(with), raw[p.end:])
}

// TestTheFastDecoderTakesWhatTheAPIServerTakes holds it to the API server's own decoder, for every kind.
func TestTheFastDecoderTakesWhatTheAPIServerTakes(t *testing.T) {
	fast := 0
	law.Check(t, func(t *rapid.T) {
		row := rapid.SampledFrom(cluster.KindRows()).Draw(t, "kind")
		raw := written(t, row)
		object, strict, err := decodeInto(row, raw)
		want := row.New()
		wantStrict, wantErr := kjson.UnmarshalStrict(raw, want)
		if fmt.Sprint(strict, err) != fmt.Sprint(wantStrict, wantErr) {
			t.Fatalf("%s: %v, %v; want %v, %v", raw, strict, err, wantStrict, wantErr)
		}
		if err == nil && len(strict) == 0 {
			fast++
			if !reflect.DeepEqual(object, want) {
				t.Fatalf("%s (-API server +fast):\n%s", raw, cmp.Diff(want, object))
			}
		}
	})
	law.Met(t, fast > 0, "no object was without a fault")
}
