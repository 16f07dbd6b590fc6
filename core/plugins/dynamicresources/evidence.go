package dynamicresources

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
)

// namedDevices is how many devices of a node the evidence about one request names; all of them are counted.
const namedDevices = 8

// survey is what evidence needs to know of devices, gathered when a node is rejected for the first time. It does not
// search for combinations: when every device passes on its own and the request still gets none, the evidence is the
// counts.
type survey struct {
	local    map[string][]*resourcev1.ResourceSlice // by node
	shared   []*resourcev1.ResourceSlice
	matches  map[match]bool
	counters map[pool]map[string]map[string]resource.Quantity // free, by counter set and counter
}

// match is a selector and the device that it is evaluated for.
type match struct {
	device     *resourcev1.Device
	expression string
}

type pool struct{ driver, name string }

func poolOf(s *resourcev1.ResourceSlice) pool { return pool{s.Spec.Driver, s.Spec.Pool.Name} }

// ask is one request for devices in a claim, or one of its alternatives.
type ask struct {
	name       string
	class      *resourcev1.DeviceClass
	selectors  []resourcev1.DeviceSelector
	tolerances []resourcev1.DeviceToleration
	capacity   *resourcev1.CapacityRequirements
	mode       resourcev1.DeviceAllocationMode
	count      int64
	admin      bool
}

func (c *check) asks(claim *resourcev1.ResourceClaim) []ask {
	var asks []ask
	for i := range claim.Spec.Devices.Requests {
		r := &claim.Spec.Devices.Requests[i]
		if e := r.Exactly; e != nil {
			class, _ := c.objects.DeviceClasses.Find(e.DeviceClassName)
			asks = append(asks, ask{
				r.Name, class, e.Selectors, e.Tolerations, e.Capacity, e.AllocationMode, e.Count,
				e.AdminAccess != nil && *e.AdminAccess,
			})
		}
		for k := range r.FirstAvailable {
			s := &r.FirstAvailable[k]
			class, _ := c.objects.DeviceClasses.Find(s.DeviceClassName)
			name := resourceclaim.CreateSubRequestRef(r.Name, s.Name)
			asks = append(asks, ask{name, class, s.Selectors, s.Tolerations, s.Capacity, s.AllocationMode, s.Count, false})
		}
	}
	return asks
}

// evidence lists for every request how many devices there are for the node, how many of them could serve it, and what
// is wrong with the first of the others.
func (c *check) evidence(node *cluster.Node, claims []*resourcev1.ResourceClaim) []trace.Evidence {
	devices := c.survey.devices(c, node)
	var evidence []trace.Evidence
	for _, claim := range claims {
		for _, asked := range c.asks(claim) {
			about := phrase.Textf("claim %s request %s", cluster.Key(claim), asked.name)
			evidence = c.aboutRequest(evidence, about, &asked, devices)
		}
	}
	return evidence
}

func (c *check) aboutRequest(evidence []trace.Evidence, what phrase.Text, asked *ask, devices []seen) []trace.Evidence {
	at := len(evidence)
	evidence = append(evidence, trace.Evidence{})
	fit, taken := int64(0), int64(0)
	for _, d := range devices {
		why := c.whyNot(asked, d)
		switch {
		case why == nil:
			fit++
			continue
		case why.By != nil:
			taken++
		}
		if len(evidence)-at <= namedDevices {
			why.Topic, why.What = trace.OfDevice, phrase.Text(d.id.String())
			evidence = append(evidence, *why)
		}
	}
	want := trace.Count(asked.count)
	if asked.mode == resourcev1.DeviceAllocationModeAll {
		want = trace.Words("all")
	}
	evidence[at] = trace.Evidence{
		What: what, Want: want, Have: trace.Count(fit), Used: trace.Count(taken),
		Capacity: trace.Count(int64(len(devices))),
	}
	return evidence
}

// seen is a device that a node can use as far as its place is concerned.
type seen struct {
	id     structured.DeviceID
	device *resourcev1.Device
	slice  *resourcev1.ResourceSlice
}

