// Package host runs plugins that were written for kube-scheduler's framework inside schedstep: it is their framework
// in place of kube-scheduler's. A scheduler of core calls the adapters of this package like its own plugins, and they
// call the hosted ones. What a plugin gets from its Handle comes from the scheduler's State; what it writes becomes
// effects.
//
// Each scheduler has a home with one instance of its hosted plugins, which lives in a bubble: clock, timers and
// goroutines of the instance are its own, and a call returns when nothing in it moves. The clients that it hands out
// lead to an API server in memory. What plugins write there, custom resources too, and their reasons and events leave
// it as facts and effects: these are shown, and a driver sends effects to a real cluster. Network, files and streams
// are those of the process.
//
// A program that imports it is linked with -ldflags=-checklinkname=0; "schedstep build" makes such programs.
package host

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// manage makes kube-scheduler's managers of devices and volumes, which plugins share.
func (i *instance) manage() error {
	metrics.Register()
	i.csi = nodevolumelimits.NewCSIManager(i.factory.Storage().V1().CSINodes().Lister())
	gates := utilfeature.DefaultFeatureGate
	if !gates.Enabled(features.DynamicResourceAllocation) {
		return nil
	}
	claims := assumecache.NewAssumeCache(
		klog.FromContext(i.ctx), i.factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	options := resourceslicetracker.Options{
		EnableDeviceTaintRules:   gates.Enabled(features.DRADeviceTaintRules),
		EnableConsumableCapacity: gates.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            i.factory.Resource().V1().ResourceSlices(), KubeClient: i.client,
	}
	if options.EnableDeviceTaintRules {
		options.TaintInformer = i.factory.Resource().V1().DeviceTaintRules()
	}
	slices, err := resourceslicetracker.StartTracker(i.ctx, options)
	if err != nil {
		return fmt.Errorf("following ResourceSlices: %w", err)
	}
	i.dra = dynamicresources.NewDRAManager(i.ctx, claims, slices, i.factory)
	// kube-scheduler's event handlers fill the cache of classes that stand for extended resources.
	if classes, is := i.dra.DeviceClassResolver().(cache.ResourceEventHandler); is {
		_, err = i.factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(classes)
	}
	return err
}
