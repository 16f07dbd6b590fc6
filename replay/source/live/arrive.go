package live

import (
	"context"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// open waits for the first lists and puts what they brought at the start of the log, in the order of a dump.
func (f *Feed) open(ctx context.Context, rows []*cluster.KindRow, firsts []*first) error {
	var forbidden []cluster.Kind
	for i, begun := range firsts {
		select {
		case <-begun.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		switch {
		case apierrors.IsForbidden(begun.err):
			forbidden = append(forbidden, rows[i].Kind)
		case begun.err != nil:
			return f.cluster.sentence(begun.err)
		}
	}
	var err error
	if f.missing, err = f.cluster.missing(forbidden, "list and watch"); err != nil {
		return err
	}
	f.health.forget(forbidden)
	f.loading.end()
	f.mu.Lock()
	defer f.mu.Unlock()
	var objects []cluster.Object
	for _, row := range rows {
		if row.Reader == cluster.ReadToCompare {
			continue // it records what was decided before
		}
		early := f.early[row.Kind]
		for _, key := range slices.Sorted(maps.Keys(early)) { // pods without a creation time keep this order
			objects = append(objects, early[key])
		}
	}
	inOrder(objects)
	f.early, f.opened = nil, now()
	for _, o := range objects {
		t := source.Timed{At: f.opened, Event: cluster.Event{Action: cluster.Add, Object: o}}
		f.opening = append(f.opening, t)
		f.log.Append(t)
	}
	return nil
}

// transform is what informers keep of an object.
func (f *Feed) transform(row *cluster.KindRow, item any) (any, error) {
	object, is := item.(runtime.Object)
	if !is {
		return nil, phrase.Errorf("a watch of %s brings %T", row.Kind, item)
	}
	f.loading.objectsAreThere(1)
	return f.cluster.transform(row, object)
}

// updated takes news of an object. A list that comes again, after a connection was lost, brings objects that have not
// changed, and another object under the same name where one went and one came meanwhile.
func (f *Feed) updated(kind cluster.Kind, before, after any) {
	old, was := before.(cluster.Object)
	now, is := after.(cluster.Object)
	switch {
	case was && is && old.GetResourceVersion() == now.GetResourceVersion():
	case was && is && old.GetUID() != now.GetUID():
		f.happened(cluster.Delete, kind, old)
		f.happened(cluster.Add, kind, now)
	default:
		f.happened(cluster.Update, kind, after)
	}
}

// deleted takes the news that an object is gone. For one whose deletion went unseen it passes on the last known
// version.
func (f *Feed) deleted(kind cluster.Kind, last any) {
	if unseen, is := last.(cache.DeletedFinalStateUnknown); is {
		last = unseen.Obj
	}
	f.happened(cluster.Delete, kind, last)
}

// happened appends an event or, while the first lists load, keeps what is there by now.
func (f *Feed) happened(action cluster.Action, kind cluster.Kind, item any) {
	object, is := item.(cluster.Object)
	if !is {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.early == nil {
		f.log.Append(source.Timed{At: now(), Event: cluster.Event{Action: action, Object: object}})
		return
	}
	if f.early[kind] == nil {
		f.early[kind] = map[string]cluster.Object{}
	}
	if f.early[kind][cluster.Key(object)] = object; action == cluster.Delete {
		delete(f.early[kind], cluster.Key(object))
	}
}
