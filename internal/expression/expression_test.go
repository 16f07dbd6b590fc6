package expression_test

import (
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/schedstep/schedstep/internal/expression"
)

func TestFirst(t *testing.T) {
	env, err := cel.NewEnv(cel.Variable("placed", cel.IntType))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct {
		column   int
		sentence string
	}{
		"pods > 1 && placed > 2 ": {1, "undeclared reference to 'pods'"},
		"placed + 'a' > 1":        {8, "found no matching overload for '_+_' applied to '(int, string)'"},
	} {
		_, issues := env.Compile(text)
		if issues.Err() == nil {
			t.Fatalf("%s compiles", text)
		}
		if column, sentence := expression.First(issues); column != want.column || sentence != want.sentence {
			t.Errorf("%s: column %d, %q", text, column, sentence)
		}
	}
}
