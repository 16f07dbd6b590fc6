package templates_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source/importer"
	"github.com/schedstep/schedstep/replay/source/importer/templates"
)

// read is what a manifest holds.
func read(t *testing.T, text string) []importer.Object {
	t.Helper()
	dump, err := importer.Read(t.Context(), []string{"-"}, importer.Options{
		Streams: map[string]io.Reader{"-": strings.NewReader(text)}, Workloads: importer.AllWorkloads,
	})
	if err != nil || len(dump.Problems) > 0 {
		t.Fatal(err, dump.Problems)
	}
	return dump.Objects
}

func podsOf(objects []importer.Object) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, o := range objects {
		if pod, is := o.Object.(*corev1.Pod); is {
			pods = append(pods, pod)
		}
	}
	return pods
}

const shop = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: %d
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: c, image: x}]}
`

// Spreading by default goes by the selector of the ReplicaSet that owns a pod.
func TestTheReplicaSetThatIsMadeSelectsItsPodsAndOwnsThem(t *testing.T) {
	made := templates.Make(read(t, fmt.Sprintf(shop, 2)), templates.Options{})
	var set *appsv1.ReplicaSet
	for _, o := range made.Objects {
		if x, is := o.Object.(*appsv1.ReplicaSet); is {
			set = x
		}
	}
	pods := podsOf(made.Objects)
	if set == nil || len(pods) != 2 {
		t.Fatalf("made %d pods, ReplicaSet %v", len(pods), set)
	}
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods {
		owner := metav1.GetControllerOf(pod)
		if !selector.Matches(labels.Set(pod.Labels)) || owner.Kind != "ReplicaSet" || owner.Name != set.Name {
			t.Errorf("pod %s with labels %v and owner %v is none of %s (%v)", pod.Name, pod.Labels, owner, set.Name, selector)
		}
	}
}

// A StatefulSet and a Deployment of one name would give their pods the same names.
func TestNamesThatAreTakenAreNotGivenAgain(t *testing.T) {
	taken := "---\napiVersion: v1\nkind: Pod\nmetadata: {name: shop-1}\nspec: {containers: [{name: c, image: x}]}\n"
	made := templates.Make(read(t, fmt.Sprintf(shop, 2)+taken), templates.Options{})
	var names []string
	for _, pod := range podsOf(made.Objects) {
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	if want := []string{"shop-1", "shop-2", "shop-3"}; !slices.Equal(names, want) {
		t.Errorf("pods are called %v, want %v", names, want)
	}
}

func TestMoreReplicasThanAClusterHoldsAreRefused(t *testing.T) {
	made := templates.Make(read(t, fmt.Sprintf(shop, 2_000_000_000)), templates.Options{})
	if len(podsOf(made.Objects)) > 0 || len(made.Problems) != 1 || made.Problems[0].Severity != importer.Refused {
		t.Errorf("got %d pods and %v, want one refusal", len(podsOf(made.Objects)), made.Problems)
	}
}

func TestTwoRunsMakeTheSame(t *testing.T) {
	text := fmt.Sprintf(shop, 3)
	one := templates.Make(read(t, text), templates.Options{})
	two := templates.Make(read(t, text), templates.Options{})
	for i, o := range one.Objects {
		a, _ := o.Object.(cluster.Object)
		b, _ := two.Objects[i].Object.(cluster.Object)
		if cluster.Key(a) != cluster.Key(b) {
			t.Errorf("object %d is %s, and %s in another run", i, cluster.Key(a), cluster.Key(b))
		}
	}
}

// pkg/apis/apps/validation of 1.37 refuses such workloads; older versions of their API took the labels of the template.
func TestAWorkloadHasToSelectThePodsOfItsTemplate(t *testing.T) {
	const selector = "  selector: {matchLabels: {app: shop}}\n"
	for _, c := range []struct {
		name, text string
		pods       int
		says       string
	}{
		{"it does", shop, 1, ""},
		{"no selector", strings.Replace(shop, selector, "", 1), 0, "spec.selector: Required value"},
		{"empty", strings.Replace(shop, selector, "  selector: {}\n", 1), 0, "spec.selector: Invalid value: {}: empty selector is invalid"},
		{
			"other labels", strings.Replace(shop, selector, "  selector: {matchLabels: {app: other}}\n", 1), 0,
			"spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`",
		},
		{
			"an older version", strings.NewReplacer(selector, "", "apps/v1", "extensions/v1beta1").Replace(shop), 1, "",
		},
		{"it is stored", strings.Replace(shop, "{name: shop}", "{name: shop, uid: u}", 1), 1, ""},
	} {
		made := templates.Make(read(t, fmt.Sprintf(c.text, 1)), templates.Options{Applied: true})
		says := ""
		for _, p := range made.Problems {
			says += p.What.String()
		}
		if n := len(podsOf(made.Objects)); n != c.pods || !strings.HasSuffix(says, c.says) || (says == "") != (c.says == "") {
			t.Errorf("%s: %d pods, %q; want %d, %q", c.name, n, says, c.pods, c.says)
		}
	}
}
