package cmd

import (
	"context"
	"fmt"

	"github.com/schedstep/schedstep/core"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/replay/prose"
	"github.com/schedstep/schedstep/replay/remedy"
	"github.com/schedstep/schedstep/replay/session"
)

// workloads are those of which pods were made.
func (o *opened) workloads() []session.Workload {
	var all []session.Workload
	for _, m := range o.Made {
		all = append(all, session.Workload{Kind: m.Kind, Name: m.Name, Pods: m.Pods, There: m.There})
	}
	return all
}

// replicas tells of workloads of which pods were made how many of them fit at the end, and the smallest change that
// gives the first of the others a node.
func (o *opened) replicas(ctx context.Context, s Streams, end *core.Scheduler) error {
	var play *session.Session
	for _, r := range session.CountReplicas(o.workloads(), end.State()) {
		fmt.Fprintln(s.Err, clean(prose.Replicas(o.language, r)))
		if len(r.Without) == 0 {
			continue
		}
		if play == nil {
			play = o.sessionOf(o.Play(o.config, o.seed, trace.Summary))
			play.Move(ctx, session.Continue, session.Forward, nil)
			defer letGarbageLie(garbageOfSearch)()
		}
		found, err := remedy.Find(ctx, play, r.Without[0], nil)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.Err, clean(prose.Smallest(o.language, r.Without[0], found)))
	}
	return ctx.Err()
}
