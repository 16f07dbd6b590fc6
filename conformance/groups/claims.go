package groups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// turn has the members of a group go to their nodes one after the other, in the order in which they were placed. Which
// of them writes a claim that they share is a race otherwise.
type turn struct{ handle fwk.Handle }

const turnName = "Turn"

// Name is Turn.
func (*turn) Name() string { return turnName }

// Permit holds every pod until the one before it has an end.
func (*turn) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	return fwk.NewStatus(fwk.Wait), patience
}

// inTurn adds the plugin to a profile.
func (t *turn) inTurn(p *config.KubeSchedulerProfile) scheduler.Option {
	p.Plugins.Permit.Enabled = append(p.Plugins.Permit.Enabled, config.Plugin{Name: turnName})
	return scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{
		turnName: func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			t.handle = h
			return t, nil
		},
	})
}

// release lets the pods go that wait, each when the one before it has an end.
func (t *turn) release(of *theirs, pods []*corev1.Pod) {
	for _, p := range pods {
		w := t.handle.GetWaitingPod(p.UID)
		if w == nil {
			continue
		}
		w.Allow(turnName)
		for deadline := time.After(patience); !of.ended(p.Name); {
			select {
			case <-of.changed:
			case <-deadline:
				return
			}
		}
	}
}

func (t *theirs) ended(pod string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, bound := t.outcome.Bound[pod]
	_, failed := t.outcome.Failed[pod]
	return bound || failed
}

// versions is the part of an API server that refuses an update made from another version of an object, and leaves an
// object its version when an update changes nothing.
type versions struct {
	tracker clienttesting.ObjectTracker
	given   int
}

// errOutdated is the registry's OptimisticLockErrorMsg.
var errOutdated = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again",
)

func (v *versions) update(action clienttesting.Action) (bool, runtime.Object, error) {
	resource := action.GetResource()
	claim := action.(clienttesting.UpdateAction).GetObject().(*resourcev1.ResourceClaim).DeepCopy()
	stored, err := v.tracker.Get(resource, claim.Namespace, claim.Name)
	if err != nil {
		return true, nil, err
	}
	is := stored.(*resourcev1.ResourceClaim)
	if is.ResourceVersion != claim.ResourceVersion {
		return true, nil, apierrors.NewConflict(
			resource.GroupResource(), claim.Name, errOutdated,
		)
	}
	if action.GetSubresource() != "status" {
		claim.Status = is.Status
	}
	if equality.Semantic.DeepEqual(is, claim) {
		return true, claim, nil
	}
	v.given++
	claim.ResourceVersion = fmt.Sprint(1000 + v.given)
	return true, claim, v.tracker.Update(resource, claim, claim.Namespace)
}

// devices begins the informers of devices and claims, and waits until the scheduler's caches have everything, which is
// after the informers have it.
func devices(
	ctx context.Context, client *fake.Clientset, factory informers.SharedInformerFactory, known fwk.SharedDRAManager,
	c Cluster,
) error {
	v := &versions{tracker: client.Tracker()}
	client.PrependReactor("update", "resourceclaims", v.update)
	r := factory.Resource().V1()
	for _, i := range []cache.SharedIndexInformer{
		r.ResourceClaims().Informer(), r.ResourceSlices().Informer(), r.DeviceClasses().Informer(),
	} {
		go i.RunWithContext(ctx)
		<-i.HasSyncedChecker().Done()
	}
	allocated := 0
	for _, claim := range c.Claims {
		if claim.Status.Allocation != nil {
			allocated += len(claim.Status.Allocation.Devices.Results)
		}
	}
	return wait.PollUntilContextTimeout(ctx, time.Millisecond, patience, true, func(context.Context) (bool, error) {
		slices, err := known.ResourceSlices().ListWithDeviceTaintRules()
		if err != nil || len(slices) < len(c.slices) {
			return false, err
		}
		all, err := known.ResourceClaims().List()
		if err != nil || len(all) < len(c.Claims) {
			return false, err
		}
		taken, err := known.ResourceClaims().ListAllAllocatedDevices()
		return err == nil && len(taken) >= allocated, nil
	})
}

// claims is what the API server has of claims now.
func claims(client *fake.Clientset, c Cluster) (map[string]string, error) {
	all := map[string]string{}
	for _, claim := range c.Claims {
		stored, err := client.Tracker().Get(
			resourcev1.SchemeGroupVersion.WithResource("resourceclaims"), claim.Namespace, claim.Name,
		)
		if err != nil {
			return nil, err
		}
		all[claim.Name] = devicesOf(stored.(*resourcev1.ResourceClaim))
	}
	return all, nil
}

// devicesOf is what a claim has and which pods may use it, in one line.
func devicesOf(c *resourcev1.ResourceClaim) string {
	var has, users []string
	if c.Status.Allocation != nil {
		for _, r := range c.Status.Allocation.Devices.Results {
			has = append(has, r.Pool+"/"+r.Device)
		}
	}
	for _, r := range c.Status.ReservedFor {
		users = append(users, r.Name)
	}
	slices.Sort(users)
	return strings.Join(has, " ") + " for " + strings.Join(users, " ")
}
