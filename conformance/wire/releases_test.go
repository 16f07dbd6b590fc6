package wire_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/conformance/oracle"
	"github.com/schedstep/schedstep/conformance/wire"
)

// clusters is how many random clusters both releases are asked about.
const clusters = 100

// said is what 1.36 says of a failed PostFilter and 1.37 does not.
var said = regexp.MustCompile(`(no new claims to deallocate|still not schedulable), `)

// gates of 1.37 as they are in 1.36 by default.
const gates = "StorageCapacityScoring=false,VolumeLimitScaling=false"

// TestReleases36And37DifferInWhatPostFilterSays asks both schedulers, with the gates of 1.36, about the same pods in
// the same clusters: verdicts, scores and hosts are the same, and so are messages but for what DynamicResources adds in
// 1.36 and DefaultPreemption in 1.37. Pods that are being resized ask for something else in each release; clusters that
// have some are not compared. Nothing happens to these clusters while pods wait.
func TestReleases36And37DifferInWhatPostFilterSays(t *testing.T) {
	back, err := oracle.SetGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	defer back()
	old := begun(t)
	pods, messages, left := 0, 0, 0
	for seed := range clusters {
		c := generate.FromSeed(seed)
		now, err := oracle.New(nil, oracle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := old.Begin(); err != nil {
			t.Fatal(err)
		}
		objects := slices.Clone(c.Objects)
		for _, pod := range c.Pending {
			objects = append(objects, pod)
		}
		if err := now.Put(objects...); err != nil {
			t.Fatal(err)
		}
		if err := old.Put(objects...); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(objects, resized) {
			left++
			continue
		}
		for _, pod := range c.Pending {
			a, b := asked(t, now.Schedule, pod), asked(t, old.Schedule, pod)
			pods++
			if a.Decision.FitErrorAfter != b.Decision.FitErrorAfter {
				messages++
			}
			if a, b := plain(a), plain(b); a != b {
				t.Errorf("cluster %d, pod %s (- 1.36, + 1.37):\n%s", seed, pod.Name,
					cmp.Diff(strings.Split(b, "\n"), strings.Split(a, "\n")))
			}
		}
		now.Close()
	}
	t.Logf("%d pods asked about, %d messages that differ, %d clusters left out", pods, messages, left)
	if pods < clusters || messages < clusters/2 || left > clusters/2 {
		t.Error("too few to show anything")
	}
}

// resized says whether an object is a pod whose containers report resources of their own.
func resized(o runtime.Object) bool {
	pod, is := o.(*corev1.Pod)
	return is && slices.ContainsFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool {
		return s.Resources != nil || s.AllocatedResources != nil
	})
}

// begun is the oracle of 1.36.
func begun(t *testing.T) *wire.Client {
	t.Helper()
	program, err := wire.Build(t.Context(), "v1_36", "kube_1_36", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := wire.Start(context.Background(), program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func asked(t *testing.T, schedule func(*corev1.Pod) (oracle.Answer, error), pod *corev1.Pod) oracle.Answer {
	t.Helper()
	answer, err := schedule(pod)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// plain is what both releases have to say alike. Raw scores are not known of 1.36, and of the plugins that have a
// PreFilter in 1.37 alone there is nothing to compare before the filters.
func plain(a oracle.Answer) string {
	var b strings.Builder
	d := a.Decision
	message := said.ReplaceAllString(d.FitErrorAfter, "")
	message, _, _ = strings.Cut(message, " preemption: found a potential placement")
	fmt.Fprintln(&b, d.Host, d.Best, d.EvaluatedNodes, d.FeasibleNodes, d.FitError, d.Error, d.UnschedulablePlugins)
	p := a.Preemption
	fmt.Fprintln(&b, strings.TrimSpace(message), p.Candidates, p.Nominated, p.PotentialNodes)
	for _, n := range a.Nodes {
		filters := slices.Clone(n.Filters)
		slices.SortFunc(filters, func(a, b oracle.Verdict) int { return strings.Compare(a.Plugin, b.Plugin) })
		fmt.Fprintln(&b, n.Node, filters)
	}
	for _, s := range a.Scores {
		fmt.Fprint(&b, s.Node, s.Total)
		for _, p := range s.Plugins {
			fmt.Fprint(&b, " ", p.Plugin, p.Weighted)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func TestWrongQuestionsAreAnsweredInWords(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(`{"put":{"apiVersion":"v1","kind":"Pod"}}
{"begin":true}
{"put":{"apiVersion":"example.com/v9","kind":"Pod"}}
{"schedule":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}}
{}
`)
	if err := wire.Serve(in, &out); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"there is no cluster yet", "{}", `no kind \"Pod\" is registered for version \"example.com/v9\"`,
		"schedule wants a pod",
		"nothing is asked",
	} {
		if line := strings.Split(out.String(), "\n")[i]; !strings.Contains(line, want) {
			t.Errorf("line %d is %s, without %q", i, line, want)
		}
	}
}
