package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/law"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// offered is an offer of nodes with so much cpu and memory.
func offered(name, cpu, memory, price string) string {
	return fmt.Sprintf(`- name: %[1]s
  price: "%[2]s"
  node: {metadata: {labels: {size: %[1]s}}, status: {allocatable: {cpu: "%[3]s", memory: %[4]s, pods: "20"}}}
`, name, price, cpu, memory)
}

const offersHead = "apiVersion: schedstep.dev/v1\nkind: NodeOffers\noffers:\n"

func bought(t *testing.T, f failing, manifest, offers string, of plan.BuyOf) plan.Bought {
	fl := fleet(t, f, manifest)
	all, err := fl.Offers([]byte(offers))
	if err != nil {
		f.Fatalf("%v", err)
	}
	of.Offers = all
	b, err := fl.Buy(t.Context(), of, nil)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return b
}

func nodesOf(b plan.Bought) string {
	var all []string
	for _, n := range b.Nodes {
		all = append(all, fmt.Sprintf("%d %s", n.Count, n.Offer))
	}
	return strings.Join(all, ", ")
}

// agent is a DaemonSet.
const agent = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: shop}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: web, resources: {requests: {cpu: "1"}}}]}
---
`

// mainPool is a NodePool of Karpenter with a limit.
const mainPool = `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: main}
spec:
  limits: {cpu: "4"}
  template: {spec: {requirements: [{key: size, operator: In, values: [big]}]}}
