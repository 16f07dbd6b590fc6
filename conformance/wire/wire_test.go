package wire_test

import (
	"strings"
	"testing"

	"github.com/schedstep/schedstep/conformance/oracle/served"
)

func TestWrongQuestionsAreAnsweredInWords(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(`{"put":{"apiVersion":"v1","kind":"Pod"}}
{"begin":{"gates":"Nonsense=true"}}
{"begin":{"configuration":"e30="}}
{"begin":{}}
{"put":{"apiVersion":"example.com/v9","kind":"Pod"}}
{"events":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}}
{"schedule":"default/nobody"}
{}
`)
	if err := served.Serve(in, &out); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"there is no cluster yet", "unrecognized feature gate: Nonsense", "scheduler configuration",
		`"kinds":[`, `no kind \"Pod\" is registered for version \"example.com/v9\"`, "events wants a pod",
		"not in the cluster", "nothing is asked",
	} {
		if line := strings.Split(out.String(), "\n")[i]; !strings.Contains(line, want) {
			t.Errorf("line %d is %s, without %q", i, line, want)
		}
	}
}
