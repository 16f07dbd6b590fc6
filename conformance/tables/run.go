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
	"slices"
	"strings"

	"github.com/schedstep/schedstep/conformance/sources"
	"github.com/schedstep/schedstep/conformance/tables/record"
)

// recorded runs the tests of a release in a folder that does not exist, and returns what they wrote down. It is an
// error if one of them fails.
func recorded(ctx context.Context, release sources.Release, into string) ([]record.Line, error) {
	kubernetes, err := release.Tree(ctx, into)
	if err != nil {
		return nil, err
	}
	if err := instrument(kubernetes, release.Folder); err != nil {
		return nil, err
	}
	path := filepath.Join(into, "recorded.jsonl")
	args := []string{"test", "-vet=off", "-p", "1", "-count", "1"}
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

// Extract runs the tests of a release and writes its cases to a folder. It returns a line that says how many there are.
func Extract(ctx context.Context, release sources.Release, into string) (string, error) {
	scratch, err := os.MkdirTemp("", "schedstep-tables-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	tree := filepath.Join(scratch, release.Version)
	lines, err := recorded(ctx, release, tree)
	if err != nil {
		return "", err
	}
	files, left, err := shape(lines)
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
