package core

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/btree"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/framework"
	"github.com/schedstep/schedstep/core/queue"
	"github.com/schedstep/schedstep/core/trace"
)

// Keyframe is a Scheduler as data, from which one is made again that takes the same steps. The profiles are not in it:
// it is for the same configuration, release and seed.
type Keyframe struct {
	Pods  []cluster.Stored  `json:"podVersions"` // by the numbers that everything else has
	State *cluster.Keyframe `json:"state"`
	Queue *queue.Keyframe   `json:"queue"`

	Now      time.Time `json:"now"`
	Seed     uint64    `json:"seed"`
	Reseeded bool      `json:"reseeded,omitempty"`
	Cycles   int64     `json:"cycles"`
	Begin    int       `json:"start"`
	Picks    uint64    `json:"picks"`
	Arrival  uint64    `json:"arrival"`

	Sent       []storedSent      `json:"sent,omitempty"`
	Batches    []storedBatch     `json:"batches,omitempty"` // one for each profile, or none
	Signatures []storedSignature `json:"signatures,omitempty"`
	Answers    []storedAnswer    `json:"answers,omitempty"` // of the equivalence cache
}

// storedSent is a pod that was handed to the world to be bound, and whose binding the world has not confirmed yet.
type storedSent struct {
	Pod     int              `json:"pod"` // as it was assumed
	Item    queue.StoredItem `json:"item"`
	Profile int              `json:"profile"`
	Since   time.Time        `json:"since"`
	Arrival uint64           `json:"arrival"`
}

type storedBatch struct {
	Cycle  int64         `json:"cycle,omitempty"`
	Chosen string        `json:"chosen,omitempty"`
	Kept   *storedScores `json:"kept,omitempty"`
}

type storedScores struct {
	Signature []framework.Part `json:"signature"`
	Cycle     int64            `json:"cycle"`
	Since     time.Time        `json:"since"`
	Nodes     []storedScore    `json:"nodes"` // in the order of the heap
}

type storedScore struct {
	Node  string  `json:"node"`
	Total int64   `json:"total"`
	Raw   []int64 `json:"raw"`
}

type storedSignature struct {
	UID     string           `json:"uid"`
	Signed  bool             `json:"signed,omitempty"`
	Parts   []framework.Part `json:"parts,omitempty"`
	Plugin  string           `json:"plugin,omitempty"`
	Code    trace.Code       `json:"code,omitempty"`
	Reasons []string         `json:"reasons,omitempty"`
}

// storedAnswer is one answer of the equivalence cache.
type storedAnswer struct {
	Key     string     `json:"key"`
	Code    trace.Code `json:"code,omitempty"`
	Reasons []string   `json:"reasons,omitempty"`
}

// Keyframe packs the Scheduler without its pods. The caller, who made the Packer, adds them when all that refers to
// pods is packed. There is no keyframe while functions of plugins wait for something: the error names it.
func (s *Scheduler) Keyframe(p *cluster.Packer) (*Keyframe, error) {
	if err := s.Quiet(); err != nil {
		return nil, err
	}
	k := &Keyframe{
		Now: s.now, Seed: s.seed, Reseeded: s.reseeded, Cycles: s.cycles, Begin: s.start, Picks: s.picks,
		Arrival: s.arrival,
	}
	var errs [3]error
	k.State, errs[0] = s.state.Keyframe(p)
	k.Queue, errs[1] = s.queue.Keyframe(p)
	s.packSent(k, p)
	for i := range s.batches {
		k.Batches = append(k.Batches, s.batches[i].stored())
	}
	s.signatures.Scan(func(uid string, of signature) bool {
		if len(of.verdict.Evidence) > 0 {
			errs[2] = fmt.Errorf("why %s did not sign a pod is more than words", of.plugin)
		}
		k.Signatures = append(k.Signatures, storedSignature{
			UID: uid, Signed: of.parts != nil, Parts: of.parts, Plugin: of.plugin, Code: of.verdict.Code,
			Reasons: of.verdict.Reasons,
		})
		return true
	})
	s.equivalents.answers.Scan(func(key cluster.CompoundKey, v trace.Verdict) bool {
		k.Answers = append(k.Answers, storedAnswer{Key: string(key), Code: v.Code, Reasons: v.Reasons})
		return true
	})
	return k, errors.Join(errs[:]...)
}

