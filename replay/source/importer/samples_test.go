package importer_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/schedstep/schedstep/internal/golden"
	"github.com/schedstep/schedstep/replay/source/importer"
)

// Every real file, read alone as if a user had named it, and every folder as a whole, gives what samples.golden has.
func TestRealFilesGiveWhatTheyHold(t *testing.T) {
	var out strings.Builder
	for _, path := range samplePaths(t) {
		dump, err := importer.Read(t.Context(), []string{path}, importer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n%s", filepath.ToSlash(path), summary(dump))
	}
	golden.Is(t, "testdata/samples.golden", out.String())
}

// samplePaths lists each sample folder, then every file.
func samplePaths(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("testdata", "samples")
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, folder := range folders {
		if folder.IsDir() {
			paths = append(paths, filepath.Join(root, folder.Name()))
		}
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// summary counts objects by kind, and lists the rest.
func summary(dump *importer.Dump) string {
	counts := map[string]int{}
	for _, o := range dump.Objects {
		kind := o.Object.GetObjectKind().GroupVersionKind()
		counts[kind.GroupVersion().String()+" "+kind.Kind]++
	}
	var lines []string
	for kind, count := range counts {
		lines = append(lines, fmt.Sprintf("  %d %s\n", count, kind))
	}
	sort.Strings(lines)
	for _, p := range dump.Problems {
		lines = append(lines, fmt.Sprintf("  %s: %s\n", p.Severity, p.Error()))
	}
	for _, l := range dump.Left {
		lines = append(lines, fmt.Sprintf("  left %s\n", l))
	}
	for _, c := range dump.Configs {
		lines = append(lines, fmt.Sprintf("  config %s\n", c.Source))
	}
	if len(dump.Formats) > 0 {
		lines = append(lines, fmt.Sprintf("  as %s\n", strings.Join(dump.Formats, ", ")))
	}
	return filepath.ToSlash(strings.Join(lines, ""))
}
