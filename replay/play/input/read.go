package input

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedstep/schedstep/core/cluster"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/scenario"
	"github.com/schedstep/schedstep/replay/source/recording"
)

// shape is what a file turned out to be.
type shape uint8

const (
	objects  shape = iota // API objects in any wrapping: the importer's business
	recorded              // our recording
	scripted              // our scenario language
)

// headOfAFile is how many bytes it takes to detect a shape: the first block of a compressed recording, or the comment a
// scenario opens with.
const headOfAFile = 64 << 10

// Read makes paths ready to be played: files, folders, globs or "-". Several are one cluster: the objects of dumps and
// manifests are there from the start of a recording or scenario beside them. The error means that there is nothing to
// play, or that ctx has ended: then Read returns at once, also while a pipe keeps it waiting.
func Read(ctx context.Context, paths []string, o Options) (*Input, error) {
	type result struct {
		in  *Input
		err error
	}
	done := make(chan result, 1)
	go func() {
		in, err := o.read(ctx, paths)
		done <- result{in, err}
	}()
	select {
	case r := <-done:
		return r.in, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (o Options) read(ctx context.Context, paths []string) (*Input, error) {
	if len(paths) == 0 {
		return nil, phrase.Errorf("no input: name a file, a folder, a glob, or - for standard input")
	}
	dump := reading{Options: o, ctx: ctx, streams: map[string]io.Reader{}}
	defer dump.close()
	var main *Input
	var logs traces
	for _, path := range paths {
		if logs.take(&dump, path) {
			continue
		}
		from, err := dump.look(path)
		if err != nil {
			return nil, err
		}
		if from.shape == objects {
			dump.paths = append(dump.paths, path)
			continue
		}
		if main != nil {
			return nil, phrase.Errorf("%s: a second recording or scenario; play one at a time", called([]string{path}))
		}
		if main, err = dump.ours(from); err != nil {
			return nil, err
		}
	}
	in, err := dump.all(main, logs)
	if err != nil {
		return nil, err
	}
	in.Notices = append(in.Notices, dump.hints...)
	return in, dump.believe(in, logs.beliefs)
}

// all is everything that was opened, as one input.
func (r *reading) all(main *Input, logs traces) (*Input, error) {
	switch {
	case logs.any():
		return r.withPast(main, logs)
	case main == nil && len(r.paths) == 0:
		return nil, phrase.Errorf("%s: a log of kube-scheduler alone has no objects; name a dump, a recording, audit logs "+
			"or an etcd beside it", called(logs.beliefs))
	case main == nil:
		return r.objects(r.Time, nil)
	case !r.besides():
		return main, nil
	}
	beside, err := r.objects(main.Start, main)
	if err != nil {
		return nil, err
	}
	return main.with(beside), nil
}

// withPast rebuilds a cluster's past, from the start of which the objects of the other files are there.
func (r *reading) withPast(main *Input, logs traces) (*Input, error) {
	if main != nil {
		return nil, phrase.Errorf("%s: a recording or scenario beside logs of a cluster; play one at a time", main.Title)
	}
	if r.Nodes != "" {
		return nil, phrase.Errorf("--nodes: the logs of a cluster have its nodes; it is for manifests")
	}
	if len(r.paths) == 0 {
		return r.relive(r.ctx, logs, nil)
	}
	beside, err := r.objects(r.Time, nil)
	if err != nil {
		return nil, err
	}
	return r.relive(r.ctx, logs, beside)
}

// with puts the objects of a dump before the script.
func (in *Input) with(dump *Input) *Input {
	in.Whole("that of several files")
	in.Script = append(dump.Script, in.Script...)
	if in.Session != nil {
		in.Session, in.Keyframe = nil, nil
		in.Notices = append(in.Notices, "a saved session opens where it stood only without other files beside it")
	}
	in.lacks = slices.DeleteFunc(in.lacks, func(k cluster.Kind) bool { return !dump.Lacks(k) })
	in.Refused = append(in.Refused, dump.Refused...)
	in.Notices = append(in.Notices, dump.Notices...)
	in.Made = append(in.Made, dump.Made...)
	in.Workloads = append(in.Workloads, dump.Workloads...)
	in.Holders = append(in.Holders, dump.Holders...)
	in.events = append(in.events, dump.events...)
	in.emptier, in.release = cmp.Or(in.emptier, dump.emptier), cmp.Or(in.release, dump.release)
	if in.Gates == "" {
		in.Gates = dump.Gates
	}
	if in.Release == "" {
		in.Release, in.Told = dump.Release, dump.Told
	}
	if in.Config == nil {
		in.Config, in.From = dump.Config, dump.From
	}
	return in
}

// zstdMagic begins a compressed file. Only recordings are compressed in this way; it marks one that is cut in its first
// block as a recording.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

func shapeOf(head []byte) shape {
	switch {
	case recording.Is(head), bytes.HasPrefix(head, zstdMagic):
		return recorded
	case scenario.Looks(head):
		return scripted
	}
	return objects
}

// called is what the user named, as sentences call it.
func called(paths []string) phrase.Text {
	all := slices.Clone(paths)
	for i, path := range all {
		if path == "-" {
			all[i] = "standard input"
		}
	}
	return phrase.Names(all)
}

func title(paths []string) string {
	switch {
	case paths[0] == "-":
		return "standard input"
	case len(paths) == 1:
		name := filepath.Base(paths[0])
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return fmt.Sprintf("%s and %d more", filepath.Base(paths[0]), len(paths)-1)
}
