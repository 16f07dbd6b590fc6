package tables

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schedstep/schedstep/conformance/sources"
	"github.com/schedstep/schedstep/conformance/tables/record"
)

// recorded runs the tests of a release in a folder that does not exist, so many times on one processor and so many on
// four, and returns what they wrote down. It is an error if one of them fails.
func recorded(ctx context.Context, release sources.Release, times int, into string) ([]record.Line, error) {
	kubernetes, err := release.Tree(ctx, into)
	if err != nil {
		return nil, err
	}
	if err := instrument(kubernetes, release.Folder); err != nil {
		return nil, err
	}
	path := filepath.Join(into, "recorded.jsonl")
	args := []string{"test", "-vet=off", "-p", "1", "-cpu", "1,4", "-count", strconv.Itoa(times)}
	for _, pkg := range packages {
		args = append(args, "./"+release.Folder+"/"+pkg)
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = kubernetes
	command.Env = append(os.Environ(), "GOFLAGS="+sources.Flags, record.Variable+"="+path)
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("upstream's tests of %s: %w\n%s", release.Patch, err, out)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return read(file)
}

// elsewhere are the files of tests of a scheduler that no case is taken from, with how many tests they have and the
// reason. Kubernetes is the folder that Tree returned.
func elsewhere(kubernetes string, release sources.Release) ([]omitted, error) {
	var left []omitted
	root := filepath.Join(kubernetes, release.Folder)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || slices.Contains(packages, filepath.Dir(name)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		reason, is := others[filepath.Dir(name)]
		if !is {
			return fmt.Errorf("%s: nobody says why its tests are left out", name)
		}
		left = append(left, omitted{name, "", strings.Count(string(text), "\nfunc Test"), reason})
		return nil
	})
	return left, err
}

func read(from io.Reader) ([]record.Line, error) {
	var lines []record.Line
	in := json.NewDecoder(bufio.NewReader(from))
	for {
		var line record.Line
		switch err := in.Decode(&line); err {
		case nil:
			lines = append(lines, line)
		case io.EOF:
			return lines, nil
		default:
			return nil, err
		}
	}
}

// runs separates the records of several runs of the same tests.
func runs(lines []record.Line) [][]record.Line {
	type begins struct {
		file, function string
		row            int
		table          bool
	}
	var of [][]record.Line
	times := map[begins]int{}
	at := 0
	for _, line := range lines {
		if c := line.Case; c != nil {
			key := begins{c.File, c.Function, c.Row, c.Entry != nil}
			at = times[key]
			times[key]++
		}
		if at == len(of) {
			of = append(of, nil)
		}
		of[at] = append(of[at], line)
	}
	return of
}

// settled is the cases that every run has. It is an error if one goes by chance.
func settled(lines []record.Line) ([]testFile, []omitted, error) {
	var files []testFile
	var left []omitted
	for i, run := range runs(lines) {
		again, out, err := shape(run)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			files, left = again, out
		} else if err := chance(files, again); err != nil {
			return nil, nil, fmt.Errorf("run %d of %d: %w", i+1, len(runs(lines)), err)
		}
	}
	return files, left, nil
}

// chance names the first case that two runs do not have in common.
func chance(first, again []testFile) error {
	if len(first) != len(again) {
		return fmt.Errorf("cases of %d files, and of %d before", len(again), len(first))
	}
	for i := range first {
		a, b := first[i].Cases, again[i].Cases
		if len(a) != len(b) {
			return fmt.Errorf("%s has %d cases, and had %d", first[i].Name, len(b), len(a))
		}
		for j := range a {
			if !reflect.DeepEqual(a[j], b[j]) {
				return fmt.Errorf("%s: %s, row %d, goes by chance", first[i].Name, a[j].Function, a[j].Row)
			}
		}
	}
	return nil
}

// Extract runs the tests of a release, so many times on one processor and on four, and writes its cases, which must be
// the same each time, to a folder. It returns a line with their number.
func Extract(ctx context.Context, release sources.Release, times int, into string) (string, error) {
	scratch, err := os.MkdirTemp("", "schedstep-tables-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	tree := filepath.Join(scratch, release.Version)
	lines, err := recorded(ctx, release, times, tree)
	if err != nil {
		return "", err
	}
	files, left, err := settled(lines)
	if err != nil {
		return "", err
	}
	others, err := elsewhere(filepath.Join(tree, "kubernetes"), release)
	if err != nil {
		return "", err
	}
	left = append(left, others...)
	cases := 0
	for _, file := range files {
		cases += len(file.Cases)
	}
	said := fmt.Sprintf(
		"%s: %d cases of %d files; %d tests and files left out", release.Patch, cases, len(files), len(left),
	)
	return said, write(files, left, into)
}
