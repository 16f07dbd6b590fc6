package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/ask/sweep"
	"github.com/schedstep/schedstep/replay/play"
	"github.com/schedstep/schedstep/replay/play/input"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/source"
	"github.com/schedstep/schedstep/tui/command"
	"github.com/schedstep/schedstep/tui/prompt"
)

// stage is the inputs of a sweep as its variants play them.
type stage struct {
	flags   *sweepFlags
	command *cobra.Command
	streams Streams
	args    []string
	plan    *sweep.Plan

	depot
	tried []sweep.Axis // the values that are tried before the first run

	keep bool           // every input is read once
	kept []*sweep.Input // by index, if so
}

// someInputs wants at least one IN, and no mistyped command.
func someInputs(c *cobra.Command, args []string) error {
	if err := mistypedBelow(c, args); err != nil || len(args) > 0 {
		return err
	}
	return usageError{phrase.Errorf("%s needs an IN: a file, a folder, or several that + joins", c.CommandPath())}
}

// filesOf are the files of one input of the command line.
func filesOf(arg string) []string {
	if _, err := os.Stat(arg); err == nil || !strings.Contains(arg, "+") {
		return []string{arg}
	}
	return strings.Split(arg, "+")
}

// prepare reads each input once and finds out whether each value can be played, so that what cannot be is known before
// the first run.
func (st *stage) prepare(ctx context.Context) (*sweep.Manifest, error) {
	f := st.flags
	version, err := versionOfResults()
	if err != nil {
		return nil, err
	}
	m := &sweep.Manifest{
		Version: version, Vary: f.axes, Where: f.where, Sample: f.sample, SampleSeed: f.input.seed, Shard: f.part,
		Settings: f.lasting(),
	}
	if slices.Contains(st.args, "-") {
		return nil, usageError{phrase.Errorf("sweep reads no standard input: a sweep that goes on reads its inputs again")}
	}
	if err := errors.Join(st.output(ctx, f.out), st.inputs(ctx, st.args)); err != nil {
		return nil, err
	}
	need := int64(0) // of the results of one run of each input
	for _, arg := range st.args {
		in, err := f.input.openToPlay(st.command, st.streams, st.filesOf(arg))
		if err != nil {
			return nil, err
		}
		hash, err := sweep.Hash(func(to io.Writer) error {
			whole := convertFlags{target: writeFlags{out: ".jsonl", verbatim: true}}
			return whole.write(ctx, in, to)
		})
		if err != nil {
			return nil, err
		}
		m.Inputs = append(m.Inputs, sweep.Hashed{Name: arg, Hash: hash})
		play := st.input(in)
		if err := st.try(ctx, arg, play); err != nil {
			return nil, err
		}
		need += bytesOf(in.input.Script)
		if st.keep {
			st.kept = append(st.kept, play)
		}
	}
	if err := st.hashFiles(m); err != nil {
		return nil, err
	}
	if err := m.Complete(st.plan); err != nil {
		return nil, err
	}
	return m, st.room(need / int64(len(st.args)))
}

// lasting are the flags that hold for every run and that the hash of an input does not have.
func (f *sweepFlags) lasting() []string {
	all := []string{"world=" + f.world}
	for _, p := range f.prices {
		all = append(all, "price="+p)
	}
	if f.input.extenders != "" {
		all = append(all, "extenders="+f.input.extenders)
	}
	return all
}

// hashFiles adds the files that settings name.
func (st *stage) hashFiles(m *sweep.Manifest) error {
	for _, a := range st.flags.axes {
		if a.Key != sweep.Config {
			continue
		}
		for _, file := range a.Values {
			if file == sweep.AsItIs {
				continue
			}
			hash, err := sweep.Hash(func(to io.Writer) error {
				text, err := os.ReadFile(file)
				if err == nil {
					_, err = to.Write(text)
				}
				return err
			})
			if err != nil {
				return phrase.Errorf("config=%s: %w", file, disk.Bare(err))
			}
			m.Files = append(m.Files, sweep.Hashed{Name: file, Hash: hash})
		}
	}
	return nil
}

// What results take in the folder, in the log, the Parquet files and, most of it, the CSV files: about so many bytes
// for a run, for each variant in the table of variants, and for a pod that ends otherwise, besides its name and those
// of two nodes.
const bytesOfRun, bytesOfVariant, bytesOfEnd = 3000, 200, 40

