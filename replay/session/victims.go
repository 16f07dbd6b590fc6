package session

import (
	"slices"
	"time"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/replay/play"
)

// Victim is a pod that had to leave a node for another one.
type Victim struct {
	Pod   string // namespace/name
	Node  string // that it had to leave
	Cycle int64  // that decided so
	At    time.Time
}

// eviction is what a step of a line decided.
type eviction struct {
	step int
	by   string // key of the pod that it was decided for
	Victim
}

// evict keeps which pods a cycle evicts.
func (l *line) evict(n int, number int64, step *play.Step) {
	for _, effect := range step.Effects {
		if e, is := effect.(core.Evict); is {
			l.evictions = append(l.evictions, eviction{n, e.For.Key, Victim{e.Pod.Key, e.Pod.NodeName, number, step.At}})
		}
	}
}

// evictionsUntil are those of the steps up to one.
func (l *line) evictionsUntil(step int) []eviction {
	n, _ := slices.BinarySearchFunc(l.evictions, step+1, func(e eviction, s int) int { return e.step - s })
	return l.evictions[:n:n]
}

// victims are the pods that had to leave for a pod, in the order of the cycles that decided so.
func (k *At) victims(key string) []Victim {
	return victimsFor(key, k.line.evictionsUntil(k.steps))
}

func victimsFor(key string, evictions []eviction) []Victim {
	var all []Victim
	for _, e := range evictions {
		if e.by == key {
			all = append(all, e.Victim)
		}
	}
	return all
}