`

func TestTheCheapestNodesAreFound(t *testing.T) {
	pods := ""
	for n := range 5 {
		pods += lone(fmt.Sprintf("p%d", n), "1", 0)
	}
	small, big := offered("small", "2", "4Gi", "0.10"), offered("big", "4", "8Gi", "0.18")
	for _, test := range []struct {
		name, manifest, offers string
		of                     plan.BuyOf
		nodes, price           string
		verdict                plan.Verdict
	}{
		{"by price", pods, offersHead + small + big, plan.BuyOf{}, "1 small, 1 big", "0.28", plan.Done},
		{"by number", pods, offersHead + small + big, plan.BuyOf{Nodes: true}, "1 small, 1 big", "0.28", plan.Done},
		{
			"an agent on each takes its share", pods + agent, offersHead + small + big, plan.BuyOf{}, "2 big", "0.36", plan.Done,
		},
		{
			"as many as there are", pods, offersHead + small + big + "  most: 1\n",
			plan.BuyOf{},
			"1 small, 1 big", "0.28",
			plan.Done,
		},
		{"none holds the pod", lone("p", "9", 0), offersHead + small + big, plan.BuyOf{}, "", "0", plan.Pending},
		{
			"replicas that are wanted", node("n1", "a", "2") + workload("Deployment", "web", 2, "1", ""), offersHead + small,
			plan.BuyOf{Workload: "web", Want: 3},
			"2 small", "0.2", plan.Done,
		},
		{
			"a pool with a limit", lone("p", "1", 0), offersHead + small +
				strings.Replace(big, "  price", "  pool: main\n  price", 1) + mainPool, plan.BuyOf{}, "1 small", "0.1", plan.Done,
		},
		{"nothing waits", node("n1", "a", "2"), offersHead + small, plan.BuyOf{}, "", "0", plan.Done},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := bought(t, t, test.manifest, test.offers, test.of)
			if test.verdict == plan.Pending {
				if b.Verdict != plan.Pending || len(b.Pending) == 0 || b.Pending[0].Message == "" {
					t.Errorf("%+v", b)
				}
				return
			}
			if nodesOf(b) != test.nodes || b.Price != test.price || b.Verdict != test.verdict || !b.Exact {
				t.Errorf("%s, %s for %s, exact %t, at least %+v", b.Verdict, nodesOf(b), b.Price, b.Exact, b.AtLeast)
			}
		})
	}
}

// alone is a pod that stands beside no other pod of its kind.
func alone(name string) string {
	return strings.NewReplacer("uid: uid-", "labels: {app: db}, uid: uid-", "spec:\n",
		"spec:\n"+strings.ReplaceAll(apart, "      ", "  ")).Replace(lone(name, "1", 0))
}

func TestPodsThatResourcesDoNotHoldBackGetNodes(t *testing.T) {
	manifest, offers := node("n1", "a", "64")+node("n2", "a", "64"), offersHead
	for n := range 12 {
		manifest += alone(fmt.Sprintf("p%d", n))
	}
	for n := range 5 {
		offers += offered(fmt.Sprintf("s%d", n), "2", "8Gi", fmt.Sprintf("1.%d", n))
	}
	if b := bought(t, t, manifest, offers, plan.BuyOf{}); b.Verdict != plan.Done || nodesOf(b) != "10 s0" {
		t.Errorf("%s, %s; %d wait", b.Verdict, nodesOf(b), len(b.Pending))
	}
}

func TestTheBestOfTheMixesThatWereRunIsPrinted(t *testing.T) {
	manifest := ""
	for n := range 10 {
		manifest += lone(fmt.Sprintf("p%d", n), "1", 0)
	}
	b := bought(t, t, manifest, offersHead+offered("small", "2", "8Gi", "1")+"  most: 3\n", plan.BuyOf{})
	if b.Verdict != plan.Pending || nodesOf(b) != "3 small" || len(b.Pending) != 4 {
		t.Errorf("%s, %s; %d wait", b.Verdict, nodesOf(b), len(b.Pending))
	}
}

func TestNodesAreNotAddedWhereTheyDoNotHelp(t *testing.T) {
	beside := strings.NewReplacer("podAntiAffinity", "podAffinity", "app: db}}", "app: none}}").Replace(alone("p"))
	b := bought(t, t, node("n1", "a", "0")+beside, offersHead+offered("small", "2", "8Gi", "1"), plan.BuyOf{})
	if b.Verdict != plan.Pending || b.Mixes > 10 || nodesOf(b) != "" || b.Pending[0].Message == "" {
		t.Errorf("%s, %s; %d mixes", b.Verdict, nodesOf(b), b.Mixes)
	}
}

func TestOffersThatAreWrittenWithoutANumberOfPodsAreCounted(t *testing.T) {
	offers := offersHead + strings.Replace(offered("small", "2", "4Gi", "1"), `, pods: "20"`, "", 1) +
		offered("big", "4", "8Gi", "2")
	b := bought(t, t, lone("p", "1", 0), offers, plan.BuyOf{})
	want := "[1 kind of new nodes is written without a number of pods: "
	if !strings.HasPrefix(fmt.Sprint(b.Assumed), want) {
		t.Errorf("%v", b.Assumed)
	}
}

func TestOffersThatAreNoneAreSentences(t *testing.T) {
	f := fleet(t, t, node("n1", "a", "2"))
	for text, want := range map[string]string{
		"":                                   "it has no offer",
		offersHead + "- {price: '1'}":        "offer 1: it has no name",
		offersHead + "- {name: a}":           "a: it has either like",
		offersHead + "- {name: a, x: 1}":     `unknown field "x"`,
		offersHead + "- {name: a, like: n9}": `there is no node "n9" here`,
		offersHead + "- {name: a, like: n1, price: much}":           `price "much"`,
		offersHead + "- {name: a, like: n1, price: '-1'}":           `price "-1"`,
		offersHead + "- {name: a, like: n1}\n- {name: a, like: n1}": `two offers have the name "a"`,
		offersHead + "- {name: a, like: n1, pool: p}":               `the file has no NodePool "p"`,
		offersHead + "- {name: a, node: {metadata: {name: x}}}":     "no Node with status.allocatable",
		"a: [": "document 1",
	} {
		if _, err := f.Offers([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := f.PoolsAsOffers(); err == nil {
		t.Error("nodes without a pool are offers")
	}
}

// TestNoMixIsBetterThanAnExactAnswer compares with all mixes of up to four nodes.
func TestNoMixIsBetterThanAnExactAnswer(t *testing.T) {
	exact := 0
	law.CheckCostly(t, func(r *rapid.T) {
		manifest := node("n1", "a", "2")
		pods := rapid.IntRange(1, 6).Draw(r, "pods")
		for n := range pods {
			manifest += lone(fmt.Sprintf("p%d", n), rapid.SampledFrom([]string{"500m", "1", "1500m", "3"}).Draw(r, "cpu"), 0)
		}
		offers, prices := offersHead, []int{}
		var like []*corev1.Node
		for i := range rapid.IntRange(1, 3).Draw(r, "offers") {
			cpu := rapid.SampledFrom([]string{"2", "3", "4"}).Draw(r, "size")
			prices = append(prices, rapid.IntRange(1, 6).Draw(r, "price"))
			offers += offered(fmt.Sprintf("o%d", i), cpu, "8Gi", fmt.Sprint(prices[i]))
			like = append(like, nodeWith(cpu))
		}
		b := bought(t, r, manifest, offers, plan.BuyOf{})
		best := cheapest(opened(fleet(t, r, manifest)), like, prices, 4)
		var price, bound float64
		_, _ = fmt.Sscan(b.Price, &price)
		_, _ = fmt.Sscan(b.AtLeast.Price, &bound)
		switch {
		case best < 0:
			return
		case b.Verdict != plan.Done || price > 1.02*float64(best) || bound > float64(best):
			r.Fatalf("%s: %s for %s, at least %s; by brute force %d\n%s\n%s", b.Verdict, nodesOf(b), b.Price, b.AtLeast.Price,
				best, offers, manifest)
		case b.Exact && price != float64(best) && b.Count <= 4:
			r.Fatalf("exact, but %s is not %d", b.Price, best)
		}
		if b.Exact {
			exact++
		}
	})
	law.Met(t, exact > 0, "no answer was exact")
}

func nodeWith(cpu string) *corev1.Node {
	has := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"),
		corev1.ResourcePods: resource.MustParse("20"),
	}
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}},
		Status:     corev1.NodeStatus{Allocatable: has, Capacity: has},
	}
}

// TestPodsWithoutUIDsAreToldApart buys for pods as a manifest has them: the tie of one of them is not another's.
func TestPodsWithoutUIDsAreToldApart(t *testing.T) {
	pod := func(name, cpu, memory string) string {
		return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: shop}
spec: {containers: [{name: main, image: web, resources: {requests: {cpu: "%s", memory: %s}}}]}
---
`, name, cpu, memory)
	}
	pods := pod("big", "1", "10Gi") + pod("small-1", "1500m", "1Gi") + pod("small-2", "1500m", "1Gi")
	b := bought(t, t, pods, offersHead+offered("s", "2", "2Gi", "1")+offered("l", "1", "12Gi", "5"), plan.BuyOf{})
	if got := nodesOf(b); got != "2 s, 1 l" {
		t.Fatal(got)
	}
	ties := 0
	for _, m := range b.Lands {
		if large := strings.HasPrefix(m.To, "new-l-"); large != (m.Pod == "shop/big") ||
			large && (m.Sure != "certain" || len(m.Among) > 0) || len(m.Among) > 0 && !slices.Contains(m.Among, m.To) {
			t.Errorf("%+v", m)
		}
		ties += min(len(m.Among), 1)
	}
	if ties == 0 {
		t.Errorf("no pod was among equal nodes: %+v", b.Lands)
	}
}

// cheapest is the lowest price of up to so many nodes that join together and after which every pod has one; -1: there
// is none.
func cheapest(base world, like []*corev1.Node, prices []int, most int) int {
	best := -1
	var try func(added []int, price int)
	try = func(added []int, price int) {
		w := world{base.p.Branch()}
		for at, i := range added {
			n := like[i].DeepCopy()
			n.Name = fmt.Sprintf("new-o%d-%d", i, at)
			n.Labels[corev1.LabelHostname] = n.Name
			w.p.Deliver(cluster.Event{Action: cluster.Add, Object: n})
		}
		w.settle()
		if _, without := w.pods(); without == 0 && (best < 0 || price < best) {
			best = price
		}
		from := 0
		if len(added) > 0 {
			from = added[len(added)-1]
		}
		for i := from; i < len(like) && len(added) < most; i++ {
			try(append(slices.Clone(added), i), price+prices[i])
		}
	}
	try(nil, 0)
	return best
}
