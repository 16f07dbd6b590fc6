package owner_test

import (
	"testing"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/owner"
)

// TestWordsOfWorkloadsAreThoseOfKubectl parses workloads as people write them.
func TestWordsOfWorkloadsAreThoseOfKubectl(t *testing.T) {
	for _, c := range []struct {
		text string
		kind cluster.Kind
		name string
	}{
		{"deploy/web", owner.KindDeployment, "web"},
		{"Deployment.apps/shop/web", owner.KindDeployment, "shop/web"},
		{"shop/sts/db", cluster.KindStatefulSet, "shop/db"},
		{"cj/night", owner.KindCronJob, "night"},
		{"replicationcontrollers/old", cluster.KindReplicationController, "old"},
		{"web", "", ""},
		{"pod/web", "", ""},
		{"deploy", "", ""},
	} {
		kind, name, is := owner.Parse(c.text)
		if kind != c.kind || name != c.name || is != (c.kind != "") {
			t.Errorf("%s: %s %q %t", c.text, kind, name, is)
		}
	}
	short, kinds := owner.Words()
	for i, word := range short {
		if kind, is := owner.KindOf(word); !is || kind != kinds[i] || owner.Word(kind) != word {
			t.Errorf("%s is the word of %s, and means %s", word, kinds[i], kind)
		}
	}
}
