package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var moment = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// packed is an archive of two small files.
func packed(t *testing.T, name string) (path, sum string) {
	t.Helper()
	folder := t.TempDir()
	var files []file
	for _, f := range []struct{ name, text string }{{"schedstep", "program"}, {"man/schedstep.1", "page"}} {
		from := filepath.Join(folder, filepath.Base(f.name))
		if err := os.WriteFile(from, []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name: f.name, path: from, mode: 0o755})
	}
	path = filepath.Join(folder, name)
	sum, err := pack(path, files, moment)
	if err != nil {
		t.Fatal(err)
	}
	return path, sum
}

func TestAnArchiveHoldsItsFiles(t *testing.T) {
	want := map[string]string{"schedstep": "program", "man/schedstep.1": "page"}
	for name, unpack := range map[string]func(*testing.T, []byte) map[string]string{"a.tar.gz": untar, "a.zip": unzip} {
		path, sum := packed(t, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, unpack(t, content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if is := sha256.Sum256(content); hex.EncodeToString(is[:]) != sum {
			t.Errorf("%s: the sum is %x, told %s", name, is, sum)
		}
		if _, again := packed(t, name); again != sum {
			t.Errorf("%s: the same files give the sums %s and %s", name, sum, again)
		}
	}
}

func untar(t *testing.T, content []byte) map[string]string {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for tape := tar.NewReader(plain); ; {
		h, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tape)
		if err != nil || h.Mode != 0o755 || !h.ModTime.Equal(moment) {
			t.Errorf("%s: mode %o, time %s, %v", h.Name, h.Mode, h.ModTime, err)
		}
		files[h.Name] = string(text)
	}
}

func unzip(t *testing.T, content []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || f.Mode().Perm() != 0o755 {
			t.Errorf("%s: mode %o, %v", f.Name, f.Mode(), err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// TestKrewTakesTheManifest holds it against the rules of krew's index: names, versions, sums, and one platform for each
// system.
func TestKrewTakesTheManifest(t *testing.T) {
	var archives []archive
	for i, s := range systems {
		sum := sha256.Sum256([]byte{byte(i)})
		archives = append(
			archives, archive{system: s, name: "schedstep_" + s.os + s.extension(), sum: hex.EncodeToString(sum[:])},
		)
	}
	p := manifest("v1.2.3", archives)
	for what, rule := range map[string]struct{ pattern, text string }{
		"name":    {`^[\w-]+$`, p.Metadata.Name},
		"version": {`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`, p.Spec.Version},
		"home":    {`^https://`, p.Spec.Homepage},
		"short":   {`^[A-Z].{0,49}[^.]$`, p.Spec.ShortDescription},
	} {
		if !regexp.MustCompile(rule.pattern).MatchString(rule.text) {
			t.Errorf("%s %q is not as %s", what, rule.text, rule.pattern)
		}
	}
	seen := map[string]bool{}
	for _, f := range p.Spec.Platforms {
		if at := f.Selector.MatchLabels["os"] + "/" + f.Selector.MatchLabels["arch"]; seen[at] {
			t.Errorf("%s is there twice", at)
		} else {
			seen[at] = true
		}
		if !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(f.SHA256) || !strings.HasPrefix(f.URI, "https://") ||
			f.Bin == "" {
			t.Errorf("%+v", f)
		}
	}
	if len(seen) != len(systems) {
		t.Errorf("%d platforms for %d systems", len(seen), len(systems))
	}
}

// TestEverySystemIsBuiltEverywhere compares the systems here with those of the Makefile and of goreleaser's
// configuration.
func TestEverySystemIsBuiltEverywhere(t *testing.T) {
	var here []string
	for _, s := range systems {
		here = append(here, s.os+"/"+s.arch)
	}
	rules, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^SYSTEMS +:= (.*)$`).FindSubmatch(rules)
	if line == nil || !cmp.Equal(here, strings.Fields(string(line[1]))) {
		t.Errorf("here %q, in the Makefile %q", here, line)
	}
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Builds []struct {
			Goos, Goarch []string
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil || len(config.Builds) != 1 {
		t.Fatalf("%v: %d builds", err, len(config.Builds))
	}
	var there []string
	for _, s := range config.Builds[0].Goos {
		for _, arch := range config.Builds[0].Goarch {
			there = append(there, s+"/"+arch)
		}
	}
	if !cmp.Equal(here, there) {
		t.Errorf("here %q, for goreleaser %q", here, there)
	}
}