// Quiet is an error as long as functions of plugins wait for something, or an item is in flight.
func (s *Scheduler) Quiet() error {
	if s.waiting.Len()+s.inPreBind.Len() > 0 {
		return errors.New("a pod is on its way to a node")
	}
	for range s.queue.InFlight() {
		return errors.New("a pod is in flight")
	}
	held := false
	s.sent.Scan(func(_ string, p placedPod) bool {
		held = len(p.reserved.held)+len(p.reserved.waits)+len(p.reserved.tasks) > 0
		return !held
	})
	if held {
		return errors.New("plugins hold something for a pod that is being bound")
	}
	return nil
}

func (s *Scheduler) packSent(k *Keyframe, p *cluster.Packer) {
	s.sent.Scan(func(_ string, placed placedPod) bool {
		k.Sent = append(k.Sent, storedSent{
			Pod: p.Pod(placed.pod), Item: placed.item.Stored(p), Profile: placed.profile.index, Since: placed.reserved.since,
			Arrival: placed.reserved.arrival,
		})
		return true
	})
}

func (b *batch) stored() storedBatch {
	s := storedBatch{Cycle: b.cycle, Chosen: b.chosen}
	if b.kept == nil {
		return s
	}
	s.Kept = &storedScores{Signature: b.kept.signature, Cycle: b.kept.cycle, Since: b.kept.since}
	for _, n := range b.kept.nodes {
		s.Kept.Nodes = append(s.Kept.Nodes, storedScore{n.name, n.total, n.raw})
	}
	return s
}

// Resume is a Scheduler as it was when it was packed, and the pods that its Packer numbered. Of o it reads all but the
// moment of the start and the seed.
func (k *Keyframe) Resume(o Options) (*Scheduler, *cluster.Unpacker, error) {
	if k.State == nil || k.Queue == nil {
		return nil, nil, errors.New("it has no state or no queue")
	}
	o.Start, o.Seed = k.Now, k.Seed
	s := New(o)
	s.reseeded, s.cycles, s.start, s.picks, s.arrival = k.Reseeded, k.Cycles, k.Begin, k.Picks, k.Arrival
	state, pods, err := k.State.Unpack(o.Profiles[0].Behaviour.Reading, k.Pods)
	if err != nil {
		return nil, nil, err
	}
	s.state = state
	s.refill()
	if s.queue, err = k.Queue.Unpack(rules(o), pods); err != nil {
		return nil, nil, err
	}
	if err := k.resumeSent(s, pods); err != nil {
		return nil, nil, err
	}
	if len(k.Batches) != len(s.batches) {
		return nil, nil, fmt.Errorf("it is of %d profiles that sign pods, and there are %d", len(k.Batches), len(s.batches))
	}
	for i := range k.Batches {
		if s.batches[i], err = k.Batches[i].batch(len(s.lanes[i].Score)); err != nil {
			return nil, nil, err
		}
	}
	s.signatures = btree.Map[string, signature]{}
	for _, of := range k.Signatures {
		signed := signature{parts: of.Parts, plugin: of.Plugin, verdict: trace.Verdict{Code: of.Code, Reasons: of.Reasons}}
		if of.Signed && signed.parts == nil {
			signed.parts = []framework.Part{}
		}
		s.signatures.Set(of.UID, signed)
	}
	for _, a := range k.Answers {
		s.equivalents.answers.Set(cluster.CompoundKey(a.Key), trace.Verdict{Code: a.Code, Reasons: a.Reasons})
	}
	return s, pods, nil
}

func (k *Keyframe) resumeSent(s *Scheduler, pods *cluster.Unpacker) error {
	for i := range k.Sent {
		sent := &k.Sent[i]
		pod, err := pods.Pod(sent.Pod)
		if err != nil {
			return err
		}
		item, err := s.queue.Unstored(&sent.Item, pods)
		if err != nil {
			return err
		}
		if sent.Profile < 0 || sent.Profile >= len(s.lanes) {
			return fmt.Errorf("there is no profile %d", sent.Profile)
		}
		s.sent.Set(pod.Key, placedPod{
			pod: pod, item: item, profile: s.lanes[sent.Profile],
			reserved: reserved{since: sent.Since, arrival: sent.Arrival},
		})
	}
	return nil
}

func (b *storedBatch) batch(plugins int) (batch, error) {
	out := batch{cycle: b.Cycle, chosen: b.Chosen}
	if b.Kept == nil {
		return out, nil
	}
	out.kept = &batchScores{signature: b.Kept.Signature, cycle: b.Kept.Cycle, since: b.Kept.Since}
	for _, n := range b.Kept.Nodes {
		if len(n.Raw) != plugins {
			return out, fmt.Errorf("the scores of node %s are of %d plugins, and there are %d", n.Node, len(n.Raw), plugins)
		}
		out.kept.nodes = append(out.kept.nodes, batchNode{n.Node, -1, n.Total, n.Raw})
	}
	return out, nil
}
