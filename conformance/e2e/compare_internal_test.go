package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/core/trace"
)

// story is an outcome with two pods: one that has its node, made room for by evicting another, and one that waits.
func story() Outcome {
	o := newOutcome()
	o.Hosts["default/in"], o.Hosts["default/out"] = "n1", ""
	o.Messages["default/out"], o.Notes["default/out"] = "no room", "no room"
	o.Victims["default/low"] = "Preempted by pod u-in on node n1"
	return o
}

func TestEveryKindOfAnswerIsCompared(t *testing.T) {
	for _, c := range []struct {
		what, pod    string
		change       func(*Outcome)
		theirs, ours string
	}{
		{"host", "default/in", func(o *Outcome) { o.Hosts["default/in"] = "n2" }, "n1", "n2"},
		{"host", "default/out", func(o *Outcome) { o.Hosts["default/out"] = "n2" }, "none", "n2"},
		{"host", "default/in", func(o *Outcome) { delete(o.Hosts, "default/in") }, "n1", "gone"},
		{"condition", "default/out", func(o *Outcome) { o.Messages["default/out"] = "No room" }, "no room", "No room"},
		{"event", "default/out", func(o *Outcome) { delete(o.Notes, "default/out") }, "no room", "none"},
		{"event", "default/in", func(o *Outcome) { o.Notes["default/in"] = "no room" }, "none", "no room"},
		{"victim", "default/low", func(o *Outcome) {
			delete(o.Victims, "default/low")
		}, "Preempted by pod u-in on node n1", "stays"},
	} {
		ours := story()
		c.change(&ours)
		want := []Difference{{What: c.what, Pod: c.pod, Theirs: c.theirs, Ours: c.ours}}
		if diff := cmp.Diff(want, compare(newOutcome(), story(), ours).differences); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestOnlyWhatIsNewIsCounted(t *testing.T) {
	first := compare(newOutcome(), story(), story())
	if want := (Tally{Steps: 1, Hosts: Count{1, 1}, Texts: Count{2, 2}, Victims: Count{1, 1}}); first.tally != want {
		t.Errorf("counted %+v, want %+v", first.tally, want)
	}
	if again := compare(story(), story(), story()); again.tally != (Tally{Steps: 1}) {
		t.Errorf("counted again: %+v", again.tally)
	}
}

func TestAChoiceIsExcusedOnlyAmongEquals(t *testing.T) {
	preemption := &trace.Preemption{Node: "n2", Nodes: []string{
		"n1", "n2", "n3",
	}, Tied: 2, Candidates: []trace.PreemptionCandidate{
		{Node: 1, Victims: []string{"default/other"}},
		{Node: 0, Victims: []string{"default/low"}},
		{Node: 2, Victims: []string{"default/low"}},
	}}
	named := []trace.PreFiltered{{Plugin: "NodeAffinity", Nodes: []string{"n1", "n2"}}}
	tied := &trace.Selected{Node: "n2", Tied: []string{"n1", "n2"}}
	for _, c := range []struct {
		name   string
		cycle  trace.Try
		evicts string
		host   string
		want   bool
	}{
		{"an equal candidate", trace.Try{Preemption: preemption}, "default/low", "n1", true},
		{"an equal candidate with other victims", trace.Try{Preemption: preemption}, "default/high", "n1", false},
		{"a worse candidate", trace.Try{Preemption: preemption}, "default/low", "n3", false},
		{"an equal host of a node set", trace.Try{PreFilters: named, Selected: tied}, "", "n1", true},
		{"another host of a node set", trace.Try{PreFilters: named, Selected: tied}, "", "n3", false},
		{"an equal host without a node set", trace.Try{Selected: tied}, "", "n1", false},
	} {
		theirs, ours := newOutcome(), newOutcome()
		theirs.Hosts["default/in"], ours.Hosts["default/in"] = c.host, "n2"
		if c.evicts != "" {
			theirs.Victims[c.evicts] = "Preempted by pod u-in on node " + c.host
			ours.Victims["default/other"] = "Preempted by pod u-in on node n2"
		}
		c.cycle.Entity.UID = "u-in"
		compared := compare(newOutcome(), theirs, ours)
		if got := compared.byChance(map[string][]*trace.Try{"default/in": {&c.cycle}}); got != c.want {
			t.Errorf("%s: excused %v, want %v", c.name, got, c.want)
		}
		if got := compared.tally.Chance; (got == 1) != c.want {
			t.Errorf("%s: %d decisions of chance are counted", c.name, got)
		}
	}
}

func TestAPreemptorThatNobodyWokeIsExcused(t *testing.T) {
	const note = "Preempted by pod u-in on node n2"
	cycle := &trace.Try{Preemption: &trace.Preemption{Node: "n2"}}
	cycle.Entity.UID = "u-in"
	for _, c := range []struct {
		theirs, victims string
		want            bool
	}{
		{
			"0/3 nodes are available. preemption: found a potential placement for pod on node n2, preempting 1 victims",
			note, true,
		},
		{
			"0/3 nodes are available. preemption: found a potential placement for pod on node n1, preempting 1 victims",
			note, false,
		},
		{
			"0/3 nodes are available. preemption: found a potential placement for pod on node n2, preempting 1 victims",
			"", false,
		},
		{"0/3 nodes are available: 3 Insufficient cpu.", note, false},
	} {
		theirs, ours := newOutcome(), newOutcome()
		theirs.Hosts["default/in"], ours.Hosts["default/in"] = "", "n2"
		theirs.Messages["default/in"], theirs.Victims["default/low"], ours.Victims["default/low"] = c.theirs, c.victims, note
		if got := compare(newOutcome(), theirs, ours).byChance(
			map[string][]*trace.Try{"default/in": {cycle}},
		); got != c.want {
			t.Errorf("%s: excused %v, want %v", c.theirs, got, c.want)
		}
	}
}

func TestAStepIsWhatHappensBetweenTwoAdvances(t *testing.T) {
	waves, err := Workload("testdata")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Wave{}
	objects, steps := 0, 0
	for _, w := range waves {
		byName[w.Name] = w
		objects, steps = objects+len(w.Objects), steps+len(w.Steps)
	}
	if w := byName["10 preemption"]; len(w.Objects) != 0 || len(w.Steps) != 16 ||
		w.Steps[0].Name != "Pod Add default/strong-a" {
		t.Errorf("the preemptors do not come one by one: %d at the start, %d steps", len(w.Objects), len(w.Steps))
	}
	if w := byName["07 changes"]; len(w.Objects) != 15 || len(w.Steps) != 16 {
		t.Errorf("07 changes: %d objects and %d steps", len(w.Objects), len(w.Steps))
	}
	if first := byName["05 ports"].Objects[0]; first.GetName() != "sizes" {
		t.Errorf("the manifest does not come first: %s", first.GetName())
	}
	if objects < 600 || steps < 40 {
		t.Errorf("%d objects and %d steps are few", objects, steps)
	}
}
