package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/play/slice"
	"github.com/schedstep/schedstep/replay/source"
)

// mostPlays is how many smaller inputs are tried: for a story of some hundred objects far more than it takes.
const mostPlays = 2000

// addSlice adds the flag that names the pod of which alone the story is kept.
func addSlice(c *cobra.Command, pod *string) {
	c.Flags().StringVar(
		pod, "slice", "", "keep only what the cycles of `POD` depend on, and prove it by playing them (namespace/name)",
	)
}

// slice leaves out of an input what a pod's cycles do not depend on.
func (o *opened) slice(ctx context.Context, s Streams, pod string, quiet bool) error {
	if o.journal != nil {
		return usageError{phrase.Errorf("--slice: what the extenders of the configuration answer depends on all they are asked")}
	}
	search := slice.Search{Pod: slicedPod(pod), Most: mostPlays, Play: func(script source.Script) *play.Player {
		cut := o.only(script)
		return cut.Play(o.config, o.seed, trace.Full)
	}}
	if f := terminal(s.Err); f != nil && !quiet {
		search.Tell = func(kept, of, plays int) {
			l := o.language
			drawOver(f, l.Say("slicing: %d of %s left, played %s", kept, l.Count(of, "object"), l.Count(plays, "time")))
		}
		defer fmt.Fprint(f, clearLine)
	}
	found, err := search.Find(ctx, o.input.Script)
	if errors.Is(err, slice.ErrNoCycle) {
		return usageError{phrase.Errorf("--slice: %w%s", err, spelling.HintName(pod, o.podsToPlace()))}
	}
	if err != nil {
		return phrase.Errorf("--slice: %w", err)
	}
	o.input = o.only(found.Script)
	if quiet {
		return nil
	}
	l := o.language
	fmt.Fprintln(s.Err, l.Say("%s: %d of %s kept, and the same %s; played %s", clean(search.Pod), found.Kept,
		l.Count(found.Of, "object"), l.Count(found.Cycles, "cycle"), l.Count(found.Plays, "time")))
	if found.Interrupted {
		fmt.Fprintln(s.Err, l.Of("note: the search ended early; more objects could be left out"))
	}
	return nil
}

// podsToPlace are the pods of the input that come without a node.
func (o *opened) podsToPlace() []string {
	var names []string
	for _, t := range o.input.Script {
		if pod, is := t.Event.Object.(*corev1.Pod); is && pod.Spec.NodeName == "" && t.Event.Action == cluster.Add {
			names = append(names, cluster.Key(pod))
		}
	}
	return names
}

// only is the input with a part of its script.
func (o *opened) only(script source.Script) *input.Input {
	cut := *o.input
	cut.Script = script
	return &cut
}

// slicedPod is a pod as the user names it, with its namespace.
func slicedPod(pod string) string {
	if strings.Contains(pod, "/") {
		return pod
	}
	return metav1.NamespaceDefault + "/" + pod
}

// sliceFile makes a recording smaller that was just written.
func (f *recordFlags) sliceFile(c *cobra.Command, s Streams, pod string) error {
	again := convertFlags{input: inputFlags{quiet: true, plugins: f.input.plugins}, target: f.write, force: true}
	// The interrupt that ended the recording must not end this too; a second one ends the process.
	ctx := context.WithoutCancel(c.Context())
	in, err := input.Read(ctx, []string{f.write.out}, input.Options{Plugins: f.input.plugins})
	if err != nil {
		return err
	}
	o, err := f.input.configure(c, in)
	if err != nil {
		return err
	}
	if err := o.slice(ctx, s, pod, f.input.quiet); err != nil {
		return err
	}
	return save(f.write.out, func(to io.Writer) error { return again.write(ctx, o, to) })
}
