package beside

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"example.com/gang"
	"example.com/licenses"
	"example.com/loadaware"
	"example.com/quota"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/schedstep/schedstep/conformance/compare"
	"github.com/schedstep/schedstep/conformance/generate"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/replay/source"
)

// example is one of the plugins with the clusters that it decides in.
type example struct {
	name   string
	create frameworkruntime.PluginFactory
	args   func(d *dice) string
	dress  func(d *dice, c *generate.Case) // gives the cluster what the plugin reads
	custom func(d *dice, c *generate.Case) []source.Timed

	extenders string // of the configuration, as JSON; "": it has none
}

var examples = []example{
	{gang.Name, gang.New, func(d *dice) string {
		return fmt.Sprintf(`{"timeoutSeconds":%d}`, 1+d.IntN(25))
	}, gangs, nil, ""},
	{quota.Name, quota.New, func(*dice) string { return `{}` }, nil, quotas, ""},
	{loadaware.Name, loadaware.New, func(d *dice) string {
		return fmt.Sprintf(`{"maxAgeSeconds":%d}`, 5+d.IntN(60))
	}, nil, loads, ""},
	{licenses.Name, licenses.New, func(*dice) string { return `{}` }, licensed, nil, ""},
}

type dice struct{ *rand.Rand }

func (d *dice) percent(p int) bool { return d.IntN(100) < p }

// draw is the play of a seed.
func (e *example) draw(seed int) (compare.Play, *dice) {
	d := &dice{rand.New(rand.NewPCG(uint64(seed), uint64(len(e.name))))} //nolint:gosec // of a test
	weights := generate.Only(12, generate.Zones, generate.Taints, generate.Tolerations, generate.NodeSelectors,
		generate.PreferredNodeAffinity, generate.SoftSpread, generate.Spread, generate.PodAntiAffinity,
		generate.Priorities, generate.Owners, generate.Cordons, generate.NodeChurn, generate.PodChurn, generate.Gates)
	weights[generate.PodChurn] = 60
	c := generate.WithWeights(weights).Example(seed)
	if e.dress != nil {
		e.dress(d, &c)
	}
	disabled := ""
	if d.percent(50) {
		disabled = `,"disabled":[{"name":"DefaultPreemption"}]`
	}
	play := compare.OfCase(c, fmt.Appendf(nil, `{"apiVersion":"kubescheduler.config.k8s.io/v1",
"kind":"KubeSchedulerConfiguration","extenders":%s,"profiles":[{"plugins":{"multiPoint":{"enabled":[{"name":%q,"weight":%d}]%s}},
"pluginConfig":[{"name":%q,"args":%s}]}]}`, cmp.Or(e.extenders, "[]"),
		e.name, 1+d.IntN(9), disabled, e.name, e.args(d)))
	play.Confirm = seed % 3
	if e.custom != nil {
		play.Script = append(e.custom(d, &c), play.Script...)
		slices.SortStableFunc(play.Script, func(a, b source.Timed) int { return a.At.Compare(b.At) })
	}
	return play, d
}

// epoch is when plays begin.
var epoch = time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)

// nodes and pods call f with all of a case that are or come.
func nodes(c *generate.Case, f func(*corev1.Node)) { each(c, f) }

func pods(c *generate.Case, f func(*corev1.Pod)) {
	for _, p := range c.Pending {
		f(p)
	}
	each(c, f)
}

