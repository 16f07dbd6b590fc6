package queue_test

import (
	"strings"
	"testing"
)

func (s *stage) nominatedOn(node string) string {
	var list []string
	for _, p := range s.Nominated(node) {
		list = append(list, p.Name())
	}
	return strings.Join(list, " ")
}

func (s *stage) nominate(name, node string) {
	s.t.Helper()
	pod, ok := s.known.Pod("ns/" + name)
	if !ok {
		s.t.Fatalf("no pod %s", name)
	}
	want := "ns/" + name + " nominated on " + node
	s.says(s.Nominate(pod, node, s.known), want)
}

func TestStatusNominatesOnArrivalAlsoWhenGated(t *testing.T) {
	s := newStage(t)
	s.says(s.add("p", gates("a"), nominated("n")),
		"ns/p nominated on n",
		"ns/p outside -> gated on UnscheduledPodAdd by SchedulingGates: SchedulingGates holds it")
	if got := s.nominatedOn("n"); got != "p" {
		t.Errorf("nominated are %q", got)
	}
}

func TestUntil136StatusDoesNotNominateAGatedArrival(t *testing.T) {
	s := newStageOf(t, "1.36")
	s.says(s.add("p", gates("a"), nominated("n")),
		"ns/p outside -> gated on UnscheduledPodAdd by SchedulingGates: SchedulingGates holds it")
	s.says(s.add("q", nominated("n")), "ns/q outside -> activeQ on UnscheduledPodAdd", "ns/q nominated on n")
	if got := s.nominatedOn("n"); got != "q" {
		t.Errorf("nominated are %q", got)
	}
	s.says(s.update("p", gates("a"), nominated("n"), labelled("x")), "ns/p nominated on n")
}

func TestNominatedAreInTheOrderOfNomination(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"c", "a", "b"} {
		s.add(name)
		s.nominate(name, "n")
	}
	if got := s.nominatedOn("n"); got != "c a b" {
		t.Errorf("nominated are %q", got)
	}
	s.update("c", labelled("x"))
	if got := s.nominatedOn("n"); got != "a b c" {
		t.Errorf("after an update of c, nominated are %q", got)
	}
	s.nominate("a", "m")
	if got := s.nominatedOn("n") + "/" + s.nominatedOn("m"); got != "b c/a" {
		t.Errorf("nominated are %q", got)
	}
}

func TestNominationMadeHereSurvivesUpdatesThatKnowOfNone(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.nominate("p", "n")
	s.says(s.update("p", labelled("x")))
	s.says(s.update("p", nominated("m")), "ns/p nominated on m")
	s.says(s.update("p"), "ns/p nominated nowhere")
}

func TestNominatedGivesTheNewestVersion(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.nominate("p", "n")
	s.update("p", labelled("x"))
	if got := s.Nominated("n")[0].API.Labels["v"]; got != "x" {
		t.Errorf("label %q", got)
	}
	s.pop()
	s.update("p", labelled("y"))
	if got := s.Nominated("n")[0].API.Labels["v"]; got != "x" {
		t.Errorf("in flight, label %q", got)
	}
}

func TestPodsThatAreGoneOrPlacedAreNotNominated(t *testing.T) {
	s := newStage(t)
	s.add("p")
	pod, _ := s.known.Pod("ns/p")
	s.apply("p", on("n1"))
	s.says(s.Nominate(pod, "n", s.known))
	s.remove("p")
	s.says(s.Nominate(pod, "n", s.known))
	if s.Nominated("n") != nil {
		t.Error("nominated all the same")
	}
}

func TestDeletionAndClearingEndANomination(t *testing.T) {
	s := newStage(t)
	s.add("p", nominated("n"))
	pod, _ := s.known.Pod("ns/p")
	if got := s.NominatedNode(pod); got != "n" {
		t.Errorf("nominated on %q", got)
	}
	s.says(s.ClearNomination(pod), "ns/p nominated nowhere")
	s.says(s.ClearNomination(pod))
	s.nominate("p", "n")
	s.says(s.Delete(pod, "deleted", s.at()), "ns/p nominated nowhere", "ns/p activeQ -> outside: deleted")
}

func TestNominationEndsWithTheUIDItWasMadeFor(t *testing.T) {
	s := newStage(t)
	s.add("p")
	s.nominate("p", "n")
	old, _ := s.known.Pod("ns/p")
	s.remove("p")
	c := s.apply("p", uid("second"), nominated("m"))
	s.says(s.Update(old, c.NewPod, &c, s.at()), "ns/p nominated nowhere", "ns/p nominated on m")
	if got := s.nominatedOn("n") + "/" + s.nominatedOn("m"); got != "/p" {
		t.Errorf("nominated are %q", got)
	}
}
