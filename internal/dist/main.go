// Command dist builds what a release hands out: an archive for each system with the program, its licence, completions
// and man pages; SHA-256 sums of them; and the manifest by which krew installs schedstep as a kubectl plugin. It
// publishes nothing. The same commit gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// systems are those that schedstep is built for, as the Makefile has them too.
var systems = []system{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

type system struct{ os, arch string }

func main() {
	folder := flag.String("o", "dist", "the folder that is filled; it must not hold anything else")
	version := flag.String("version", "", "the version, such as v1.2.3; without it what git describe says")
	shared := flag.String("completions", "", "only write the completions and the man pages, into this folder")
	flag.Parse()
	err := error(nil)
	if *shared != "" {
		err = completions(*shared)
	} else {
		err = release(*folder, *version)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// release fills the folder.
func release(folder, version string) error {
	if version == "" {
		described, err := git("describe", "--tags", "--always", "--dirty")
		if err != nil {
			return err
		}
		version = described
	}
	if !strings.HasPrefix(version, "v") {
		version = "v0.0.0-" + version // without a tag git describes a commit by its hash alone
	}
	seconds, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	b := builder{folder: folder, version: version, at: time.Unix(unix, 0).UTC()}
	if err := b.archives(); err != nil {
		return err
	}
	return b.describe()
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// builder makes one release.
type builder struct {
	folder  string
	version string
	at      time.Time // of the commit; every file in an archive has it
	built   []archive
}

// archives builds the program for every system and packs it.
func (b *builder) archives() error {
	if err := os.MkdirAll(b.folder, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "schedstep-dist-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := completions(work); err != nil {
		return err
	}
	shared, err := sharedFiles(work)
	if err != nil {
		return err
	}
	for _, s := range systems {
		fmt.Printf("== %s/%s\n", s.os, s.arch)
		program := filepath.Join(work, s.os+"-"+s.arch, s.program())
		if err := compile(program, "GOOS="+s.os, "GOARCH="+s.arch, "CGO_ENABLED=0"); err != nil {
			return err
		}
		files := append([]file{{name: s.program(), path: program, mode: 0o755}}, shared...)
		a := archive{system: s, name: fmt.Sprintf("schedstep_%s_%s_%s%s", b.version, s.os, s.arch, s.extension())}
		if a.sum, err = pack(filepath.Join(b.folder, a.name), files, b.at); err != nil {
			return err
		}
		b.built = append(b.built, a)
	}
	return nil
}

// program is the file's name. krew, or the user, links it as kubectl-schedstep.
func (s system) program() string {
	if s.os == "windows" {
		return "schedstep.exe"
	}
	return "schedstep"
}

func (s system) extension() string {
	if s.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

func compile(out string, environment ...string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", out, "./cmd/schedstep")
	c.Env = append(os.Environ(), environment...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("go build for %s: %w", strings.Join(environment, " "), err)
	}
	return nil
}

// completions writes the completions and the man pages of the program, which it writes itself, into a folder.
func completions(folder string) error {
	work, err := os.MkdirTemp("", "schedstep-dist-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	program := filepath.Join(work, "schedstep")
	if err := compile(program); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, "completions"), 0o755); err != nil {
		return err
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion for %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(folder, "completions", "schedstep."+shell), script, 0o644); err != nil {
			return err
		}
	}
	if out, err := exec.Command(program, "man", filepath.Join(folder, "man")).CombinedOutput(); err != nil {
		return fmt.Errorf("man pages: %w: %s", err, out)
	}
	return nil
}

// sharedFiles are those of every archive: texts of the repository, and what completions wrote into a folder.
func sharedFiles(folder string) ([]file, error) {
	var files []file
	for _, text := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		files = append(files, file{name: text, path: text, mode: 0o644})
	}
	for _, kind := range []string{"completions", "man"} {
		entries, err := os.ReadDir(filepath.Join(folder, kind))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			files = append(files, file{name: kind + "/" + e.Name(), path: filepath.Join(folder, kind, e.Name()), mode: 0o644})
		}
	}
	return files, nil
}
