package trace

import (
	"strings"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Entity is what the queue holds and a cycle places: a pod, or a pod group.
type Entity struct {
	Type      EntityKind
	Namespace string
	Name      string
	UID       string
	Priority  int32
}

// EntityKind is what an entity is, in the word that kube-scheduler uses in its messages.
type EntityKind string

// The kinds of entity.
const (
	KindPod      EntityKind = "pod"
	KindPodGroup EntityKind = "podgroup"
)

// Key is namespace/name for a pod, and GroupKey of that for a group.
func (e Entity) Key() string {
	key := e.Namespace + "/" + e.Name
	if e.Type == KindPodGroup {
		return GroupKey(key)
	}
	return key
}

// groupPrefix begins the keys of groups. No namespace is called so, therefore no pod has such a key.
const groupPrefix = string(KindPodGroup) + "/"

// GroupKey is the key of a pod group among those of pods: podgroup/namespace/name for the group namespace/name.
func GroupKey(group string) string { return groupPrefix + group }

// GroupOfKey returns namespace/name of the group that has the key; false when the key is a pod's.
func GroupOfKey(key string) (group string, is bool) { return strings.CutPrefix(key, groupPrefix) }

// QueueName is the name of a part of the scheduling queue, in facts, views and documents.
type QueueName string

// Outside is where an entity is before it is queued and after it was placed or deleted.
const Outside QueueName = ""

// InFlight is where an entity is while its cycle runs.
const InFlight QueueName = "in flight"

// Text is the name in words: the queues that kube-scheduler has a name for are called so in every language.
func (q QueueName) Text() phrase.Text {
	switch q {
	case Outside:
		return "outside"
	case InFlight:
		return phrase.Text(InFlight)
	}
	return phrase.Verbatim(string(q))
}
