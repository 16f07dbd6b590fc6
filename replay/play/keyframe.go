package play

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/source"
)

// keyframeVersion is the version of keyframes that is written, and the only one that is read: one of another version is
// not worth more than playing.
const keyframeVersion = 2

// Keyframe is a Player as data, at the end of a step. A player that goes on from it with the same log, configuration
// and release takes the same steps as the player that it was made of.
type Keyframe struct {
	Version   int            `json:"version"`
	Scheduler *core.Keyframe `json:"scheduler"`
	Taken     int            `json:"taken"` // entries of the log
	Asked     int            `json:"asked"` // effects that were carried out
	Sent      []storedTimed  `json:"sent,omitempty"`
	Simulated *storedWorld   `json:"simulated,omitempty"`
	Recorded  *storedHistory `json:"recorded,omitempty"`
}

type storedTimed struct {
	At     time.Time      `json:"at"`
	Action cluster.Action `json:"action"`
	Object cluster.Stored `json:"object"`
}

// storedWorld is a Simulated world.
type storedWorld struct {
	Version   int64            `json:"version"`
	Busy      []string         `json:"busy,omitempty"`
	Unmatched []string         `json:"unmatched,omitempty"`
	Ahead     []cluster.Stored `json:"ahead,omitempty"`
}

// storedHistory is a Recorded world: what it compares with later. The log has the rest.
type storedHistory struct {
	Open map[string]string `json:"open,omitempty"`
}

// Keyframe packs the player, its objects as redact returns them (see cluster.NewPacker). The error names why there is
// none: plugins hold something for a pod, or something was tried out.
func (p *Player) Keyframe(redact func(cluster.Object) cluster.Object) (*Keyframe, error) {
	if p.hooks.Hold != nil || p.hooks.Delay != nil || len(p.amendments) > 0 {
		return nil, phrase.Errorf("something stands between the scheduler and its world")
	}
	if len(p.others) > 0 || p.attends {
		return nil, phrase.Errorf("several schedulers decide")
	}
	packer := cluster.NewPacker(redact)
	k := &Keyframe{Version: keyframeVersion, Taken: p.next, Asked: p.asked}
	var err error
	if k.Scheduler, err = p.scheduler.Keyframe(packer); err != nil {
		return nil, err
	}
	p.sent.each(func(t source.Timed) bool {
		if t.Event.Object == nil {
			err = phrase.Errorf("the world has an answer under way")
			return false
		}
		k.Sent = append(k.Sent, storedTimed{t.At, t.Event.Action, packer.Object(t.Event.Object)})
		return true
	})
	if err != nil {
		return nil, err
	}
	switch w := p.world.(type) {
	case *Simulated:
		k.Simulated = w.stored(packer)
	case *Recorded:
		k.Recorded = &storedHistory{Open: w.open}
	default:
		return nil, phrase.Errorf("a %s world is not packed", w.Name())
	}
	k.Scheduler.Pods, err = packer.Pods()
	return k, err
}

func (w *Simulated) stored(p *cluster.Packer) *storedWorld {
	s := &storedWorld{
		Version: w.version, Busy: slices.Sorted(maps.Keys(w.storage.busy)),
		Unmatched: slices.Sorted(maps.Keys(w.storage.unmatched)),
	}
	for _, key := range slices.Sorted(maps.Keys(w.ahead)) {
		s.Ahead = append(s.Ahead, p.Object(w.ahead[key]))
	}
	return s
}

// Hash distinguishes two keyframes: a player that was resumed has the hash of the player that was packed, and so has
// one that played to that place.
func (k *Keyframe) Hash() (string, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return "", phrase.Errorf("keyframe: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Resume is a player as it was when it was packed. start is a player before the first step of the same replay; it stays
// there. options are those that its scheduler was made with.
func (k *Keyframe) Resume(start *Player, options core.Options) (*Player, error) {
	if k.Version != keyframeVersion || k.Scheduler == nil {
		return nil, phrase.Errorf("keyframe: version %d is not read by this build", k.Version)
	}
	p := start.Fork()
	var err error
	if p.scheduler, _, err = k.Scheduler.Resume(options); err != nil {
		return nil, phrase.Errorf("keyframe: %w", err)
	}
	if k.Taken < 0 || k.Taken > p.log.Len() || k.Asked < 0 {
		return nil, phrase.Errorf("keyframe: there is no entry %d of the log", k.Taken)
	}
	p.next, p.asked = k.Taken, k.Asked
	p.journal = &Journal{shared: 0, done: k.Asked}
	for _, t := range k.Sent {
		o, err := t.Object.Unpack()
		if err != nil {
			return nil, phrase.Errorf("keyframe: %w", err)
		}
		p.sent.add(source.Timed{At: t.At, Event: cluster.Event{Action: t.Action, Object: o}})
	}
	switch w := p.world.(type) {
	case *Simulated:
		err = k.Simulated.resume(w)
	case *Recorded:
		err = k.Recorded.resume(w)
	default:
		err = phrase.Errorf("a %s world is not resumed", w.Name())
	}
	if err != nil {
		return nil, phrase.Errorf("keyframe: %w", err)
	}
	return p, nil
}

func (s *storedWorld) resume(w *Simulated) error {
	if s == nil {
		return phrase.Errorf("it is not of a simulated world")
	}
	*w = Simulated{version: s.Version, storage: storage{busy: setOf(s.Busy), unmatched: setOf(s.Unmatched)}}
	for _, stored := range s.Ahead {
		o, err := stored.Unpack()
		if err != nil {
			return err
		}
		pod, is := o.(*corev1.Pod)
		if !is {
			return phrase.Errorf("%T is ahead of its event", o)
		}
		w.own()
		w.ahead[cluster.Key(pod)] = pod
	}
	return nil
}

func (s *storedHistory) resume(w *Recorded) error {
	if s == nil {
		return phrase.Errorf("it is not of a recorded world")
	}
	w.open = s.Open
	return nil
}

func setOf(keys []string) map[string]bool {
	if len(keys) == 0 {
		return nil
	}
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}
