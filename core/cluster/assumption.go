package cluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Assumption is an object as the scheduler believes it is going to be, before the API server shows it so. A State has
// at most one of each object; the latest counts.
type Assumption struct {
	Object Object
	Note   phrase.Text // what is different about it
	Grip   Grip
}

// Grip is how firmly an assumption is believed.
type Grip uint8

// The grips.
const (
	// UntilNews gives way to the first event about the object that brings another version of it
	// (kube-scheduler's assume cache of volumes and claims, 1.37).
	UntilNews Grip = iota
	// UntilDropped lasts until AbandonObject, whatever the API server shows; the object need not be known to it
	// (kube-scheduler's allocations in flight, 1.37).
	UntilDropped
)

// belief is an assumption in a Store.
type belief struct {
	object Object
	grip   Grip
}

// Assumed is the object as it was assumed; false when it is not.
func (s *Store[T]) Assumed(key string) (T, bool) {
	b, ok := s.assumed.Get(key)
	return typed[T](b.object), ok
}

// Believed is the object as it was assumed, else as the API server last showed it.
func (s *Store[T]) Believed(key string) (T, bool) {
	if s.assumed.Len() > 0 {
		if b, ok := s.assumed.Get(key); ok {
			return b.object.(T), true
		}
	}
	return s.Find(key)
}

// eachAssumed calls f with every assumed object in the order of keys until f returns false.
func (s *Store[T]) eachAssumed(f func(T) bool) {
	s.assumed.Scan(func(_ string, b belief) bool { return f(b.object.(T)) })
}

// news drops the assumption about an object when the event shows another version. The version the assumption was made
// from, shown once more, is no news.
func (s *stock) news(action Action, o Object) {
	if s.assumed.Len() == 0 {
		return
	}
	key := Key(o)
	b, ok := s.assumed.Get(key)
	if !ok || b.grip == UntilDropped {
		return
	}
	version := o.GetResourceVersion()
	if action != Delete && version != "" && version == b.object.GetResourceVersion() {
		return
	}
	s.assumed.Delete(key)
}

func (s *stock) assume(o Object, grip Grip) error {
	key := Key(o)
	known, has := s.byKey.Get(key)
	switch {
	case !has && grip == UntilNews:
		return fmt.Errorf("%q is assumed and not known", key)
	case has && known.GetResourceVersion() != o.GetResourceVersion():
		return fmt.Errorf(
			"%q is out of sync (stored: %s, assume: %s)", key, known.GetResourceVersion(), o.GetResourceVersion(),
		)
	}
	s.assumed.Set(key, belief{o, grip})
	return nil
}

func (s *stock) abandon(o Object) bool {
	b, was := s.assumed.Get(Key(o))
	if !was || b.grip == UntilNews && b.object.GetResourceVersion() != o.GetResourceVersion() {
		return false
	}
	s.assumed.Delete(Key(o))
	return true
}

// loosen leaves an assumption that lasted until it was dropped to the next news; to none, when the API server has shown
// another version already. An object the API server does not know stays as it is.
func (s *stock) loosen(o Object) {
	key := Key(o)
	b, was := s.assumed.Get(key)
	known, has := s.byKey.Get(key)
	switch {
	case !was || !has:
	case known.GetResourceVersion() != b.object.GetResourceVersion():
		s.assumed.Delete(key)
	default:
		s.assumed.Set(key, belief{b.object, UntilNews})
	}
}

// assumable is the store of an object that may be assumed; nil for one of another kind.
func (s *Objects) assumable(o Object) *stock {
	switch o.(type) {
	case *corev1.PersistentVolume:
		return &s.Volumes.stock
	case *corev1.PersistentVolumeClaim:
		return &s.VolumeClaims.stock
	case *resourcev1.ResourceClaim:
		return &s.ResourceClaims.stock
	}
	return nil
}

// AssumeObject makes the State hold a version of an object that the API server does not show yet. It has to be made
// from the version the API server shows now; the error is in kube-scheduler's words. Assuming an object of a kind that
// is never assumed is a broken invariant.
func (s *State) AssumeObject(a Assumption) error {
	stock := s.objects.assumable(a.Object)
	if stock == nil {
		panic(fmt.Sprintf("%T %s is assumed", a.Object, Key(a.Object)))
	}
	return stock.assume(a.Object, a.Grip)
}

// LoosenObject leaves an assumption to the next news about the object: what was promised is being written.
func (s *State) LoosenObject(a Assumption) {
	if stock := s.objects.assumable(a.Object); stock != nil {
		stock.loosen(a.Object)
	}
}

// AbandonObject drops the belief in an assumed object; false when it had given way to news already.
func (s *State) AbandonObject(a Assumption) bool {
	stock := s.objects.assumable(a.Object)
	return stock != nil && stock.abandon(a.Object)
}
