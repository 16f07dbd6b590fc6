//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/conformance/e2e"
)

// tally is a row of shadow's report.
type tally struct{ Agreed, Tied, Explained, Different int }

// agreement is what is read of shadow's report.
type agreement struct {
	Hosts, Messages, Events, Retries tally
	Reordered                        int
	Decisions                        []struct{ Pod, What, Theirs, Ours, Verdict, Why string }
}

var (
	shadowNodes = flag.Int("shadow-nodes", 200, "how many nodes TestAShadowAgreesWithTheRealScheduler makes")
	shadowShare = flag.String("shadow-share", "100", "the percentage of nodes that are scored; 0: as many as by default")
	shadowPods  = flag.Int("shadow-pods", 2000, "how many pods it makes")
	shadowGates = flag.String("shadow-gates", gangGates, "feature gates of all three; none: without groups of pods")
)

// gangGates have the pods of a group placed together.
const gangGates = "GenericWorkload=true"

// allCandidates has preemption look at all nodes: where it begins among them is chance.
const allCandidates = `percentageOfNodesToScore: %s
profiles:
- pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesPercentage: 100, minCandidateNodesAbsolute: 1000}}]
`

func TestAShadowAgreesWithTheRealScheduler(t *testing.T) {
	r := start(t, *shadowNodes, serving()...)
	file := r.file("live.jsonl")
	// All nodes are scored: when a scheduler scores only a part of them, shadow cannot know which part.
	settings := r.file("scheduler.yaml")
	text := append(configuration(t), fmt.Sprintf(allCandidates, *shadowShare)...)
	r.make(nil, os.WriteFile(settings, text, 0o600))
	whole := []string{"--config", settings, "-o", "json"}
	var gates []string
	if *shadowGates != "" {
		whole, gates = append(whole, "--feature-gates", *shadowGates), []string{*shadowGates}
	}
	r.ground()
	shadow, record := r.follow(append([]string{"shadow"}, whole...)...), r.follow("record", "-o", file)
	scheduler, err := r.plane.StartScheduler(t.Context(), "live", text, gates...)
	r.make(nil, err)
	defer scheduler.Stop()
	r.load(*shadowPods)
	r.allRecorded(file)
	texts := []string{shadow.stop(t)}
	record.stop(t)
	_, again, told := r.output(append([]string{"shadow", file}, whole...)...)
	for _, report := range append(texts, again) {
		var a agreement
		if err := json.Unmarshal([]byte(report), &a); err != nil {
			t.Fatalf("%v\n%s%s", err, report, told)
		}
		a.check(t)
	}
	r.replaysTheSame(file)
	r.nothingWasWritten()
}

// serving are the flags by which the API server has the groups of pods.
func serving() []string {
	if *shadowGates == "" {
		return nil
	}
	return []string{"--feature-gates=" + *shadowGates, "--runtime-config=scheduling.k8s.io/v1beta1=true"}
}

// check holds that nothing is different: of a thousand hosts at least 999 are agreed or tied, and of fewer all but one;
// the others are explained, by the moment at which an event was seen. Texts are agreed or explained.
func (a *agreement) check(t *testing.T) {
	t.Helper()
	t.Logf("hosts %+v, conditions %+v, events %+v, retries %+v, %d in the order of decision",
		a.Hosts, a.Messages, a.Events, a.Retries, a.Reordered)
	same := a.Hosts.Agreed + a.Hosts.Tied
	different := a.Hosts.Different + a.Messages.Different + a.Events.Different + a.Retries.Different
	if different > 0 || a.Hosts.Explained > max(1, (same+a.Hosts.Explained)/1000) {
		t.Errorf("%d of %d hosts agree, %d decisions differ", same, same+a.Hosts.Explained+a.Hosts.Different, different)
	}
	if same < *shadowPods/2 || a.Messages.Agreed < *shadowPods/10 || a.Events.Agreed < *shadowPods/10 ||
		a.Retries.Agreed < wide {
		t.Error("too little was compared")
	}
	shown := map[string]int{}
	for _, d := range a.Decisions {
		if shown[d.Verdict]++; d.Verdict == "different" && shown[d.Verdict] < 40 ||
			d.Verdict == "explained" && shown[d.Verdict] < 8 {
			t.Logf("%+v", d)
		}
	}
}

// allRecorded waits until the recording has kube-scheduler's report on every pod that is there.
func (r *running) allRecorded(file string) {
	r.Helper()
	pods, err := r.client.CoreV1().Pods("shop").List(r.Context(), metav1.ListOptions{})
	r.make(nil, err)
	r.make(nil, e2e.Await(r.Context(), func(context.Context) (bool, error) {
		decided := podsOf(r.T, file, func(e entry) bool { return len(e.O.Status.Conditions) > 0 })
		return !slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool {
			return len(p.Status.Conditions) > 0 && decided[p.Name] == 0
		}), nil
	}))
}
