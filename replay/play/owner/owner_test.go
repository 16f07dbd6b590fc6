package owner_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/play/owner"
)

func TestAPlaceIsWhereAChangeLasts(t *testing.T) {
	for _, test := range []struct {
		kind, name, hash string
		uid              types.UID
		on               string
		follows          owner.Follows
	}{
		{"ReplicaSet", "web-5f6", "5f6", "u", "Deployment shop/web", owner.AllRoll},
		{"ReplicaSet", "web", "", "u", "ReplicaSet shop/web", owner.NoneRoll},
		{"StatefulSet", "db", "", "u", "StatefulSet shop/db", owner.InOrder},
		{"DaemonSet", "agent", "", "u", "DaemonSet shop/agent", owner.AllRoll},
		{"Job", "migrate", "", "u", "Job shop/migrate", owner.Immutable},
		{"Job", "migrate", "", "", "Job shop/migrate", owner.NotMadeYet},
		{"PyTorchJob", "train", "", "u", "PyTorchJob shop/train", owner.NotKnown},
		{"", "", "", "u", "Pod shop/p", owner.ItIsMade},
	} {
		api := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "p", UID: test.uid}}
		if test.hash != "" {
			api.Labels = map[string]string{"pod-template-hash": test.hash}
		}
		if test.kind != "" {
			api.OwnerReferences = []metav1.OwnerReference{{Kind: test.kind, Name: test.name, Controller: ptr.To(true)}}
		}
		state := cluster.NewState()
		state.Apply(cluster.Event{Action: cluster.Add, Object: api})
		pod, _ := state.Pod("shop/p")
		got := owner.PlaceOf(pod)
		if on := string(got.On.Kind) + " " + got.On.Key(); on != test.on || got.Follows != test.follows {
			t.Errorf("%s %s: %s %d, want %s %d", test.kind, test.name, on, got.Follows, test.on, test.follows)
		}
	}
}

func TestKeysHaveTheirWriters(t *testing.T) {
	for _, test := range []struct {
		key  string
		got  owner.Writer
		want owner.Writer
	}{
		{"a taint by a condition", owner.OfTaint(corev1.TaintNodeNotReady), owner.NodeLifecycle},
		{
			"a taint before a node is set up", owner.OfTaint("node.cloudprovider.kubernetes.io/uninitialized"),
			owner.CloudController,
		},
		{"a taint of a pool", owner.OfTaint("gpu"), owner.User},
		{"the mark of a cordon", owner.OfTaint(corev1.TaintNodeUnschedulable), owner.User},
		{"a wish for hardware", owner.OfNodeLabel("nvidia.com/gpu.product"), "the operator of the devices"},
		{"a label of one's own", owner.OfNodeLabel("disk"), owner.User},
		{"Kueue's gate", owner.OfGate("kueue.x-k8s.io/admission"), "Kueue"},
		{"another gate", owner.OfGate("quota"), owner.User},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.key, test.got, test.want)
		}
	}
}