func (s *survey) devices(c *check, node *cluster.Node) []seen {
	if s.local == nil {
		s.gather(c.objects.TaintedSlices())
	}
	var devices []seen
	look := func(slice *resourcev1.ResourceSlice, here func(*resourcev1.Device) bool) {
		for i := range slice.Spec.Devices {
			if d := &slice.Spec.Devices[i]; here(d) {
				devices = append(devices, seen{structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, d.Name), d, slice})
			}
		}
	}
	everyDevice := func(*resourcev1.Device) bool { return true }
	for _, slice := range s.local[node.Name] {
		look(slice, everyDevice)
	}
	for _, slice := range s.shared {
		switch spec := &slice.Spec; {
		case ptr.Deref(spec.PerDeviceNodeSelection, false):
			look(slice, func(d *resourcev1.Device) bool { return c.isHere(node, d.NodeName, d.AllNodes, d.NodeSelector) })
		case c.isHere(node, nil, spec.AllNodes, spec.NodeSelector):
			look(slice, everyDevice)
		}
	}
	return devices
}

// gather sorts the slices of each pool's newest generation by the nodes that can use them.
func (s *survey) gather(slices []*resourcev1.ResourceSlice) {
	newest := map[pool]int64{}
	for _, slice := range slices {
		newest[poolOf(slice)] = max(newest[poolOf(slice)], slice.Spec.Pool.Generation)
	}
	s.local, s.matches = map[string][]*resourcev1.ResourceSlice{}, map[match]bool{}
	s.counters = map[pool]map[string]map[string]resource.Quantity{}
	for _, slice := range slices {
		switch name := slice.Spec.NodeName; {
		case slice.Spec.Pool.Generation < newest[poolOf(slice)]:
		case name != nil && *name != "":
			s.local[*name] = append(s.local[*name], slice)
		default:
			s.shared = append(s.shared, slice)
		}
	}
}

func (c *check) isHere(node *cluster.Node, name *string, everywhere *bool, selector *corev1.NodeSelector) bool {
	wanted := ""
	if name != nil {
		wanted = *name
	}
	here, err := structured.NodeMatches(c.plugin.features, node.API, wanted, ptr.Deref(everywhere, false), selector)
	return here && err == nil
}

// whyNot is the first reason that keeps a device from a request, in the order of the allocator's checks; nil when the
// device alone gives no reason.
func (c *check) whyNot(asked *ask, d seen) *trace.Evidence {
	if _, taken := c.taken.State.AllocatedDevices[d.id]; taken && !asked.admin {
		holder, _ := c.taken.Holder(d.id)
		return &trace.Evidence{Have: trace.Words("taken"), By: c.room.Names(holder)}
	}
	if asked.class != nil {
		if e := c.selects(asked.class.Spec.Selectors, d, "class "+asked.class.Name); e != nil {
			return e
		}
	}
	if e := c.selects(asked.selectors, d, "selector"); e != nil {
		return e
	}
	if e := c.fillsUp(asked, d); e != nil {
		return e
	}
	if e := c.counts(d); e != nil {
		return e
	}
	for i := range d.device.Taints {
		t := &d.device.Taints[i]
		keepsOff := t.Effect == resourcev1.DeviceTaintEffectNoSchedule || t.Effect == resourcev1.DeviceTaintEffectNoExecute
		tolerated := slices.ContainsFunc(asked.tolerances, func(a resourcev1.DeviceToleration) bool {
			return resourceclaim.ToleratesTaint(a, *t)
		})
		if keepsOff && !tolerated {
			return &trace.Evidence{Want: trace.Words("no taint or a toleration"), Have: trace.Wordsf("taint %s", taintText(t))}
		}
	}
	return nil
}

// selects finds the first selector that does not match.
func (c *check) selects(selectors []resourcev1.DeviceSelector, d seen, whose string) *trace.Evidence {
	for i := range selectors {
		if selectors[i].CEL == nil {
			continue
		}
		expression := selectors[i].CEL.Expression
		key := match{d.device, expression}
		matches, known := c.survey.matches[key]
		if !known {
			compiled := c.plugin.compiled.GetOrCompile(expression)
			if compiled.Error == nil {
				matches, _, _ = compiled.DeviceMatches(c.plugin.quiet, cel.Device{
					Driver: d.slice.Spec.Driver, AllowMultipleAllocations: d.device.AllowMultipleAllocations,
					Attributes: d.device.Attributes, Capacity: d.device.Capacity,
				})
			}
			c.survey.matches[key] = matches
		}
		if !matches {
			return &trace.Evidence{Want: trace.Text(whose + ": " + expression), Have: trace.Words("no match")}
		}
	}
	return nil
}

