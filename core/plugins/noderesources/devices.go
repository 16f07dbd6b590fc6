package noderesources

import (
	"context"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/schedstep/schedstep/core/cluster"
)

// expressions is how many compiled CEL expressions are kept for later cycles; which ones decides nothing.
const expressions = 10

// compiler holds what is needed to find whether a device belongs to a class.
type compiler struct {
	cache *cel.Cache
	quiet context.Context // never done; its logger discards
}

func newCompiler() compiler {
	return compiler{
		cache: cel.NewCache(expressions, cel.Features{EnableConsumableCapacity: true}),
		quiet: logr.NewContext(context.Background(), logr.Discard()),
	}
}

// fleet is the devices of the class that stands for an extended resource. It is made for one cycle.
type fleet struct {
	compiler
	class  *resourcev1.DeviceClass
	taken  *cluster.TakenDevices
	local  map[string][]*resourcev1.ResourceSlice // by the one node that may use their devices
	shared []*resourcev1.ResourceSlice            // whose devices several nodes may use
}

// fleetFor is the devices behind a resource; nil when no DeviceClass stands for it.
func (c compiler) fleetFor(name corev1.ResourceName, objects *cluster.Objects) *fleet {
	if !cluster.IsExtended(name) && !strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix) {
		return nil
	}
	class := objects.DeviceClassFor(name)
	if class == nil {
		return nil
	}
	f := &fleet{compiler: c, class: class, taken: objects.TakenDevices(), local: map[string][]*resourcev1.ResourceSlice{}}
	for _, slice := range objects.TaintedSlices() {
		node := slice.Spec.NodeName
		everywhere := ptr.Deref(slice.Spec.AllNodes, false) || ptr.Deref(slice.Spec.PerDeviceNodeSelection, false)
		if everywhere || node == nil || *node == "" || slice.Spec.NodeSelector != nil {
			f.shared = append(f.shared, slice)
			continue
		}
		f.local[*node] = append(f.local[*node], slice)
	}
	return f
}

// on counts the devices that the node may use, and how many of them are taken: 0 and 0 when an error hides it. Taints,
// counters and outdated pools play no part (calculateDRAResourceTotals, 1.37).
func (f *fleet) on(node *cluster.Node) (capacity, used int64) {
	for _, slices := range [][]*resourcev1.ResourceSlice{f.local[node.Name], f.shared} {
		for _, slice := range slices {
			for i := range slice.Spec.Devices {
				device := &slice.Spec.Devices[i]
				counts, err := f.reaches(slice, device, node.API)
				if err == nil && counts {
					counts, err = f.has(slice, device)
				}
				switch {
				case err != nil:
					return 0, 0
				case !counts:
					continue
				}
				capacity++
				if structured.IsDeviceAllocated(
					structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, device.Name), &f.taken.State,
				) {
					used++
				}
			}
		}
	}
	return capacity, used
}

// reaches reports whether the node may use a device. A slice that names no nodes is for all of them.
func (f *fleet) reaches(slice *resourcev1.ResourceSlice, device *resourcev1.Device, node *corev1.Node) (bool, error) {
	name, all, selector := slice.Spec.NodeName, ptr.Deref(slice.Spec.AllNodes, false), slice.Spec.NodeSelector
	single := ptr.Deref(slice.Spec.PerDeviceNodeSelection, false)
	if single {
		name, all, selector = device.NodeName, ptr.Deref(device.AllNodes, false), device.NodeSelector
	}
	switch named := name != nil && *name != ""; {
	case all || named && *name == node.Name:
		return true, nil
	case selector != nil:
		want := ""
		if named {
			want = *name
		}
		return structured.NodeMatches(structured.Features{}, node, want, false, selector)
	default:
		return !single && !named, nil
	}
}

// has reports whether the device belongs to the class.
func (f *fleet) has(slice *resourcev1.ResourceSlice, device *resourcev1.Device) (bool, error) {
	for i := range f.class.Spec.Selectors {
		selector := f.class.Spec.Selectors[i].CEL
		if selector == nil {
			continue
		}
		compiled := f.cache.GetOrCompile(selector.Expression)
		if compiled.Error != nil {
			return false, compiled.Error
		}
		matches, _, err := compiled.DeviceMatches(
			f.quiet, cel.Device{Driver: slice.Spec.Driver, Attributes: device.Attributes, Capacity: device.Capacity},
		)
		if err != nil || !matches {
			return false, err
		}
	}
	return true, nil
}
