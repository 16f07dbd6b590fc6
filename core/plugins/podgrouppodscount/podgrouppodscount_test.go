package podgrouppodscount_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/plugins/podgrouppodscount"
	"github.com/schedstep/schedstep/core/trace"
)

func TestMostPodsAreAHundred(t *testing.T) {
	for _, c := range []struct{ give, want []int64 }{
		{[]int64{3}, []int64{100}},
		{[]int64{2, 3}, []int64{66, 100}},
		{[]int64{0, 7, 1}, []int64{0, 100, 14}},
	} {
		got := append([]int64{}, c.give...)
		if v := podgrouppodscount.New().NormalizePlacements(framework.Group{}, nil, got); !v.OK() {
			t.Errorf("%v: %s", c.give, v)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.give, diff)
		}
	}
}

func TestNoPodAnywhereIsAnError(t *testing.T) {
	v := podgrouppodscount.New().NormalizePlacements(framework.Group{}, nil, []int64{0, 0})
	if want := "no pods from pod group are assigned to any of the candidate placements"; v.Code != trace.Error ||
		v.Message() != want {
		t.Errorf("it says %s, want Error: %s", v, want)
	}
}