// fillsUp finds the first capacity of which the request needs more than the shares of the device leave.
func (c *check) fillsUp(asked *ask, d seen) *trace.Evidence {
	if asked.capacity == nil {
		return nil
	}
	names := make([]resourcev1.QualifiedName, 0, len(asked.capacity.Requests))
	for name := range asked.capacity.Requests {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		want, has := asked.capacity.Requests[name], d.device.Capacity[name]
		free, used := has.Value.DeepCopy(), resource.Quantity{}
		if q := c.taken.State.AggregatedCapacity[d.id][name]; q != nil {
			used = *q
			free.Sub(used)
		}
		if free.Cmp(want) < 0 {
			return &trace.Evidence{
				Want: trace.Text(want.String() + " " + string(name)), Have: trace.Text(free.String()),
				Used: trace.Text(used.String()), Capacity: trace.Text(has.Value.String()),
			}
		}
	}
	return nil
}

// counts finds the first counter that taken devices of the same pool left too little of.
func (c *check) counts(d seen) *trace.Evidence {
	for i := range d.device.ConsumesCounters {
		consumes := &d.device.ConsumesCounters[i]
		free := c.survey.free(c, poolOf(d.slice))[consumes.CounterSet]
		names := make([]string, 0, len(consumes.Counters))
		for name := range consumes.Counters {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			want, left := consumes.Counters[name].Value, free[name]
			if left.Cmp(want) < 0 {
				return &trace.Evidence{
					Want: trace.Wordsf("%s of counter %s", want.String(), consumes.CounterSet+"/"+name),
					Have: trace.Text(left.String()),
				}
			}
		}
	}
	return nil
}

// free is what is left of the counters of a pool.
func (s *survey) free(c *check, p pool) map[string]map[string]resource.Quantity {
	if free, known := s.counters[p]; known {
		return free
	}
	free := map[string]map[string]resource.Quantity{}
	s.counters[p] = free
	var members []*resourcev1.ResourceSlice
	for _, slice := range c.objects.TaintedSlices() {
		if poolOf(slice) == p {
			members = append(members, slice)
		}
	}
	newest := slices.MaxFunc(members, func(a, b *resourcev1.ResourceSlice) int {
		return cmp.Compare(a.Spec.Pool.Generation, b.Spec.Pool.Generation)
	})
	members = slices.DeleteFunc(members, func(m *resourcev1.ResourceSlice) bool {
		return m.Spec.Pool.Generation < newest.Spec.Pool.Generation
	})
	for _, m := range members {
		for i := range m.Spec.SharedCounters {
			set := &m.Spec.SharedCounters[i]
			free[set.Name] = map[string]resource.Quantity{}
			for name, counter := range set.Counters {
				free[set.Name][name] = counter.Value.DeepCopy()
			}
		}
	}
	for _, m := range members {
		for i := range m.Spec.Devices {
			c.subtract(free, p, &m.Spec.Devices[i])
		}
	}
	return free
}

// subtract takes what a device consumes, when a claim has it, from the counters.
func (c *check) subtract(free map[string]map[string]resource.Quantity, p pool, device *resourcev1.Device) {
	if !structured.IsDeviceAllocated(structured.MakeDeviceID(p.driver, p.name, device.Name), &c.taken.State) {
		return
	}
	for i := range device.ConsumesCounters {
		consumes := &device.ConsumesCounters[i]
		for name, counter := range consumes.Counters {
			if left, ok := free[consumes.CounterSet][name]; ok {
				left.Sub(counter.Value)
				free[consumes.CounterSet][name] = left
			}
		}
	}
}

// taintText is a device taint as kubectl writes taints.
func taintText(t *resourcev1.DeviceTaint) string {
	text := t.Key
	if t.Value != "" {
		text += "=" + t.Value
	}
	return text + ":" + string(t.Effect)
}

// selectorText is where an allocated claim can be used, in words.
func selectorText(s *corev1.NodeSelector) string {
	var terms []string
	for i := range s.NodeSelectorTerms {
		var parts []string
		for _, r := range slices.Concat(s.NodeSelectorTerms[i].MatchFields, s.NodeSelectorTerms[i].MatchExpressions) {
			parts = append(parts, strings.TrimSpace(r.Key+" "+string(r.Operator)+" "+strings.Join(r.Values, ",")))
		}
		terms = append(terms, "has "+strings.Join(parts, " and "))
	}
	return strings.Join(terms, " or ")
}
