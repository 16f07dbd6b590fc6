package cluster_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/schedstep/schedstep/core/cluster"
)

// The API machinery derives a resource's name from the kind by a rule that holds for every kind of Kubernetes.
func TestEveryRowNamesTheResourceAsTheAPIDoes(t *testing.T) {
	for _, row := range cluster.KindRows() {
		want, _ := meta.UnsafeGuessKindToResource(row.GroupVersion().WithKind(string(row.Kind)))
		if got := row.GroupVersionResource(); got != want {
			t.Errorf("%s: resource %s, want %s", row.Kind, got, want)
		}
		made := reflect.TypeOf(row.New()).Elem()
		if made.Name() != string(row.Kind) {
			t.Errorf("%s: New makes a %s", row.Kind, made.Name())
		}
		version := strings.ToLower(row.Version)
		if !strings.HasSuffix(made.PkgPath(), "/"+version) {
			t.Errorf("%s: New makes an object of %s, which is not version %s", row.Kind, made.PkgPath(), version)
		}
	}
}

func TestEveryKindTheSchedulerReadsIsKept(t *testing.T) {
	for _, row := range cluster.KindRows() {
		o := row.Blank()
		o.SetName("a")
		if row.Namespaced {
			o.SetNamespace("default")
		}
		state := cluster.NewState()
		state.Apply(cluster.Event{Action: cluster.Add, Object: o})
		changes := state.Apply(cluster.Event{Action: cluster.Add, Object: o})
		kept := changes[0].Ignored == "" && changes[0].Action == cluster.Update
		if reads := row.Reader == cluster.ReadByScheduler; reads != kept {
			t.Errorf("%s: read by the scheduler %t, kept by its state %t", row.Kind, reads, kept)
		}
	}
}

func TestAKindWithAGuessSaysWhichPodsNeedIt(t *testing.T) {
	for _, row := range cluster.KindRows() {
		if (row.Guess != "") != (row.Need != cluster.NeededByNoPod) {
			t.Errorf("%s: guess %q, need %d", row.Kind, row.Guess, row.Need)
		}
		if row.Guess != "" && row.Reader != cluster.ReadByScheduler {
			t.Errorf("%s: the scheduler does not read it, so nothing is a guess without it", row.Kind)
		}
	}
}
