package recording_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/config"
	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/source/recording"
)

const staysHeading = "## What text stays in a redacted recording"

// TestSecurityListsWhatStays holds the end of SECURITY.md to the lists that redaction goes by.
func TestSecurityListsWhatStays(t *testing.T) {
	text, err := os.ReadFile("../../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), staysHeading)
	var b strings.Builder
	b.WriteString(before + staysHeading +
		"\n\nNames of the fields, and why their text stays. Everything else is taken out.\n")
	why, paths := "", []string(nil)
	flush := func() {
		if len(paths) > 0 {
			fmt.Fprintf(&b, "- %s: `%s`\n", why, strings.Join(paths, "`, `"))
		}
		paths = nil
	}
	add := func(of, path string) {
		if of != why {
			flush()
		}
		why, paths = of, append(paths, path)
	}
	kind := cluster.Kind("")
	every := func(k recording.Kept) bool {
		return strings.HasPrefix(k.Field, "metadata.") || k.Field == "apiVersion" || k.Field == "kind"
	}
	b.WriteString("\n### Every object\n\n")
	for _, k := range recording.KeptText() {
		if k.Kind == cluster.KindPod && every(k) {
			add(k.Why, k.Field)
		}
	}
	for _, k := range recording.KeptText() {
		if every(k) {
			continue
		}
		if k.Kind != kind {
			flush()
			fmt.Fprintf(&b, "\n### %s\n\n", k.Kind)
			kind, why = k.Kind, ""
		}
		if !strings.HasPrefix(k.Field, "spec.template.spec.") { // as in a pod
			add(k.Why, k.Field)
		}
	}
	flush()
	b.WriteString("\nOf templates of pods stays what stays of pods.\n\n### Configurations\n\n")
	why = ""
	for _, m := range config.KeptMembers() {
		if !strings.HasPrefix(m.Path, "pluginConfig") && !strings.HasPrefix(m.Path, "plugins.") { // as in profiles
			add(m.Why, m.Path)
		}
	}
	flush()
	golden.Is(t, "../../../SECURITY.md", b.String())
}

// TestNothingPlantedIsLeftButWhatIsListed plants a text of its own in every text field of an object of every kind.
func TestNothingPlantedIsLeftButWhatIsListed(t *testing.T) {
	redactor := recording.NewRedactor()
	kept := map[cluster.Kind][]string{}
	for _, k := range recording.KeptText() {
		kept[k.Kind] = append(kept[k.Kind], k.Field)
	}
	law.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(cluster.Kinds()).Draw(r, "kind")
		secret := rapid.StringMatching(`[a-z]{12}`).Draw(r, "secret")
		o := filled(t, kind)
		plant(reflect.ValueOf(o).Elem(), secret)
		text, err := json.Marshal(redactor.Redact(o))
		if err != nil {
			r.Fatal(err)
		}
		for _, leaf := range strings.Split(string(text), secret+":")[1:] {
			path, _, _ := strings.Cut(leaf, `"`)
			if !slices.ContainsFunc(kept[kind], func(field string) bool {
				return path == field || strings.HasPrefix(path, field+".") || strings.HasPrefix(path, field+"[")
			}) {
				r.Fatalf("%s: the text of %s is left, and no list has it", kind, path)
			}
		}
	})
}

// plant puts a text before every text below a value.
func plant(v reflect.Value, secret string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			plant(v.Elem(), secret)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				plant(v.Field(i), secret)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			plant(v.Index(i), secret)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if v.Type().Elem().Kind() == reflect.String {
				v.SetMapIndex(key, reflect.ValueOf(secret+":"+v.MapIndex(key).String()).Convert(v.Type().Elem()))
			}
		}
	case reflect.String:
		v.SetString(secret + ":" + v.String())
	}
}
