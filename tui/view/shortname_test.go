package view_test

import (
	"testing"

	"github.com/schedstep/schedstep/tui/view"
)

// TestShortNamesCanBeToldApart shortens names that differ in their first part, in their last, or that are alone.
func TestShortNamesCanBeToldApart(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  []string
	}{
		{
			[]string{"ip-10-0-0-1.eu-west-1.compute.internal", "ip-10-0-12-7.eu-west-1.compute.internal"},
			[]string{"ip-10-0-0-1", "ip-10-0-12-7"},
		},
		{
			[]string{"n1.a.example.com", "n1.b.example.com", "n3"},
			[]string{"n1.a.ex~ple.com", "n1.b.ex~ple.com", "n3"},
		},
		{
			[]string{"n1.a.example.com", "n1.b.example.com"}, []string{"n1.a", "n1.b"},
		},
		{
			[]string{"gke-shop-default-pool-1a2b-x7k2", "gke-shop-default-pool-1a2b-z9q4"},
			[]string{"gke-sho~2b-x7k2", "gke-sho~2b-z9q4"},
		},
		{[]string{"ip-10-0-0-1.eu-west-1.compute.internal"}, []string{"ip-10-0~nternal"}},
		{[]string{"a.example", "b.example"}, []string{"a.example", "b.example"}},
	} {
		short := view.ShortenerOf(len(test.names), func(i int) string { return test.names[i] })
		for i, name := range test.names {
			if got := short.Cut(name, 15); got != test.want[i] {
				t.Errorf("%s becomes %s, want %s", name, got, test.want[i])
			}
		}
	}
}