// bytesOf is what a run of a script takes in which every pod ends otherwise than in the base.
func bytesOf(s source.Script) int64 {
	pods, names, node := 0, 0, 0
	for _, t := range s {
		if t.Event.Action != cluster.Add {
			continue
		}
		switch o := t.Event.Object.(type) {
		case *corev1.Pod:
			pods++
			names += len(cluster.Key(o))
		case *corev1.Node:
			node = max(node, len(o.Name))
		}
	}
	return int64(bytesOfRun + names + pods*(bytesOfEnd+2*node))
}

// room refuses a sweep whose results have no room, or whose folder cannot be written to. ofRun is what a run takes.
func (st *stage) room(ofRun int64) error {
	runs := st.plan.Runs()
	if p := st.flags.part; p != nil {
		from, to := st.plan.Shard(p.Index, p.Of)
		runs = to - from
	}
	if err := os.MkdirAll(st.folder, 0o755); err != nil {
		return phrase.Errorf("-o %s: %w", st.folder, disk.Bare(err))
	}
	if err := disk.Writable(st.folder); err != nil {
		return phrase.Errorf("-o %s: %w", st.folder, disk.Bare(err))
	}
	need := int64(runs)*ofRun + int64(len(st.plan.Variants))*bytesOfVariant
	free, known := disk.Free(st.folder)
	if known && need > free {
		return phrase.Errorf("-o %s: %d runs may need %s, and %s are free there", st.folder, runs, disk.Bytes(need),
			disk.Bytes(free))
	}
	return nil
}

// triesOfAValue is how many variants with a value are tried before the value is refused: with other values it may be
// allowed.
const triesOfAValue = 20

// try plays the beginning of a variant with each value.
func (st *stage) try(ctx context.Context, arg string, in *sweep.Input) error {
	for _, a := range st.tried {
		for _, value := range a.Values {
			var first error
			tries, played := 0, false
			for _, v := range st.plan.Variants {
				if v.Of(a.Key) != value || v.IsBase() || played || tries == triesOfAValue {
					continue
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				_, err := in.Play(v, st.plan.Seeds[0])
				if tries++; err == nil {
					played = true
				} else if first == nil {
					first = err
				}
			}
			if first != nil && !played {
				return usageError{phrase.Errorf("--vary %s=%s: %s: %w", a.Key, value, arg, first)}
			}
		}
	}
	return nil
}

// open reads an input again.
func (st *stage) open(_ context.Context, at int) (*sweep.Input, error) {
	if st.keep {
		return st.kept[at], nil
	}
	silent := st.flags.input
	silent.quiet = true
	nowhere := Streams{In: st.streams.In, Out: io.Discard, Err: io.Discard}
	in, err := silent.open(st.command, nowhere, st.filesOf(st.args[at]))
	if err != nil {
		return nil, err
	}
	return st.input(in), nil
}

// input is an input as variants play it.
func (st *stage) input(in *opened) *sweep.Input {
	recorded := sweep.RecordedNodes(in.input.Script)
	if in.input.World == input.Recorded && st.flags.world == "simulated" {
		in.input.World = input.Simulated
		in.input.Script = sweep.Unbound(in.input.Script, recorded, func(name string) bool {
			_, served := in.config.Profile(name)
			return served
		})
	}
	play := func(v sweep.Variant, seed uint64) (*play.Player, error) { return st.play(in, v, seed) }
	return &sweep.Input{Recorded: recorded, Prices: st.flags.priced, Play: play}
}

// play is a player of an input under a variant.
func (st *stage) play(in *opened, v sweep.Variant, seed uint64) (*play.Player, error) {
	under, err := st.under(in, v)
	if err != nil {
		return nil, err
	}
	if order := v.Of(sweep.Order); order != sweep.AsItIs {
		if under.input.Script, err = sweep.Reorder(under.input.Script, order, seed, sizeOf); err != nil {
			return nil, err
		}
	}
	player := under.input.Play(under.config, seed, trace.Summary)
	for _, s := range v.Settings {
		plugin, weighs := strings.CutPrefix(s.Key, sweep.Weight)
		if !weighs || s.Value == sweep.AsItIs {
			continue
		}
		n, _ := strconv.ParseInt(s.Value, 10, 64)
		if !player.Scheduler().Reweigh(plugin, n) {
			return nil, phrase.Errorf("no profile scores with %s%s", plugin,
				spelling.Hint(plugin, player.Scheduler().Scorers()))
		}
	}
	return st.edited(under, player, v)
}

// sizeOf is how large a pod is: its millicores, and where these are equal what it requests of memory.
func sizeOf(p *corev1.Pod) int64 {
	requests := resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{})
	return requests.Cpu().MilliValue()<<32 + min(requests.Memory().Value()>>20, 1<<32-1)
}

