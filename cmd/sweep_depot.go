package cmd

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/schedstep/schedstep/internal/bucket"
	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/replay/ask/sweep"
)

// depot is where the files of a sweep are on this machine. What an object store has is fetched into a folder that lives
// as long as the command, and results go back from there.
type depot struct {
	scratch string // "": nothing is in an object store
	store   *bucket.Store
	local   map[string]string // of parts of inputs, by their names in the store
	folder  string            // that results are written to
	remote  *bucket.Name      // that they go to; nil: they stay
}

// What is in the scratch folder: what a store has, results, and the file that is put in the store first.
const (
	folderFetched = "fetched"
	folderResults = "results"
	fileBegun     = "begun"
)

// begin makes the scratch folder, once.
func (d *depot) begin() error {
	if d.scratch != "" {
		return nil
	}
	store, err := bucket.Open(os.Getenv)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "schedstep-")
	if err != nil {
		return phrase.Errorf("%s: %w", os.TempDir(), disk.Bare(err))
	}
	d.scratch, d.store, d.local = folder, store, map[string]string{}
	return nil
}

// end removes what was fetched.
func (d *depot) end() {
	if d.scratch != "" {
		_ = os.RemoveAll(d.scratch) // it lies in a folder for what may be removed
	}
}

// inputs fetches the parts of inputs that an object store has.
func (d *depot) inputs(ctx context.Context, args []string) error {
	for _, arg := range args {
		for _, part := range filesOf(arg) {
			if !bucket.Is(part) || d.local[part] != "" {
				continue
			}
			if err := d.input(ctx, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// input fetches one object or, where there is none of the name, all that are below it.
func (d *depot) input(ctx context.Context, part string) error {
	name, err := bucket.Parse(part)
	if err != nil {
		return usageError{err}
	}
	if name.Key == "" {
		return phrase.Errorf("%s: %w", name, bucket.ErrMissing)
	}
	if err := d.begin(); err != nil {
		return err
	}
	keys, err := d.store.List(ctx, name)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return phrase.Errorf("%s: %w", name, bucket.ErrMissing)
	}
	if slices.Contains(keys, "") {
		keys = keys[:1]
	}
	to := filepath.Join(d.scratch, folderFetched, strconv.Itoa(len(d.local)), name.Bucket, filepath.FromSlash(name.Key))
	for _, key := range keys {
		if err := d.store.Fetch(ctx, name.Below(key), filepath.Join(to, filepath.FromSlash(key))); err != nil {
			return err
		}
	}
	d.local[part] = to
	return nil
}

// filesOf are the files of one input of the command line, on this machine.
func (d *depot) filesOf(arg string) []string {
	files := filesOf(arg)
	for i, file := range files {
		if local := d.local[file]; local != "" {
			files[i] = local
		}
	}
	return files
}

// output makes the folder of results ready. Results of the same sweep that the store has already are fetched, so that
// it goes on, and that the store takes files is found out before the first run.
func (d *depot) output(ctx context.Context, out string) error {
	if d.folder = out; !bucket.Is(out) {
		return nil
	}
	name, err := bucket.Parse(out)
	if err != nil {
		return usageError{phrase.Errorf("-o %w", err)}
	}
	if err := d.begin(); err != nil {
		return err
	}
	d.remote, d.folder = &name, filepath.Join(d.scratch, folderResults)
	if err := os.MkdirAll(d.folder, 0o755); err != nil {
		return phrase.Errorf("%s: %w", d.folder, disk.Bare(err))
	}
	if err := d.results(ctx, name, d.folder); err != nil && !errors.Is(err, bucket.ErrMissing) {
		return phrase.Errorf("-o %w", err)
	}
	mark := filepath.Join(d.scratch, fileBegun)
	if err := os.WriteFile(mark, []byte("a sweep has begun\n"), 0o600); err != nil {
		return phrase.Errorf("%s: %w", mark, disk.Bare(err))
	}
	if err := d.store.Put(ctx, name.Below(fileBegun), mark); err != nil {
		return phrase.Errorf("-o %w", err)
	}
	return nil
}

// results fetches what a sweep goes on from, or is merged from.
func (d *depot) results(ctx context.Context, name bucket.Name, folder string) error {
	for _, file := range sweep.Results() {
		if err := d.store.Fetch(ctx, name.Below(file), filepath.Join(folder, file)); err != nil {
			return err
		}
	}
	return nil
}

// folders are the folders of sweeps that arguments name, on this machine: of a name in an object store all that are
// below it.
func (d *depot) folders(ctx context.Context, args []string) ([]string, error) {
	var all []string
	for _, arg := range args {
		if !bucket.Is(arg) {
			all = append(all, arg)
			continue
		}
		name, err := bucket.Parse(arg)
		if err != nil {
			return nil, usageError{err}
		}
		if err := d.begin(); err != nil {
			return nil, err
		}
		keys, err := d.store.List(ctx, name)
		if err != nil {
			return nil, err
		}
		found := false
		for _, key := range keys {
			if path.Base(key) != sweep.Results()[0] {
				continue
			}
			found = true
			shard := name.Below(path.Dir(key))
			// Sentences name it.
			folder := filepath.Join(d.scratch, folderFetched, shard.Bucket, filepath.FromSlash(shard.Key))
			if err := d.results(ctx, shard, folder); err != nil {
				return nil, err
			}
			all = append(all, folder)
		}
		if !found {
			return nil, phrase.Errorf("%s: no results of a sweep are there", name)
		}
	}
	return all, nil
}

// keepTime is how long results may take to the store after a command was stopped.
const keepTime = 30 * time.Second

// keep brings the results to the store, if they belong there: those of a command that was stopped too, and of no other
// that failed. The manifest comes last: what has none is no sweep.
func (d *depot) keep(ctx context.Context, failed error) error {
	if d.remote == nil || failed != nil && !errors.Is(failed, context.Canceled) {
		return failed
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), keepTime)
		defer cancel()
	}
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		return phrase.Errorf("%s: %w", d.folder, disk.Bare(err))
	}
	manifest := sweep.Results()[0]
	for _, last := range []bool{false, true} {
		for _, e := range entries {
			if (e.Name() == manifest) != last {
				continue
			}
			if err := d.store.Put(ctx, d.remote.Below(e.Name()), filepath.Join(d.folder, e.Name())); err != nil {
				return errors.Join(failed, phrase.Errorf("-o %w", err))
			}
		}
	}
	return failed
}