func each[T runtime.Object](c *generate.Case, f func(T)) {
	for _, o := range c.Objects {
		if t, is := o.(T); is {
			f(t)
		}
	}
	for _, change := range c.Churn {
		if t, is := change.After.(T); is {
			f(t)
		}
	}
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// gangs puts most pods into gangs of two to four; some lack a pod.
func gangs(d *dice, c *generate.Case) {
	type place struct{ name, size string }
	of := map[string]place{}
	var now place
	left := 0
	pods(c, func(p *corev1.Pod) {
		key := cluster.Key(p)
		if _, known := of[key]; !known {
			if left == 0 {
				left = 2 + d.IntN(3)
				now = place{fmt.Sprint("gang-", len(of)), strconv.Itoa(left)}
				if d.percent(20) {
					left--
				}
			}
			left--
			of[key] = now
			if d.percent(10) {
				of[key] = place{}
			}
		}
		if g := of[key]; g.name != "" {
			p.Labels = with(with(p.Labels, gang.GangLabel, g.name), gang.SizeLabel, g.size)
		}
	})
}

// licensed gives nodes licenses, and has most pods want one; some that run hold one.
func licensed(d *dice, c *generate.Case) {
	nodes(c, func(n *corev1.Node) {
		n.Annotations = with(n.Annotations, licenses.Annotation, strconv.Itoa(d.IntN(4)))
	})
	wants := map[string]bool{}
	held := map[string]int{}
	pods(c, func(p *corev1.Pod) {
		key := cluster.Key(p)
		if _, known := wants[key]; !known {
			wants[key] = d.percent(70)
		}
		if !wants[key] {
			return
		}
		p.Labels = with(p.Labels, licenses.WantLabel, "true")
		if p.Spec.NodeName != "" {
			held[p.Spec.NodeName]++
			p.Annotations = with(p.Annotations, licenses.Number, strconv.Itoa(held[p.Spec.NodeName]))
		}
	})
}

// quotas gives most namespaces a Quota, which changes.
func quotas(d *dice, c *generate.Case) []source.Timed {
	priorities := map[string]int32{}
	pods(c, func(p *corev1.Pod) {
		if _, known := priorities[cluster.Key(p)]; !known {
			priorities[cluster.Key(p)] = 100 * d.Int32N(3)
		}
		priority := priorities[cluster.Key(p)]
		p.Spec.Priority = &priority
	})
	used := map[string]int64{}
	pods(c, func(p *corev1.Pod) {
		for _, container := range p.Spec.Containers {
			used[p.Namespace] += container.Resources.Requests.Cpu().MilliValue()
		}
	})
	var script []source.Timed
	for _, ns := range sorted(used) {
		if d.percent(15) {
			continue
		}
		q := func() *unstructured.Unstructured {
			cpu := resource.NewMilliQuantity(1+d.Int64N(1+used[ns]), resource.DecimalSI)
			return object("quota.example.com/v1", "Quota", ns, "cpu", "spec", map[string]any{"cpu": cpu.String()})
		}
		script = append(script, d.life(c, q)...)
	}
	return script
}

// loads gives most nodes a NodeLoad, which changes.
func loads(d *dice, c *generate.Case) []source.Timed {
	names := map[string]int64{}
	nodes(c, func(n *corev1.Node) { names[n.Name] = 0 })
	var script []source.Timed
	for _, name := range sorted(names) {
		if d.percent(20) {
			continue
		}
		script = append(script, d.life(c, func() *unstructured.Unstructured {
			at := epoch.Add(time.Duration(d.IntN(90)-45)*time.Second + time.Second/2)
			return object("load.example.com/v1", "NodeLoad", "", name, "status", map[string]any{
				"cpuPercent": d.Int64N(120), "at": at.Format(time.RFC3339Nano),
			})
		})...)
	}
	return script
}

// life is the events of an object: it comes at first, changes between the other events, and may go.
func (d *dice) life(c *generate.Case, version func() *unstructured.Unstructured) []source.Timed {
	first := version()
	script := []source.Timed{{At: epoch, Event: cluster.Event{Action: cluster.Add, Object: first}}}
	for k := range len(c.Churn) {
		at := epoch.Add(time.Duration(k)*7*time.Second + 3*time.Second)
		switch {
		case d.percent(25):
			script = append(script, source.Timed{At: at, Event: cluster.Event{Action: cluster.Update, Object: version()}})
		case d.percent(5):
			return append(script, source.Timed{At: at, Event: cluster.Event{Action: cluster.Delete, Object: first}})
		}
	}
	return script
}

func object(version, kind, ns, name, part string, value map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind, part: value}}
	u.SetNamespace(ns)
	u.SetName(name)
	return u
}

func sorted(m map[string]int64) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