// under is an input configured as a variant wants it.
func (st *stage) under(in *opened, v sweep.Variant) (*opened, error) {
	own, flags := *in.input, st.flags.input
	own.Notices, own.Refused = nil, nil
	given := slices.Clone(flags.given)
	if version := v.Of(sweep.KubeVersion); version != sweep.AsItIs {
		if err := hasRelease(version); err != nil {
			return nil, err
		}
		flags.version, given = version, append(given, "kube-version")
	}
	if file := v.Of(sweep.Config); file != sweep.AsItIs {
		flags.config = file
	}
	if n, err := strconv.ParseInt(v.Of(sweep.Percentage), 10, 32); err == nil {
		flags.percentage = int32(n)
		own.Percentage = &flags.percentage
	}
	gates := flags.gates
	if gates == "" {
		gates = own.Gates
	}
	for _, s := range v.Settings {
		if gate, is := strings.CutPrefix(s.Key, sweep.Gate); is && s.Value != sweep.AsItIs {
			gates = strings.TrimPrefix(gates+","+gate+"="+s.Value, ",")
			flags.gates, given = gates, append(given, "feature-gates")
		}
	}
	flags.given = given
	under, err := flags.configure(st.command, &own)
	if err == nil && len(own.Refused) > 0 { // the default would be in its place, which looks like another behaviour
		err = phrase.Errorf("%s", own.Refused[0])
	}
	return under, err
}

// edited carries out what a variant does to the cluster, before the first cycle.
func (st *stage) edited(in *opened, player *play.Player, v sweep.Variant) (*play.Player, error) {
	edits := false
	for _, s := range v.Settings {
		edits = edits || s.Value != sweep.AsItIs && changesCluster(s.Key)
	}
	if !edits {
		return player, nil
	}
	ctx := st.command.Context()
	walk := in.sessionOf(player)
	start := whatifFlags{at: "start"}
	if err := start.goThere(ctx, walk); err != nil {
		return nil, err
	}
	for _, s := range v.Settings {
		if s.Value == sweep.AsItIs || !changesCluster(s.Key) {
			continue
		}
		if s.Key == sweep.Do {
			if err := prompt.CarryOut(ctx, walk, s.Value, command.ReadFiles, io.Discard); err != nil {
				return nil, err
			}
			continue
		}
		edits, err := editsOf(walk, s)
		if err != nil {
			return nil, err
		}
		if len(edits) == 0 {
			continue
		}
		if _, _, err := walk.Edit(session.Together("sweep", edits...)); err != nil {
			return nil, err
		}
	}
	return walk.At().Onward()
}

// changesCluster reports whether a setting is an edit of the cluster.
func changesCluster(key string) bool {
	return key == sweep.Do || key == sweep.Drain || key == sweep.Lose || strings.HasPrefix(key, sweep.Nodes)
}

// editsOf are the what-ifs that a setting stands for.
func editsOf(walk *session.Session, s sweep.Setting) ([]session.Edit, error) {
	var edits []session.Edit
	if like, is := strings.CutPrefix(s.Key, sweep.Nodes); is {
		n, _ := strconv.Atoi(s.Value)
		for i := range n {
			edits = append(edits, session.AddNode(fmt.Sprintf("%s-added-%d", like, i+1), like, nil))
		}
		return edits, nil
	}
	player, err := walk.At().Onward()
	if err != nil {
		return nil, err
	}
	key, value, labelled := strings.Cut(s.Value, "=")
	for _, n := range player.Scheduler().State().Snapshot().Nodes {
		has, found := n.Label(key)
		switch chosen := labelled && found && has == value || !labelled && n.API.Name == s.Value; {
		case chosen && s.Key == sweep.Lose:
			edits = append(edits, session.DeleteNode(n.API.Name))
		case chosen:
			edits = append(edits, session.Drain(n.API.Name))
		}
	}
	if len(edits) == 0 {
		return nil, phrase.Errorf("no node is named %s, or has it as a label", s.Value)
	}
	return edits, nil
}
