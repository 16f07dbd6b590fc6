package live

import (
	"context"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// LeaseNamespace is where leases are, those of kube-scheduler too: two drivers with one schedulerName have to meet
// there.
const LeaseNamespace = "kube-system"

// LeaseTime is how long a lease holds without being renewed: the number of kube-scheduler.
const LeaseTime = 15 * time.Second

// How often a lease is renewed, and after how long without an answer its holder gives up: the numbers of
// kube-scheduler.
const (
	renewTime = 2 * time.Second
	giveUp    = 10 * time.Second
)

// faster stands for the holder of a lease that was taken between our look at it and our writing.
const faster = "somebody who was faster"

// LeaseName is the lease of the drivers with a schedulerName.
func LeaseName(schedulerName string) string { return "schedstep-" + strings.ToLower(schedulerName) }

// lease is the right to place the pods of a name. One goroutine uses it at a time.
type lease struct {
	driver *Driver
	name   string
	holder string
	seen   string    // the version of the lease when it was last looked at
	since  time.Time // when that version was first seen, by this machine's clock: those of others are not trusted
}

// ErrLeaseLost is why a driver writes nothing any more: it could not renew its lease, or another one has it.
var ErrLeaseLost = phrase.Errorf("the lease is lost")

// Acquire takes the lease of the driver's name, and renews it until ctx ends. While another holds it, Acquire waits and
// calls waits with the holder; it waits for a server that is away, too. It returns when the lease is there. When the
// lease is lost, the driver writes nothing any more and calls lost.
func (d *Driver) Acquire(ctx context.Context, holder string, waits func(holder string), lost func(error)) error {
	l := &lease{driver: d, name: LeaseName(d.options.SchedulerName), holder: holder}
	if d.options.DryRun {
		return nil // nothing is written, so no driver is in the way
	}
	for told := ""; ; {
		asked := d.options.Now()
		other, err := l.take(ctx)
		switch {
		case err != nil && (told == "" || !mayPass(err)):
			return phrase.Errorf("lease %s/%s: %s", LeaseNamespace, l.name, d.cluster.reason(err))
		case err != nil:
		case other == "":
			d.running.Go(func() { l.keep(ctx, asked, lost) })
			return nil
		case other != told:
			told = other
			waits(other)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d.options.Renew):
		}
	}
}

// mayPass reports that the server may answer otherwise later, without any change by a person.
func mayPass(err error) bool {
	return !apierrors.IsUnauthorized(err) && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err)
}

// keep renews the lease, which was last renewed at a moment, until ctx ends, and then gives it back.
func (l *lease) keep(ctx context.Context, renewed time.Time, lost func(error)) {
	tick := time.NewTicker(l.driver.options.Renew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
			defer stop()
			l.release(end)
			return
		case <-tick.C:
		}
		asked := l.driver.options.Now()
		other, err := l.take(ctx)
		switch {
		case err == nil && other == "":
			renewed = asked
			continue
		case ctx.Err() != nil:
			continue
		case other != "":
			err = phrase.Errorf("%w: %s has it", ErrLeaseLost, other)
		case asked.Sub(renewed) < giveUp:
			continue
		default:
			err = phrase.Errorf("%w: it was not renewed for %s: %s", ErrLeaseLost, giveUp, l.driver.cluster.reason(err))
		}
		l.driver.stopWriting(err)
		lost(err)
		return
	}
}

// take makes the lease this holder's, or renews it; other is the holder that has it instead.
func (l *lease) take(ctx context.Context) (other string, err error) {
	now := l.driver.options.Now()
	held, err := l.read(ctx)
	switch {
	case apierrors.IsNotFound(err):
		err := l.write(ctx, "POST", &coordinationv1.Lease{Spec: l.spec(now, nil)})
		if apierrors.IsAlreadyExists(err) {
			return faster, nil
		}
		return "", err
	case err != nil:
		return "", err
	}
	if held.ResourceVersion != l.seen {
		l.seen, l.since = held.ResourceVersion, now
	}
	holder := ""
	if held.Spec.HolderIdentity != nil {
		holder = *held.Spec.HolderIdentity
	}
	if holder != "" && holder != l.holder && now.Sub(l.since) < LeaseTime {
		return holder, nil
	}
	held.Spec = l.spec(now, &held.Spec)
	if err := l.write(ctx, "PUT", held); err != nil {
		if apierrors.IsConflict(err) && holder != l.holder {
			return faster, nil
		}
		return "", err
	}
	return "", nil
}

// spec is the spec of the lease when this holder has it.
func (l *lease) spec(now time.Time, before *coordinationv1.LeaseSpec) coordinationv1.LeaseSpec {
	seconds, moment := int32(LeaseTime/time.Second), metav1.NewMicroTime(now)
	s := coordinationv1.LeaseSpec{
		HolderIdentity: &l.holder, LeaseDurationSeconds: &seconds, AcquireTime: &moment, RenewTime: &moment,
	}
	changes := int32(0)
	if before != nil {
		if before.LeaseTransitions != nil {
			changes = *before.LeaseTransitions
		}
		if before.HolderIdentity != nil && *before.HolderIdentity == l.holder {
			s.AcquireTime = before.AcquireTime
		} else {
			changes++
		}
	}
	s.LeaseTransitions = &changes
	return s
}

func (l *lease) read(ctx context.Context) (*coordinationv1.Lease, error) {
	client, err := l.driver.client(coordinationv1.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, renewTime, silence(renewTime))
	defer cancel()
	held := &coordinationv1.Lease{}
	return held, client.Get().Namespace(LeaseNamespace).Resource("leases").Name(l.name).Do(ctx).Into(held)
}

// write sends the lease, and remembers the version it has then.
func (l *lease) write(ctx context.Context, verb string, held *coordinationv1.Lease) error {
	client, err := l.driver.client(coordinationv1.SchemeGroupVersion)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, renewTime, silence(renewTime))
	defer cancel()
	held.TypeMeta = metav1.TypeMeta{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease"}
	held.Name, held.Namespace = l.name, LeaseNamespace
	q := client.Verb(verb).Namespace(LeaseNamespace).Resource("leases")
	if verb == "PUT" {
		q = q.Name(l.name)
	}
	var after coordinationv1.Lease
	if err := q.Body(held).Do(ctx).Into(&after); err != nil {
		return err
	}
	l.seen, l.since = after.ResourceVersion, l.driver.options.Now()
	return nil
}

// release gives the lease back, so that no other driver has to wait for its end. When that fails, it ends by itself.
func (l *lease) release(ctx context.Context) {
	held, err := l.read(ctx)
	if err != nil || held.Spec.HolderIdentity == nil || *held.Spec.HolderIdentity != l.holder {
		return
	}
	nobody := ""
	held.Spec.HolderIdentity = &nobody
	_ = l.write(ctx, "PUT", held)
}
