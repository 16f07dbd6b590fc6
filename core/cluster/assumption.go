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
	// (kube-scheduler's allocations in flight, 1.37). Assumed once more, the object stays as it was assumed first, until
	// each plugin that assumed it has abandoned it.
	UntilDropped
)

// belief is an assumption in a Store.
type belief struct {
	object Object
	grip   Grip
	// sharers is how many made the assumption, while it was to last until it is dropped (the in-flight allocations of
	// kube-scheduler count so, 1.37); 0 for one that never was
	sharers int
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

// Newest is the object as it was just requested to be, else as the API server last showed it.
func (s *Store[T]) Newest(key string) (T, bool) {
	if s.written.Len() > 0 {
		if o, ok := s.written.Get(key); ok {
			return o.(T), true
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
	if s.written.Len() > 0 {
		s.written.Delete(Key(o))
	}
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
	b := belief{object: o, grip: grip}
	if grip == UntilDropped {
		b.sharers = 1
		if there, was := s.assumed.Get(key); was && there.sharers > 0 && there.object.GetUID() == o.GetUID() {
			b, b.sharers = there, there.sharers+1
		}
	}
	s.assumed.Set(key, b)
	return nil
}

func (s *stock) abandon(o Object) bool {
	b, was := s.assumed.Get(Key(o))
	if !was || b.grip == UntilNews && b.object.GetResourceVersion() != o.GetResourceVersion() {
		return false
	}
	if b.sharers > 1 {
		b.sharers--
		s.assumed.Set(Key(o), b)
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
		b.grip = UntilNews
		s.assumed.Set(key, b)
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

// NoteWrite keeps how an object of a kind that may be assumed was just requested to be, so that the next plugin that
// changes it changes that. It is kept until the API server shows the object, or ForgetWrites.
func (s *State) NoteWrite(o Object) {
	if stock := s.objects.assumable(o); stock != nil {
		stock.written.Set(Key(o), o)
	}
}

// ForgetWrites forgets what NoteWrite kept.
func (s *State) ForgetWrites() {
	for _, stock := range []*stock{
		&s.objects.Volumes.stock, &s.objects.VolumeClaims.stock, &s.objects.ResourceClaims.stock,
	} {
		if stock.written.Len() > 0 {
			stock.written = table[Object]{}
		}
	}
}

// LoosenObject leaves an assumption to the next news about the object: what was promised is being written.
func (s *State) LoosenObject(a Assumption) {
	if stock := s.objects.assumable(a.Object); stock != nil {
		stock.loosen(a.Object)
	}
}

// AbandonObject drops the belief in an assumed object; false when it had given way to news already, or others share
// it.
func (s *State) AbandonObject(a Assumption) bool {
	stock := s.objects.assumable(a.Object)
	return stock != nil && stock.abandon(a.Object)
}
